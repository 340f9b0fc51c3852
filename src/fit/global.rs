//! The global fit of a quadratic network.
//!
//! Inputs and target are divided by powers of two near their standard deviations, which is exact, so that the
//! program on the scaled table is the program on the raw one with τΣ|v_j|‖S w_j‖² as penalty. The solution M of the
//! convex program is factored into as many units as its rank; where fewer are asked for, they are trained from
//! several starts, and the convex program's optimum remains a bound on what any width can reach.

use std::borrow::Cow;

use super::folds::Folds;
use super::request::{Common, Local, Quadratic};
use super::{Fit, Global, Training, is_too_wide, local, path, too_wide};
use crate::activation::Activation;
use crate::convex::{self, Cone, Limits, Program, Solution, SolverState};
use crate::data::Data;
use crate::data::scaling;
use crate::error::Result;
use crate::linalg::{self, Matrix};
use crate::network::{Layers, Network, QuadraticForm, Signs};
use crate::optimise::{Monitor, Newton, Stop, lbfgs, newton};
use crate::random::{Purpose, Stream};
use crate::risk::{Decay, EmpiricalRisk, Objective};
use crate::watch::Watch;

/// Random starts of a network narrower than the solution, besides the truncated solution.
const STARTS: u64 = 4;

/// A solver that is stopped beyond this relative gap has nothing to certify.
const CERTIFIABLE_GAP: f64 = 1e-7;
/// The fit holds about this many matrices of the size of M.
const COPIES: usize = 10;

/// Fit to the global optimum. With so many inputs that M (d×d) does not fit, the network is trained like any other.
pub(super) fn fit(data: &Data, request: &Quadratic, watch: Watch<'_>) -> Result<Fit> {
    if is_too_wide(COPIES * data.d(), data.d()) {
        let Quadratic { common, width, decay, .. } = *request;
        return local::fit(data, &Local { common, width, decay, ..Local::new(Activation::SQUARE) }, watch);
    }
    let width = request.width.unwrap_or(0);
    if is_too_wide(width, data.d()) {
        return Err(too_wide(width, data.d()));
    }
    let folds = Folds::deal(data, path::FOLDS, request.common.seed);
    let watches = Watches { choosing: watch, solving: watch };
    let Fitted { network, global, objective, decay, is_complete, .. } =
        train_across(data, &folds, (request, GivenDecay::Taken), watches)?;
    let (network, training) = (network.into(), Training::Global(Box::new(global)));
    Ok(Fit { network, training, objective, decay, tried: vec![], calibration: None, partial: !is_complete })
}

/// A fit to the global optimum.
pub(super) struct Fitted {
    /// For raw inputs.
    pub network: Network,
    pub global: Global,
    pub objective: f64,
    pub decay: f64,
    /// f(x) − y on rows whose fold was left out, in the units of the target; none for a given decay.
    pub residuals: Vec<f64>,
    /// Whether the solver came to its end.
    pub is_complete: bool,
    /// Whether the program is solved after one pass over the data.
    pub is_quick: bool,
}

/// Who watches, and when to end at the latest.
#[derive(Clone, Copy)]
pub(super) struct Watches<'a> {
    /// The choice of the decay.
    pub choosing: Watch<'a>,
    /// The solution at the chosen decay; a program that is quickly solved is always solved to the end.
    pub solving: Watch<'a>,
}

/// What becomes of a decay that is given.
#[derive(Clone, Copy)]
pub(super) enum GivenDecay<'a> {
    /// Nothing is left out.
    Taken,
    /// Nothing is left out, and the solution is near this one, for raw inputs.
    TakenNear(&'a QuadraticForm),
    /// Residuals of rows left out are wanted at this decay too.
    Compared,
}

