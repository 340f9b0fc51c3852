//! The judge: what the checker said of an instance, compared with exact arithmetic.
//!
//! The judge uses the instance and the facts, nothing of the checker's arithmetic. It knows the optimum itself where that is a
//! rational number that can be found: least squares without a penalty and with any signs, one input (every set of active limits is
//! tried), and instances that were made from their optimum. Otherwise it has competitors, and P of each, exactly: a lower bound
//! above the least of them is wrong, and one close to it is close to the optimum.
//!
//! Every objective is multiplied by 2Σw, so that only eliminations divide.

use shallows_verify::theorem::global_optimum::{Claim, MeasureProof, Proof};
use shallows_verify::{Judgement, Monomial, Network, Signs, Verdict};

use crate::exact::{Dyadic, LeastSquares, Quotient, dot, least_squares};

/// Rows, a claim about them, and what is to be said about it.
pub struct Instance {
    pub d: usize,
    pub X: Vec<f64>,
    pub y: Vec<f64>,
    pub w: Option<Vec<f64>>,
    pub claim: Claim,
    pub network: Network,
    pub proof: Proof,
    /// Competitors to begin with.
    pub candidates: Vec<Candidate>,
    /// Whether the first of them is the optimum.
    pub is_known: bool,
}

/// Σ v(w·z)² + b·z + c, z = (x − m)·2^h
#[derive(Clone, Debug)]
pub struct Candidate {
    pub units: Vec<(Vec<f64>, f64)>,
    pub b: Vec<f64>,
    pub c: f64,
    /// m, zero unless the affine part is free.
    pub centre: Vec<f64>,
    /// h
    pub shifts: Vec<i32>,
}

/// What the checker said in numbers.
#[derive(Clone, Copy, Debug)]
pub struct OptimumFacts {
    pub objective: Option<f64>,
    pub lower_bound: Option<f64>,
    pub measure: Option<f64>,
    pub relative_gap: Option<f64>,
}

impl OptimumFacts {
    pub fn of(judgement: &Judgement) -> OptimumFacts {
        let [objective, lower_bound, measure, relative_gap] =
            ["objective", "lower_bound", "measure", "relative_gap"].map(|name| judgement.fact(name));
        OptimumFacts { objective, lower_bound, measure, relative_gap }
    }
}

/// How a bound was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Nothing was proved, and the least P known is positive.
    Unjudged,
    /// The optimum is zero, and so is the bound.
    Zero,
    /// A positive bound against the optimum itself.
    Exact,
    /// A positive bound against a competitor, from which it differs by at most 10⁻⁶ of it.
    Sharp,
    /// A positive bound against a competitor that is farther away.
    Weak,
}

/// What the judge found.
pub struct Finding {
    pub grade: Grade,
    /// Whether the bound is within 10⁻⁶, and within 10⁻¹², of the least P known.
    pub is_tight: [bool; 2],
    /// Facts and verdicts that are wrong.
    pub wrong: Vec<&'static str>,
}

/// Shares of an optimum that a limit may have to be kept by.
const SHRINKING: [(i64, bool); 7] =
    [(0, true), (-50, false), (-46, false), (-40, false), (-30, false), (-20, false), (0, false)];

#[derive(Clone)]
struct Function {
    units: Vec<(Vec<Dyadic>, Dyadic)>,
    b: Vec<Dyadic>,
    c: Dyadic,
    centre: Vec<Dyadic>,
}

fn exactly(numbers: &[f64]) -> Vec<Dyadic> {
    numbers.iter().map(|x| Dyadic::from(*x)).collect()
}

impl Function {
    fn zero(d: usize) -> Function {
        Function { units: vec![], b: vec![Dyadic::zero(); d], c: Dyadic::zero(), centre: vec![Dyadic::zero(); d] }
    }

    fn of_network(network: &Network) -> Function {
        let d = network.inputs();
        let units = (0..network.width()).map(|l| (exactly(network.W.row(l)), Dyadic::from(network.v[l])));
        Function {
            units: units.collect(),
            b: exactly(&network.linear.clone().unwrap_or_else(|| vec![0.0; d])),
            c: Dyadic::from(network.intercept.unwrap_or(0.0)),
            centre: vec![Dyadic::zero(); d],
        }
    }

