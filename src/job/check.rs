//! What theory promises for a table before any training.

use serde_json::{Value, json};

use crate::activation::{Activation, Kinked, Smooth};
use crate::certificate::descent::frame::{RADIUS, RowScaling};
use crate::certificate::descent::plan::{PlannedStart, PreparedRows};
use crate::certificate::descent::{DescentPlan, Start};
use crate::certificate::{
    Judgement, Promises, Rival, Search, Signs, Span, Verdict, determined, find_scale, find_width, promises, rival,
    separated_data,
};
use crate::data::{Data, Distinct};
use crate::error::{Error, Parameter, RequestProblem, Requirement, Result};
use crate::spectrum;

/// Rows up to which σ_min(X∗X) is worth its time.
const MOST_ROWS: usize = 2000;

/// What is asked. The network is f(x) = Σ v_l φ(w_l·x) with ±scale as output weights.
#[derive(Clone, Debug)]
pub struct Question {
    /// φ.
    pub activation: Activation,
    /// What is done to the rows; by their norms when `None`.
    pub rows: Option<RowScaling>,
    /// The norm of the longest row when they are scaled.
    pub radius: f64,
    /// k; four times as many hidden weights as rows when `None`.
    pub width: Option<usize>,
    /// The size of the output weights; the published one when `None`.
    pub scale: Option<f64>,
    /// How the start is drawn.
    pub start: Start,
    /// Of the start.
    pub seed: u64,
    /// What is looked for.
    pub sought: Sought,
    /// The plan trains both layers instead of the hidden one.
    pub both_layers: bool,
    /// The plan is done when ‖r‖ has fallen to this share.
    pub tolerance: f64,
    /// Quadratic networks have an intercept and a linear part.
    pub affine: bool,
    /// Where the rows do not determine a quadratic network, show two.
    pub rival: bool,
    /// The theorems that are asked for; convergence of the training of the plan when empty.
    pub theorems: Vec<String>,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sought {
    /// Nothing: width and scale are what they are.
    #[default]
    Nothing,
    /// The smallest width with a proof.
    Width,
    /// The smallest output scale with a proof.
    Scale,
}

/// What was looked for, and what was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Searched {
    /// Nothing was.
    Nothing,
    /// A width.
    Width(Option<usize>),
    /// An output scale.
    Scale(Option<f64>),
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// A width was tried.
    Tried {
        /// k.
        width: usize,
        /// Whether it has a proof.
        holds: bool,
    },
    /// Looking for the smallest scale.
    Scale,
    /// Judging the start.
    Start,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    /// What was asked.
    pub question: &'a Question,
    /// The samples as they were given.
    pub data: &'a Data,
    /// The rows in form.
    pub prepared: PreparedRows,
    /// Of the network that was judged.
    pub width: usize,
    /// Of the network that was judged.
    pub scale: f64,
    /// What was looked for.
    pub searched: Searched,
    /// What is proved, refuted or left open.
    pub certificates: Vec<Judgement>,
    /// A start and a step with a proof.
    pub plan: Option<DescentPlan>,
    /// What the rows determine of a quadratic network.
    pub span: Option<Span>,
    /// Two networks that agree on every row.
    pub rival: Option<Rival>,
}

impl Default for Question {
    fn default() -> Self {
        Question {
            activation: Activation::Smooth(Smooth::Softplus { sharpness: 1.0 }),
            rows: None,
            radius: RADIUS,
            width: None,
            scale: None,
            start: Start::Antisymmetric,
            seed: 0,
            sought: Sought::Nothing,
            both_layers: false,
            tolerance: 1e-6,
            affine: false,
            rival: false,
            theorems: vec![],
        }
    }
}