/// The same with given folds.
pub(super) fn train_across(
    data: &Data,
    folds: &Folds,
    (request, comparison): (&Quadratic, GivenDecay<'_>),
    watches: Watches<'_>,
) -> Result<Fitted> {
    let Common { linear, intercept, .. } = request.common;
    let scale = PowerScale::of(data, &request.common);
    let table = scale.scaled(data, request.signs)?;
    let cone = if request.signs == Signs::Any { Cone::Symmetric } else { Cone::Positive };
    let template = Program { data: &table, cone, decay: 0.0, linear, intercept };
    let path::DecayPath { decay, errors, residuals, forms } =
        decay_path(&template, folds, (request, comparison), watches.choosing)?;
    let program = Program { decay, ..template };
    let is_quick = convex::is_quick(&program);
    let watch = if is_quick { watches.solving.patiently() } else { watches.solving };
    let near = match comparison {
        GivenDecay::TakenNear(form) => Some(scale.scaled_form(form, request.signs)),
        GivenDecay::Taken | GivenDecay::Compared => mean(&forms),
    };
    let (solution, is_complete) = solved(&program, near, watch)?;
    let network = match request.width {
        Some(width) => with_width(&program, &solution, width, (request.common.seed, watch))?,
        None => solution.form.network()?,
    };
    let objective = objective_of(&program, &network)?;
    let global = Global {
        signs: request.signs,
        raw_decay: decay * power(scale.target),
        linear,
        intercept,
        exponents: scale.inputs.clone(),
        solution: scale.raw_form(&solution.form, request.signs),
        solver: solution.solver,
        state: solution.state,
        path: errors,
    };
    let network = scale.raw_network(network, request.signs);
    network.check()?;
    let unit = sign_of(request.signs) * power(scale.target);
    let residuals = residuals.into_iter().map(|r| r * unit).collect();
    Ok(Fitted { network, global, objective, decay, residuals, is_complete, is_quick })
}

/// The solution of a program, and whether the solver came to its end; where it did not, the better of what it has and
/// what it was to be near, as the mean of the solutions of the folds.
fn solved(program: &Program<'_>, near: Option<QuadraticForm>, watch: Watch<'_>) -> Result<(Solution, bool)> {
    let limits = Limits::default();
    let solution = match &near {
        Some(near) => convex::solve_near(program, &near.M, &limits, watch)?,
        None => convex::solve(program, &limits, watch)?,
    };
    let is_complete = !watch.is_over() || solution.state.relative_gap() <= CERTIFIABLE_GAP;
    Ok((if is_complete { solution } else { better_of(solution, near, program)? }, is_complete))
}

/// The decay that is given or chosen, and what was found on the way to it.
fn decay_path(
    template: &Program<'_>,
    folds: &Folds,
    (request, comparison): (&Quadratic, GivenDecay<'_>),
    watch: Watch<'_>,
) -> Result<path::DecayPath> {
    match (request.decay, comparison) {
        (Some(decay), GivenDecay::Taken | GivenDecay::TakenNear(_)) => {
            Ok(path::DecayPath { decay, ..Default::default() })
        }
        (Some(decay), GivenDecay::Compared) => {
            let residuals = path::residuals_at(decay, template, folds, watch)?;
            Ok(path::DecayPath { decay, residuals, ..Default::default() })
        }
        (None, _) => {
            let is_candidate = matches!(comparison, GivenDecay::Compared);
            let rule = path::DecayRule { one_standard_error: request.one_standard_error, is_candidate };
            path::decay(template, folds, rule, watch)
        }
    }
}

/// The mean of the solutions of the folds, which is a quadratic function again.
fn mean(forms: &[QuadraticForm]) -> Option<QuadraticForm> {
    let share = 1.0 / forms.len() as f64;
    let mut sum = forms.first()?.clone();
    for form in &forms[1..] {
        linalg::add_scaled(sum.M.as_mut_slice(), 1.0, form.M.as_slice());
        sum.linear.iter_mut().flatten().zip(form.linear.iter().flatten()).for_each(|(sum, b)| *sum += b);
        sum.intercept = sum.intercept.zip(form.intercept).map(|(sum, c)| sum + c);
    }
    sum.M.as_mut_slice().iter_mut().for_each(|entry| *entry *= share);
    sum.linear.iter_mut().flatten().for_each(|b| *b *= share);
    sum.intercept = sum.intercept.map(|c| c * share);
    Some(sum)
}

/// A solver that was cut short may be further from the optimum than what the folds have found.
fn better_of(solution: Solution, other: Option<QuadraticForm>, program: &Program<'_>) -> Result<Solution> {
    let Some(form) = other else { return Ok(solution) };
    let objective = objective_of(program, &form.network()?)?;
    if !(objective < solution.state.objective) {
        return Ok(solution);
    }
    Ok(Solution { form, state: SolverState { objective, ..solution.state }, ..solution })
}

/// Exponents of powers of two near the sizes of inputs and target.
struct PowerScale {
    inputs: Vec<i32>,
    target: i32,
    /// Inputs that do not vary, where the affine part makes them superfluous: they get no weight.
    constant: Vec<bool>,
}

impl PowerScale {
    fn of(data: &Data, common: &Common) -> Self {
        let centred = common.linear && common.intercept;
        let omega = data.omega();
        let columns = scaling::locations_and_scales(data.X.as_slice(), data.d(), &omega, centred);
        let sizes: Vec<f64> = columns.iter().map(|(_, size)| *size).collect();
        let exponent = |size: f64| {
            let usable = common.scaling && size.is_finite();
            if usable { (size.log2().round() as i32).clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT) } else { 0 }
        };
        PowerScale {
            inputs: sizes.iter().copied().map(exponent).collect(),
            target: exponent(scaling::location_and_scale(&data.y, &omega, common.intercept).1),
            constant: sizes.iter().map(|size| size.is_infinite()).collect(),
        }
    }

    /// 2^{−e}, or 0 for an input that gets no weight.
    fn factors(&self) -> Vec<f64> {
        self.inputs.iter().zip(&self.constant).map(|(e, constant)| if *constant { 0.0 } else { power(-e) }).collect()
    }

    /// The table in these units; with a negated target where output weights must not be positive. A table that already is
    /// in these units is not copied.
    fn scaled<'a>(&self, data: &'a Data, signs: Signs) -> Result<Cow<'a, Data>> {
        let factors = self.factors();
        if factors.iter().all(|factor| *factor == 1.0) && self.target == 0 && signs != Signs::Negative {
            return Ok(Cow::Borrowed(data));
        }
        let X = Matrix::from_row_fn(data.n(), data.d(), |i, out| {
            let entries = data.X.row(i).iter().zip(&factors);
            out.iter_mut().zip(entries).for_each(|(out, (x, factor))| *out = x * factor);
        });
        let target = sign_of(signs) * power(-self.target);
        let y = data.y.iter().map(|y| y * target).collect();
        Data::builder(X, y)
            .names(data.names.clone())
            .target(data.target.clone())
            .weights(data.weights.clone())
            .dependence(data.dependence.clone())
            .build()
            .map(Cow::Owned)
    }

    fn raw_network(&self, mut network: Network, signs: Signs) -> Network {
        let (target, factors) = (sign_of(signs) * power(self.target), self.factors());
        for j in 0..network.width() {
            network.W.row_mut(j).iter_mut().zip(&factors).for_each(|(w, factor)| *w *= factor);
        }
        network.v.iter_mut().for_each(|v| *v *= target);
        let linear = network.linear.iter_mut().flatten().zip(&factors);
        linear.for_each(|(b, factor)| *b *= target * factor);
        network.intercept = network.intercept.map(|c| c * target);
        network
    }

    fn raw_form(&self, form: &QuadraticForm, signs: Signs) -> QuadraticForm {
        form_in_units(form, sign_of(signs) * power(self.target), &self.factors())
    }

    /// The inverse.
    fn scaled_form(&self, form: &QuadraticForm, signs: Signs) -> QuadraticForm {
        let units: Vec<f64> = self.inputs.iter().map(|e| power(*e)).collect();
        form_in_units(form, sign_of(signs) * power(-self.target), &units)
    }
}