    fn of_candidate(candidate: &Candidate) -> Option<Function> {
        let numbers = candidate.units.iter().flat_map(|(w, v)| w.iter().chain([v]));
        let finite = numbers.chain(&candidate.b).chain(&candidate.centre).chain([&candidate.c]).all(|x| x.is_finite());
        let powers = || candidate.shifts.iter().map(|h| Dyadic::power(i64::from(*h)));
        let shifted = |w: &[f64]| exactly(w).iter().zip(powers()).map(|(w, power)| w * &power).collect();
        finite.then(|| Function {
            units: candidate.units.iter().map(|(w, v)| (shifted(w), Dyadic::from(*v))).collect(),
            b: shifted(&candidate.b),
            c: Dyadic::from(candidate.c),
            centre: exactly(&candidate.centre),
        })
    }
}

/// An instance in exact numbers; only the rows that count.
struct Problem<'a> {
    claim: &'a Claim,
    d: usize,
    x: Vec<Vec<Dyadic>>,
    y: Vec<Dyadic>,
    w: Vec<Dyadic>,
    /// Σw
    total: Dyadic,
    tau: Dyadic,
    /// 4^e
    four: Vec<Dyadic>,
    limits: [Option<Dyadic>; 3],
}

impl<'a> Problem<'a> {
    fn new(instance: &'a Instance) -> Problem<'a> {
        let (d, claim) = (instance.d, &instance.claim);
        let w = instance.w.clone().unwrap_or_else(|| vec![1.0; instance.y.len()]);
        let kept: Vec<usize> = (0..w.len()).filter(|&i| w[i] > 0.0).collect();
        let w: Vec<Dyadic> = kept.iter().map(|&i| Dyadic::from(w[i])).collect();
        Problem {
            claim,
            d,
            x: kept.iter().map(|&i| exactly(&instance.X[i * d..][..d])).collect(),
            y: kept.iter().map(|&i| Dyadic::from(instance.y[i])).collect(),
            total: w.iter().fold(Dyadic::zero(), |sum, w| &sum + w),
            w,
            tau: Dyadic::from(claim.decay),
            four: claim.exponents.iter().map(|e| Dyadic::power(2 * i64::from(*e))).collect(),
            limits: [claim.class.nuclear, claim.class.linear, claim.class.intercept]
                .map(|limit| limit.map(Dyadic::from)),
        }
    }

    /// A number as objectives are written here: times 2Σw.
    fn doubled(&self, x: &Dyadic) -> Dyadic {
        &(&Dyadic::power(1) * &self.total) * x
    }

    fn scaled_square(&self, w: &[Dyadic]) -> Dyadic {
        w.iter().zip(&self.four).fold(Dyadic::zero(), |sum, (w, four)| &sum + &(four * &w.square()))
    }

    fn size(&self, f: &Function) -> Dyadic {
        f.units.iter().fold(Dyadic::zero(), |sum, (w, v)| &sum + &(&v.abs() * &self.scaled_square(w)))
    }

    fn centred(&self, centre: &[Dyadic]) -> Vec<Vec<Dyadic>> {
        self.x.iter().map(|x| x.iter().zip(centre).map(|(x, m)| x - m).collect()).collect()
    }

    /// 2Σw·P
    fn objective(&self, f: &Function) -> Dyadic {
        let rows = self.centred(&f.centre);
        let squares = rows.iter().zip(&self.y).zip(&self.w).map(|((x, y), w)| {
            let mut r = &(&dot(f.b.iter().zip(x)) + &f.c) - y;
            for (unit, v) in &f.units {
                r = &r + &(v * &dot(unit.iter().zip(x)).square());
            }
            w * &r.square()
        });
        let loss = squares.fold(Dyadic::zero(), |sum, square| &sum + &square);
        &loss + &self.doubled(&(&self.tau * &self.size(f)))
    }

    /// Whether signs and affine part are those of the class.
    fn is_member(&self, f: &Function) -> bool {
        let allowed = |v: &Dyadic| match self.claim.signs {
            Signs::Any => true,
            Signs::Positive => v.sign() >= 0,
            Signs::Negative => v.sign() <= 0,
        };
        let free = [(self.claim.linear, 1), (self.claim.intercept, 2)].map(|(is, at)| is && self.limits[at].is_none());
        f.units.iter().all(|(_, v)| allowed(v))
            && (self.claim.linear || f.b.iter().all(Dyadic::is_zero))
            && (self.claim.intercept || f.c.is_zero())
            && (free == [true, true] || f.centre.iter().all(Dyadic::is_zero))
    }

    fn is_within(&self, f: &Function) -> bool {
        let [nuclear, linear, intercept] = &self.limits;
        nuclear.as_ref().is_none_or(|limit| self.size(f) <= *limit)
            && linear.as_ref().is_none_or(|limit| self.scaled_square(&f.b) <= limit.square())
            && intercept.as_ref().is_none_or(|limit| f.c.abs() <= *limit)
    }

    fn is_competitor(&self, f: &Function) -> bool {
        self.is_member(f) && self.is_within(f)
    }

    fn constant(&self) -> Vec<Dyadic> {
        vec![Dyadic::one(); self.y.len()]
    }

    fn affine(&self, intercept: bool, linear: bool) -> Vec<Vec<Dyadic>> {
        let constant = intercept.then(|| self.constant());
        let inputs = (0..self.d).filter(|_| linear).map(|j| self.x.iter().map(|x| x[j].clone()).collect());
        constant.into_iter().chain(inputs).collect()
    }

    fn solved(&self, columns: &[Vec<Dyadic>], q: &[Dyadic], y: &[Dyadic]) -> LeastSquares {
        least_squares(columns, q, &self.w, y)
    }

    /// 2Σw·P of the best combination of some functions.
    fn left_by(&self, columns: &[Vec<Dyadic>]) -> Quotient {
        self.solved(columns, &vec![Dyadic::zero(); columns.len()], &self.y).value
    }

    /// The optimum without a penalty and with any signs, unless limits of the class are in its way.
    fn by_least_squares(&self) -> Option<Quotient> {
        if self.claim.signs != Signs::Any || !self.tau.is_zero() {
            return None;
        }
        let unit = |a: usize, b: usize| -> Vec<Dyadic> {
            (0..self.d).map(|j| if j == a || j == b { Dyadic::one() } else { Dyadic::zero() }).collect()
        };
        let units: Vec<Vec<Dyadic>> =
            (0..self.d).flat_map(|b| (0..=b).map(move |a| (a, b))).map(|(a, b)| unit(a, b)).collect();
        let squares = units.iter().map(|u| self.x.iter().map(|x| dot(u.iter().zip(x)).square()).collect());
        let mut columns = self.affine(self.claim.intercept, self.claim.linear);
        let affine = columns.len();
        columns.extend(squares);
        let best = self.solved(&columns, &vec![Dyadic::zero(); columns.len()], &self.y);
        // Times the common factor.
        let mut f = Function::zero(self.d);
        let mut coefficients = best.coefficients[..affine].iter().cloned();
        if self.claim.intercept {
            f.c = coefficients.next()?;
        }
        if self.claim.linear {
            f.b = coefficients.collect();
        }
        f.units = units.into_iter().zip(best.coefficients[affine..].iter().cloned()).collect();
        self.is_within_times(&f, &best.common).then_some(best.value)
    }

    /// Whether a function whose coefficients are `common` times too large is within the limits.
    fn is_within_times(&self, f: &Function, common: &Dyadic) -> bool {
        let [nuclear, linear, intercept] = &self.limits;
        nuclear.as_ref().is_none_or(|limit| self.size(f) <= limit * common)
            && linear.as_ref().is_none_or(|limit| self.scaled_square(&f.b) <= (limit * common).square())
            && intercept.as_ref().is_none_or(|limit| f.c.abs() <= limit * common)
    }

    /// The optimum for one input: each of M, b, c is zero, at a limit, or free, and the columns of those that are free are independent.
    fn of_one_input(&self) -> Quotient {
        let (claim, e) = (self.claim, i64::from(self.claim.exponents[0]));
        let columns = [
            self.x.iter().map(|x| x[0].square()).collect(),
            self.x.iter().map(|x| x[0].clone()).collect(),
            self.constant(),
        ];
        let signs: &[i32] = match claim.signs {
            Signs::Any => &[1, -1],
            Signs::Positive => &[1],
            Signs::Negative => &[-1],
        };
        let allowed = [true, claim.linear, claim.intercept];
        let most: [Option<Dyadic>; 3] = [(0, -2 * e), (1, -e), (2, 0)]
            .map(|(at, h)| self.limits[at].as_ref().map(|limit| limit * &Dyadic::power(h)));
        // A value, or free with a sign (0 for both).
        let options: [Vec<(Option<Dyadic>, i32)>; 3] = [0, 1, 2].map(|at| {
            let mut options = vec![(Some(Dyadic::zero()), 0)];
            if allowed[at] {
                let signs = if at == 0 { signs } else { &[1, -1] };
                options
                    .extend(most[at].iter().flat_map(|most| signs.iter().map(move |s| (Some(signed(most, *s)), *s))));
                match at {
                    0 => options.extend(signs.iter().map(|s| (None, *s))),
                    _ => options.push((None, 0)),
                }
            }
            options
        });
        let four = &self.four[0];
        let mut best: Option<Quotient> = None;
        let [Ms, bs, cs] = &options;
        let all = Ms.iter().flat_map(|M| bs.iter().flat_map(move |b| cs.iter().map(move |c| [M, b, c])));
        for chosen in all {
            let mut y = self.y.clone();
            let (mut free, mut q) = (vec![], vec![]);
            let mut paid = Dyadic::zero();
            for (at, (value, sign)) in chosen.into_iter().enumerate() {
                let price = if at == 0 { &(&self.total * &self.tau) * four } else { Dyadic::zero() };
                match value {
                    Some(value) => {
                        y = y.iter().zip(&columns[at]).map(|(y, z)| y - &(value * z)).collect();
                        paid = &paid + &(&Dyadic::power(1) * &(&price * &value.abs()));
                    }
                    None => {
                        free.push(at);
                        q.push(signed(&price, *sign));
                    }
                }
            }
            let picked: Vec<Vec<Dyadic>> = free.iter().map(|at| columns[*at].clone()).collect();
            let found = self.solved(&picked, &q, &y);
            let is_feasible = free.iter().zip(&found.coefficients).all(|(&at, coefficient)| {
                let sign = chosen[at].1;
                let right_sign = sign == 0 || coefficient.sign() * sign >= 0;
                right_sign && most[at].as_ref().is_none_or(|most| coefficient.abs() <= most * &found.common)
            });
            let value = found.value.plus(&paid);
            if is_feasible && best.as_ref().is_none_or(|best| value < *best) {
                best = Some(value);
            }
        }
        best.unwrap_or_else(|| Quotient::whole(self.objective(&Function::zero(1))))
    }

    /// A competitor with the directions of a candidate: what is at its limit stays there, everything else is as good as it can be.
    fn polished(&self, candidate: &Function) -> Option<Quotient> {
        if !self.is_member(candidate) {
            return None;
        }
        let rows = self.centred(&candidate.centre);
        let near = |size: &Dyadic, limit: &Dyadic| &(&Dyadic::one() + &Dyadic::power(-30)) * size >= *limit;
        let [nuclear, linear, intercept] = &self.limits;
        let mut fixed = [
            nuclear.as_ref().is_some_and(|limit| near(&self.size(candidate), limit)),
            linear.as_ref().is_some_and(|limit| near(&self.scaled_square(&candidate.b), &limit.square())),
            intercept.as_ref().is_some_and(|limit| near(&candidate.c.abs(), limit)),
        ];
        let mut sign_of_c = candidate.c.sign();
        let squares: Vec<Vec<Dyadic>> = (candidate.units.iter())
            .map(|(w, _)| rows.iter().map(|x| dot(w.iter().zip(x)).square()).collect())
            .collect();
        let sizes: Vec<Dyadic> = candidate.units.iter().map(|(w, _)| self.scaled_square(w)).collect();
        let mut alive: Vec<usize> = (0..candidate.units.len()).filter(|l| !candidate.units[*l].1.is_zero()).collect();
        for _ in 0..candidate.units.len() + 4 {
            // Everything that is fixed, and the rest of the labels.
            let mut f = Function { units: vec![], ..Function::zero(self.d) };
            if fixed[0] {
                f.units = self.shrunk_units(candidate)?;
            }
            if fixed[1] {
                f.b = self.shrunk_linear(&candidate.b)?;
            }
            if let (true, Some(limit)) = (fixed[2], intercept) {
                f.c = signed(limit, sign_of_c);
            }
            let left = rows.iter().zip(&self.y).map(|(x, y)| {
                let affine = &dot(f.b.iter().zip(x)) + &f.c;
                f.units.iter().fold(y - &affine, |y, (w, v)| &y - &(v * &dot(w.iter().zip(x)).square()))
            });
            let left: Vec<Dyadic> = left.collect();
            let paid = self.doubled(&(&self.tau * &self.size(&f)));
            let mut columns = vec![];
            let free = [self.claim.linear && !fixed[1], self.claim.intercept && !fixed[2]];
            if free[1] {
                columns.push(self.constant());
            }
            columns.extend((0..self.d).filter(|_| free[0]).map(|j| rows.iter().map(|x| x[j].clone()).collect()));
            let affine = columns.len();
            let mut q = vec![Dyadic::zero(); affine];
            if !fixed[0] {
                for &l in &alive {
                    columns.push(squares[l].clone());
                    q.push(signed(&(&(&self.total * &self.tau) * &sizes[l]), candidate.units[l].1.sign()));
                }
            }
            let found = self.solved(&columns, &q, &left);
            let mut coefficients = found.coefficients.iter().cloned();
            let mut g = Function::zero(self.d);
            if free[1] {
                g.c = coefficients.next()?;
            }
            if free[0] {
                g.b = coefficients.by_ref().take(self.d).collect();
            }
            let units: Vec<Dyadic> = coefficients.collect();
            let before = alive.len();
            if !fixed[0] {
                let wrong: Vec<usize> = (alive.iter().zip(&units))
                    .filter(|(l, v)| v.sign() * candidate.units[**l].1.sign() < 0)
                    .map(|(l, _)| *l)
                    .collect();
                g.units = alive.iter().zip(units).map(|(&l, v)| (candidate.units[l].0.clone(), v)).collect();
                alive.retain(|l| !wrong.contains(l));
            }
            let beyond = [
                !fixed[0] && nuclear.as_ref().is_some_and(|limit| self.size(&g) > limit * &found.common),
                free[0]
                    && linear.as_ref().is_some_and(|limit| self.scaled_square(&g.b) > (limit * &found.common).square()),
                free[1] && intercept.as_ref().is_some_and(|limit| g.c.abs() > limit * &found.common),
            ];
            if alive.len() < before {
                continue;
            }
            if beyond == [false; 3] {
                return Some(found.value.plus(&paid));
            }
            if beyond[2] {
                sign_of_c = g.c.sign();
            }
            (0..3).for_each(|at| fixed[at] |= beyond[at]);
        }
        None
    }

    fn shrunk_units(&self, candidate: &Function) -> Option<Vec<(Vec<Dyadic>, Dyadic)>> {
        let limit = self.limits[0].as_ref()?;
        let size = self.size(candidate);
        let factor = factors().find(|factor| factor * &size <= *limit)?;
        Some(candidate.units.iter().map(|(w, v)| (w.clone(), v * &factor)).collect())
    }

    fn shrunk_linear(&self, b: &[Dyadic]) -> Option<Vec<Dyadic>> {
        let square = self.limits[1].as_ref()?.square();
        let size = self.scaled_square(b);
        let factor = factors().find(|factor| &factor.square() * &size <= square)?;
        Some(b.iter().map(|b| b * &factor).collect())
    }

    /// The columns of a span, in the coordinates of a proof.
    fn columns_of(&self, columns: &[Monomial], proof: &Proof) -> Vec<Vec<Dyadic>> {
        let rows = self.centred(&exactly(&proof.centre));
        let input = |x: &Vec<Dyadic>, j: usize| &x[j] * &Dyadic::power(i64::from(proof.shifts[j]));
        let value = |column: &Monomial, x: &Vec<Dyadic>| match *column {
            Monomial::One => Dyadic::one(),
            Monomial::Input(j) => input(x, j),
            Monomial::Product(a, b) => &input(x, a) * &input(x, b),
        };
        columns.iter().map(|column| rows.iter().map(|x| value(column, x)).collect()).collect()
    }

    /// Whether a number is at most the measure that the proof names, and whether x is at most t times that.
    fn measures(&self, proof: &Proof, objective: &Dyadic) -> Measure {
        let zero = self.objective(&Function { ..Function::zero(self.d) });
        match &proof.measure {
            MeasureProof::Objective {} => Measure::plain(Quotient::whole(objective.clone())),
            MeasureProof::Least {} => Measure::plain(Quotient::whole(self.doubled(&Dyadic::from(1e-290)))),
            MeasureProof::WithoutUnits { span } | MeasureProof::Interpolation { span } => {
                let named = self.left_by(&self.columns_of(&span.columns, proof));
                let needed = self.left_by(&self.affine(self.claim.intercept, self.claim.linear));
                Measure::plain(least([named, needed]).times(&Dyadic::from(affine_share(&proof.measure))))
            }
            MeasureProof::Rounding { span } | MeasureProof::LastDigits { span } => {
                let named = self.left_by(&self.columns_of(&span.columns, proof));
                let needed = self.left_by(&self.affine(self.claim.intercept, false));
                let share = least([named, needed]).times(&Dyadic::from(1e-10));
                let [largest, gap] = rounding_shares(&proof.measure).map(|share| &zero * &Dyadic::from(share));
                Measure { most: least([share, Quotient::whole(largest)]), times_tolerance: Some(gap) }
            }
        }
    }

    /// max(P, 10⁻¹⁰P₁, min(10⁻²⁴, 10⁻³⁰/t)P₀, 10⁻²⁹⁰), or with the measure's own shares, times t: what a gap that makes a claim fail
    /// exceeds.
    fn failing_gap(&self, objective: &Dyadic, proof: &Proof) -> Quotient {
        let t = Dyadic::from(self.claim.tolerance);
        let zero = self.objective(&Function::zero(self.d));
        let [largest, gap] = rounding_shares(&proof.measure).map(|share| &zero * &Dyadic::from(share));
        let rounding = [&largest * &t, gap];
        let rounding = if rounding[0] < rounding[1] { &rounding[0] } else { &rounding[1] };
        let without_units = self.left_by(&self.affine(self.claim.intercept, self.claim.linear));
        let all = [
            Quotient::whole(objective * &t),
            without_units.times(&(&Dyadic::from(affine_share(&proof.measure)) * &t)),
            Quotient::whole(rounding.clone()),
            Quotient::whole(&self.doubled(&Dyadic::from(1e-290)) * &t),
        ];
        all.into_iter().reduce(|a, b| if a < b { b } else { a }).unwrap_or_else(|| Quotient::whole(Dyadic::zero()))
    }
}

/// The share of P₁ that a measure may be.
fn affine_share(measure: &MeasureProof) -> f64 {
    if matches!(measure, MeasureProof::Interpolation { .. }) { 1e-7 } else { 1e-10 }
}

/// The shares of P₀ that a measure, and a gap, may be.
fn rounding_shares(measure: &MeasureProof) -> [f64; 2] {
    if matches!(measure, MeasureProof::LastDigits { .. }) { [1e-22, 1e-28] } else { [1e-24, 1e-30] }
}

/// The largest measure that a proof may name: `most`, and over t at most `times_tolerance`.
struct Measure {
    most: Quotient,
    times_tolerance: Option<Dyadic>,
}

impl Measure {
    fn plain(most: Quotient) -> Measure {
        Measure { most, times_tolerance: None }
    }