impl Question {
    /// What can be seen without looking at the samples.
    pub fn check(&self) -> Result<()> {
        if !(self.radius > 0.0 && self.radius.is_finite()) {
            return Err(Error::parameter(Parameter::Radius, Requirement::Positive, self.radius));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(Error::parameter(Parameter::Tolerance, Requirement::Between(0.0, 1.0), self.tolerance));
        }
        let activation = || self.activation.to_string();
        let problem = if self.rival && !self.is_quadratic() {
            RequestProblem::Rival { activation: activation() }
        } else if self.both_layers && matches!(self.activation, Activation::Kinked(_)) {
            RequestProblem::BothLayers { activation: activation() }
        } else if self.sought == Sought::Scale && self.start == Start::Random {
            RequestProblem::ScaleOfRandomStart
        } else if self.sought != Sought::Nothing && self.scale.is_some()
            || self.sought == Sought::Width && self.width.is_some()
        {
            RequestProblem::SearchTwice
        } else {
            return Ok(());
        };
        Err(Error::Request(problem))
    }

    /// αz², the activation that `determined` speaks about.
    fn is_quadratic(&self) -> bool {
        matches!(self.activation, Activation::Smooth(Smooth::Quadratic { alpha, beta: 0.0, gamma: 0.0 }) if alpha != 0.0)
    }

    /// Theorems that were asked for and do not speak about this activation.
    fn check_theorems(&self, certificates: &[Judgement]) -> Result<()> {
        let unknown =
            self.theorems.iter().find(|id| certificates.iter().all(|found| found.theorem.id() != id.as_str()));
        let Some(id) = unknown else { return Ok(()) };
        let known = certificates.iter().map(|found| found.theorem.id()).collect();
        let (theorem, activation) = (id.clone(), self.activation.to_string());
        Err(Error::Request(RequestProblem::Theorem { theorem, activation, known }))
    }

    /// The answer. `watch` hears how far it has come, and returns false to end early: a search with what it has found, and
    /// the judging of the start with no judgement.
    pub fn answer<'a>(&'a self, data: &'a Data, watch: &dyn Fn(Stage) -> bool) -> Result<Answer<'a>> {
        self.check()?;
        data.check_fittable()?;
        let rows = self.rows.unwrap_or_else(|| RowScaling::automatic(&data.X));
        let prepared = PreparedRows::new(data, rows, self.radius, &self.activation)?;
        let distinct = &prepared.distinct.data;
        let search = Search { activation: &self.activation, data: distinct, start: self.start, seed: self.seed };
        let usual = 2 * (2 * distinct.n()).div_ceil(distinct.d()).max(2);
        let searched = self.searched(&search, usual, watch)?;
        let width = match searched {
            Searched::Width(Some(width)) => width,
            _ => self.width.unwrap_or(usual),
        };
        let scale = match searched {
            Searched::Scale(Some(scale)) => 2.0 * scale,
            _ => self.scale.unwrap_or_else(|| search.published_scale(width)),
        };
        let network = search.network(width, scale)?;
        let mut answer = Answer {
            question: self,
            data,
            width,
            scale,
            searched,
            certificates: vec![],
            plan: None,
            span: None,
            rival: None,
            prepared: prepared.clone(),
        };
        if !watch(Stage::Start) {
            return Ok(answer);
        }
        let Promises { judgements: certificates, hidden, both } = promises(&network, distinct)?;
        answer.certificates = certificates;
        if self.activation == Activation::Kinked(Kinked::Relu) {
            answer.certificates.push(separated_data(distinct)?);
        }
        if self.is_quadratic() {
            let (certificate, span) = determined(data, self.affine)?;
            answer.rival = if self.rival { rival(data, &span, None, Signs::Any)? } else { None };
            answer.certificates.push(certificate);
            answer.span = Some(span);
        }
        self.check_theorems(&answer.certificates)?;
        let proven = if self.both_layers { both } else { hidden };
        let about = |theorem| PlannedStart {
            theorem,
            data: &prepared.hash,
            rows,
            radius: self.radius,
            activation: &self.activation,
            width,
            start: self.start,
            scale,
            seed: self.seed,
            both_layers: self.both_layers,
        };
        answer.plan = proven
            .map(|(theorem, proven)| DescentPlan::new(about(theorem), proven, prepared.samples as f64, self.tolerance));
        Ok(answer)
    }