/// target·f(Diag(factors) x) for the f of a form.
fn form_in_units(form: &QuadraticForm, target: f64, factors: &[f64]) -> QuadraticForm {
    let d = form.M.rows();
    let linear = |b: &Vec<f64>| b.iter().zip(factors).map(|(b, factor)| b * target * factor).collect();
    QuadraticForm {
        M: Matrix::from_fn(d, d, |i, j| form.M[(i, j)] * target * factors[i] * factors[j]),
        linear: form.linear.as_ref().map(linear),
        intercept: form.intercept.map(|c| c * target),
    }
}

/// Beyond, products of four scaled inputs would leave the range of doubles anyway.
const LARGEST_EXPONENT: i32 = 250;

fn power(exponent: i32) -> f64 {
    f64::from(exponent).exp2()
}

fn sign_of(signs: Signs) -> f64 {
    if signs == Signs::Negative { -1.0 } else { 1.0 }
}

fn objective_of(program: &Program<'_>, network: &Network) -> Result<f64> {
    let risk = EmpiricalRisk::new(program.data, network, LAYERS, decay_of(program))?;
    Ok(risk.value(&network.parameters(LAYERS)).objective)
}

const LAYERS: Layers = Layers::HiddenAndAffine;

fn decay_of(program: &Program<'_>) -> Decay {
    if program.decay == 0.0 { Decay::None } else { Decay::Path(program.decay) }
}

