//! The global fit of a quadratic network.
//!
//! Inputs and target are divided by powers of two near their standard deviations, which is exact, so that the
//! program on the scaled table is the program on the raw one with τΣ|v_j|‖S w_j‖² as penalty. The solution M of the
//! convex program is factored into as many units as its rank; where fewer are asked for, they are trained from
//! several starts, and the convex program's optimum remains a bound on what any width can reach.

use std::borrow::Cow;

use super::folds::Folds;
use super::train::Trained;
use super::{Global, Options, Progress, Training, path};
use crate::convex::{self, Cone, Limits, Program, Solution, State};
use crate::data::Data;
use crate::data::scaling;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::network::{Layers, Network, Quadratic, Signs};
use crate::optimise::{Monitor, Newton, Stop, lbfgs, newton};
use crate::random::{Purpose, Stream};
use crate::risk::{Decay, EmpiricalRisk, Objective};

/// Random starts of a network narrower than the solution, besides the truncated solution.
const STARTS: u64 = 4;

/// Fit to the global optimum.
pub(super) fn train(data: &Data, options: &Options<'_>, progress: &(dyn Fn(Progress<'_>) + Sync)) -> Result<Trained> {
    let folds = Folds::deal(data.n(), path::FOLDS, options.seed);
    let Fitted { network, global, objective, decay, .. } = train_across(data, &folds, options, progress)?;
    Ok(Trained { network, training: Training::Global(Box::new(global)), objective, decay })
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
}

/// The same with given folds.
pub(super) fn train_across(
    data: &Data,
    folds: &Folds,
    options: &Options<'_>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Fitted> {
    let scale = Scale::of(data, options);
    let table = scale.scaled(data, options.signs)?;
    let template = Program {
        data: &table,
        cone: if options.signs == Signs::Any { Cone::Symmetric } else { Cone::Positive },
        decay: 0.0,
        linear: options.linear,
        intercept: options.intercept,
    };
    let path::Path { decay, errors, residuals } = match options.decay {
        Some(decay) => path::Path { decay, errors: vec![], residuals: vec![] },
        None => path::decay(&template, folds, options, progress)?,
    };
    let program = Program { decay, ..template };
    let limits = Limits { interrupted: options.interrupted, deadline: options.deadline, ..Limits::default() };
    let solution = convex::solve(&program, &limits, &mut |state: &State| progress(Progress::Solving { state }))?;
    let network = match options.width {
        Some(width) => with_width(&program, &solution, width, options)?,
        None => solution.form.network()?,
    };
    let objective = objective_of(&program, &network)?;
    let global = Global {
        signs: options.signs,
        raw_decay: decay * power(scale.target),
        linear: options.linear,
        intercept: options.intercept,
        exponents: scale.inputs.clone(),
        solution: scale.raw_form(&solution.form, options.signs),
        solver: solution.solver,
        state: solution.state,
        path: errors,
    };
    let network = scale.raw_network(network, options.signs);
    network.check()?;
    let unit = sign_of(options.signs) * power(scale.target);
    let residuals = residuals.into_iter().map(|r| r * unit).collect();
    Ok(Fitted { network, global, objective, decay, residuals })
}

/// Exponents of powers of two near the sizes of inputs and target.
struct Scale {
    inputs: Vec<i32>,
    target: i32,
    /// Inputs that do not vary, where the affine part makes them superfluous: they get no weight.
    constant: Vec<bool>,
}

impl Scale {
    fn of(data: &Data, options: &Options<'_>) -> Self {
        let centred = options.linear && options.intercept;
        let omega = data.omega();
        let columns = scaling::locations_and_scales(data.X.as_slice(), data.d(), &omega, centred);
        let sizes: Vec<f64> = columns.iter().map(|(_, size)| *size).collect();
        let exponent = |size: f64| {
            let usable = options.scaling && size.is_finite();
            if usable { (size.log2().round() as i32).clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT) } else { 0 }
        };
        Scale {
            inputs: sizes.iter().copied().map(exponent).collect(),
            target: exponent(scaling::location_and_scale(&data.y, &omega, options.intercept).1),
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

    fn raw_form(&self, form: &Quadratic, signs: Signs) -> Quadratic {
        let (target, factors) = (sign_of(signs) * power(self.target), self.factors());
        let d = form.M.rows();
        let linear = |b: &Vec<f64>| b.iter().zip(&factors).map(|(b, factor)| b * target * factor).collect();
        Quadratic {
            M: Matrix::from_fn(d, d, |i, j| form.M[(i, j)] * target * factors[i] * factors[j]),
            linear: form.linear.as_ref().map(linear),
            intercept: form.intercept.map(|c| c * target),
        }
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
fn with_width(program: &Program<'_>, solution: &Solution, width: usize, options: &Options<'_>) -> Result<Network> {
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
        let mut stream = Stream::new(options.seed, Purpose::Start, start);
        let W = Matrix::from_fn(width, d, |_, _| size.sqrt() * stream.normal());
        let v = (0..width).map(|j| if start % 2 == 0 { full.v[j] } else { sign(j) }).collect();
        starts.push(Network { W, v, ..full.clone() });
    }
    let mut best = trained_narrow(program, &starts[0], options)?;
    for start in &starts[1..] {
        let (objective, network) = trained_narrow(program, start, options)?;
        if objective < best.0 {
            best = (objective, network);
        }
    }
    Ok(best.1)
}

fn trained_narrow(program: &Program<'_>, start: &Network, options: &Options<'_>) -> Result<(f64, Network)> {
    let risk = EmpiricalRisk::new(program.data, start, LAYERS, decay_of(program))?;
    let stop = Stop { gradient: 1e-9, iterations: 500, interrupted: options.interrupted, ..Stop::default() };
    let theta = lbfgs(&risk, start.parameters(LAYERS), &Default::default(), &mut Monitor::new(stop));
    let stop = Stop { iterations: 50, ..stop };
    let theta = newton(&risk, theta, &Newton { seed: options.seed, ..Newton::default() }, &mut Monitor::new(stop));
    Ok((risk.value(&theta).objective, risk.network_at(&theta)))
}