    fn searched(&self, search: &Search<'_>, usual: usize, watch: &dyn Fn(Stage) -> bool) -> Result<Searched> {
        match self.sought {
            Sought::Nothing => Ok(Searched::Nothing),
            Sought::Width => {
                find_width(search, &|width, holds| watch(Stage::Tried { width, holds })).map(Searched::Width)
            }
            Sought::Scale if watch(Stage::Scale) => {
                find_scale(search, self.width.unwrap_or(usual)).map(Searched::Scale)
            }
            Sought::Scale => Ok(Searched::Scale(None)),
        }
    }
}

impl Answer<'_> {
    /// Whether what was asked for is proved.
    pub fn is_proved(&self) -> bool {
        let holds = |id: &str| {
            self.certificates.iter().any(|found| found.theorem.id() == id && found.verdict() == Verdict::Holds)
        };
        if !self.question.theorems.is_empty() {
            return self.question.theorems.iter().all(|id| holds(id));
        }
        let found = !matches!(self.searched, Searched::Width(None) | Searched::Scale(None));
        found && (self.plan.is_some() || holds("determined"))
    }

    /// σ_min(X∗X) of the distinct rows, where it is quickly found.
    pub fn khatri_rao(&self) -> Option<f64> {
        let rows = &self.prepared.distinct.data.X;
        match (rows.rows(), rows.cols()) {
            (n, d) if n > d * (d + 1) / 2 => Some(0.0),
            (n, _) if n > MOST_ROWS => None,
            _ => spectrum::khatri_rao_smallest(rows, 2),
        }
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let Answer { question, data, prepared, .. } = self;
        let Distinct { repeated, conflicts, within, firsts, data: distinct } = &prepared.distinct;
        let inputs = spectrum::inputs(&data.X);
        let nearest = spectrum::separation(&distinct.X);
        let width = if let Searched::Width(found) = self.searched { found } else { Some(self.width) };
        let scale = if let Searched::Scale(found) = self.searched { found } else { Some(self.scale) };
        json!({
            "data": { "rows": data.n(), "inputs": data.d(), "target": data.target, "hash": prepared.hash },
            "rows": { "kind": prepared.frame.rows(), "words": prepared.frame.words(), "distinct": distinct.n() },
            "repeats": { "groups": repeated, "conflicts": conflicts, "sum_of_squares_within": within },
            "spectrum": {
                "singular_values": inputs.as_ref().map(|inputs| &inputs.singular_values),
                "rank": inputs.as_ref().map(|inputs| inputs.rank),
                "dependencies": inputs.as_ref().map(|inputs| &inputs.dependencies),
                "khatri_rao": self.khatri_rao(),
                "average_slope": spectrum::average_slope(&question.activation, 1.0),
                "average_curvature": spectrum::average_curvature(&question.activation, 1.0),
                "separation": nearest.as_ref().map(|nearest| nearest.distance),
                "nearest": nearest.as_ref().map(|nearest| [firsts[nearest.pair.0], firsts[nearest.pair.1]]),
            },
            "activation": question.activation.to_string(),
            "width": width,
            "scale": scale,
            "judged": { "width": self.width, "scale": self.scale },
            "certificates": self.certificates.iter().map(Judgement::document).collect::<Vec<_>>(),
            "determined": self.span.as_ref().map(|span| json!({
                "dimension": span.dimension, "needed": span.needed, "missing": span.missing,
                "open": span.open.iter().map(|direction| &direction.form).collect::<Vec<_>>(),
            })),
            "rival": self.rival.as_ref().map(|rival| json!({
                "point": rival.point, "difference": rival.difference, "on_rows": rival.on_rows, "risk": rival.risk,
            })),
            "plan": self.plan,
            "proved": self.is_proved(),
            "seed": question.seed,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}