/// The solution with exactly this many units: padded with units of weight zero, or trained from several starts.
fn with_width(
    program: &Program<'_>,
    solution: &Solution,
    width: usize,
    (seed, watch): (u64, Watch<'_>),
) -> Result<Network> {
    let full = solution.form.network()?;
    let d = full.inputs();
    let rank = full.width();
    let sign = |j: usize| if program.cone == Cone::Symmetric && j % 2 == 1 { -1.0 } else { 1.0 };
    if rank <= width {
        let mut wide = full;
        let W = Matrix::from_fn(width, d, |j, a| if j < rank { wide.W[(j, a)] } else { 0.0 });
        wide.v.extend((rank..width).map(sign));
        return Ok(Network { W, ..wide });
    }
    let mut starts = vec![];
    let kept: Vec<usize> = (0..width).collect();
    starts.push(Network { W: full.W.select_rows(&kept), v: full.v[..width].to_vec(), ..full.clone() });
    let size = full.W.as_slice().iter().map(|w| w * w).sum::<f64>() / (rank * d) as f64;
    for start in 0..STARTS {
        let mut stream = Stream::new(seed, Purpose::Start, start);
        let W = Matrix::from_fn(width, d, |_, _| size.sqrt() * stream.normal());
        let v = (0..width).map(|j| if start % 2 == 0 { full.v[j] } else { sign(j) }).collect();
        starts.push(Network { W, v, ..full.clone() });
    }
    let mut best = trained_narrow(program, &starts[0], (seed, watch))?;
    for start in &starts[1..] {
        let (objective, network) = trained_narrow(program, start, (seed, watch))?;
        if objective < best.0 {
            best = (objective, network);
        }
    }
    Ok(best.1)
}

fn trained_narrow(program: &Program<'_>, start: &Network, (seed, watch): (u64, Watch<'_>)) -> Result<(f64, Network)> {
    let risk = EmpiricalRisk::new(program.data, start, LAYERS, decay_of(program))?;
    let stop = Stop { gradient: 1e-9, iterations: 500, ..Stop::default() };
    // The limit of time is for the solver; what it has found is made narrower in any case.
    let monitor = |stop| Monitor::new(stop).watched(watch.patiently().quietly());
    let theta = lbfgs(&risk, start.parameters(LAYERS), &Default::default(), &mut monitor(stop));
    let stop = Stop { iterations: 50, ..stop };
    let theta = newton(&risk, theta, &Newton { seed, ..Newton::default() }, &mut monitor(stop));
    Ok((risk.value(&theta).objective, risk.network_at(&theta)))
}