    /// Whether a number, times 2Σw, is at most the measure.
    fn is_at_least(&self, x: &Dyadic, t: &Dyadic) -> bool {
        Quotient::whole(x.clone()) <= self.most && self.times_tolerance.as_ref().is_none_or(|most| x * t <= *most)
    }

    /// Whether a gap is at most t times the measure.
    fn allows(&self, gap: &Quotient, t: &Dyadic) -> bool {
        *gap <= self.most.times(t)
            && self.times_tolerance.as_ref().is_none_or(|most| *gap <= Quotient::whole(most.clone()))
    }
}

fn least<const N: usize>(all: [Quotient; N]) -> Quotient {
    all.into_iter().reduce(|a, b| if b < a { b } else { a }).unwrap_or_else(|| Quotient::whole(Dyadic::zero()))
}

fn signed(x: &Dyadic, sign: i32) -> Dyadic {
    match sign {
        0 => Dyadic::zero(),
        1.. => x.clone(),
        _ => -x,
    }
}

/// 1, a little less, 0.
fn factors() -> impl Iterator<Item = Dyadic> {
    SHRINKING
        .into_iter()
        .map(|(power, is_one)| if is_one { Dyadic::one() } else { &Dyadic::one() - &Dyadic::power(power) })
}

/// Whether upper − bound ≤ upper·share.
fn is_close(bound: &Dyadic, upper: &Quotient, share: f64) -> bool {
    Quotient::whole(bound.clone()).minus(&upper.times(&(&Dyadic::one() - &Dyadic::from(share)))).num.sign() >= 0
}

/// Compare what the checker said with what is true.
pub fn judge(instance: &Instance, facts: OptimumFacts, verdict: Verdict, improvement: Option<&Network>) -> Finding {
    let problem = Problem::new(instance);
    let mut wrong = vec![];
    let mut demand = |what, is_right: bool| {
        if !is_right {
            wrong.push(what)
        }
    };
    let network = Function::of_network(&instance.network);
    let objective = problem.objective(&network);
    let bound = facts.lower_bound.unwrap_or(0.0);
    let doubled_bound = problem.doubled(&Dyadic::from(bound));
    if let Some(claimed) = facts.objective {
        demand("objective", problem.doubled(&Dyadic::from(claimed)) >= objective);
    }
    let mut known = vec![];
    if instance.is_known {
        let optimum = instance.candidates.first().and_then(Function::of_candidate).filter(|f| problem.is_competitor(f));
        demand("known optimum", optimum.is_some());
        known.extend(optimum.map(|f| Quotient::whole(problem.objective(&f))));
    } else if problem.d == 1 {
        known.push(problem.of_one_input());
    } else {
        known.extend(problem.by_least_squares());
    }
    let is_known = !known.is_empty();
    if !is_known {
        let candidates = instance.candidates.iter().filter_map(Function::of_candidate);
        known.extend(candidates.filter_map(|f| problem.polished(&f)));
    }
    let improvement = improvement.map(Function::of_network);
    let others = [Function::zero(problem.d), network.clone()].into_iter().chain(improvement.clone());
    known.extend(others.filter(|f| problem.is_competitor(f)).map(|f| Quotient::whole(problem.objective(&f))));
    let upper = known.into_iter().reduce(|a, b| if b < a { b } else { a });
    let upper = upper.unwrap_or_else(|| Quotient::whole(problem.objective(&Function::zero(problem.d))));
    demand("lower_bound", Quotient::whole(doubled_bound.clone()) <= upper);
    let is_tight = [1e-6, 1e-12].map(|share| is_close(&doubled_bound, &upper, share));
    let grade = match () {
        () if upper.num.is_zero() => Grade::Zero,
        () if bound <= 0.0 => Grade::Unjudged,
        () if is_known => Grade::Exact,
        () if is_tight[0] => Grade::Sharp,
        () => Grade::Weak,
    };
    let t = Dyadic::from(instance.claim.tolerance);
    if facts.measure.is_some() || verdict == Verdict::Holds {
        let measure = problem.measures(&instance.proof, &objective);
        if let Some(claimed) = facts.measure {
            demand("measure", claimed > 0.0 && measure.is_at_least(&problem.doubled(&Dyadic::from(claimed)), &t));
        }
        if verdict == Verdict::Holds {
            let gap = Quotient::whole(objective.clone()).minus(&upper);
            demand("holds", problem.is_member(&network) && measure.allows(&gap, &t));
        }
    }
    if let (Some(gap), Some(objective), Some(measure)) = (facts.relative_gap, facts.objective, facts.measure) {
        let difference = &Dyadic::from(objective) - &Dyadic::from(bound);
        demand("relative_gap", &Dyadic::from(gap) * &Dyadic::from(measure) >= difference);
    }
    if verdict == Verdict::Fails && problem.is_member(&network) {
        let better = improvement.filter(|f| problem.is_competitor(f));
        let is_better = better.is_some_and(|f| {
            let gap = Quotient::whole(&objective - &problem.objective(&f));
            gap > problem.failing_gap(&objective, &instance.proof)
        });
        demand("fails", is_better);
    }
    Finding { grade, is_tight, wrong }
}
