//! `explain`: what a saved network says about its inputs.

mod effects;
mod wide;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::given::{GivenModel, GivenRows};
use super::importance::{RankedImportances, interaction_map};
use super::words;
use crate::data::{Data, Roles, Table};
use crate::draw::{self, Bar, Figure, MOST_COLUMNS, check_name};
use crate::error::{Error, Parameter, RequestProblem, Requirement, Result, excerpt};
use crate::file::{Destinations, FileRole, make_folder};
use crate::fit::explain::{Effects, Interactions, Slope, Term, Unit};
use crate::linalg::Matrix;
use crate::model::Model;
use crate::watch::Watch;
use wide::own_rows;

pub use effects::NamedFigure;
pub(super) use effects::figures as effect_figures;
pub use wide::LayerExplanation;

/// What is asked for.
///
/// ```
/// use shallows::data::Recipe;
/// use shallows::job::explain::ExplainJob;
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Model, Network, Watch};
///
/// let folder = tempfile::tempdir().unwrap();
/// let model = folder.path().join("m.safetensors");
/// let W = Matrix::from_rows(&[[1.0, 1.0], [1.0, -1.0]]);
/// let network = Network::new(Activation::SQUARE, W, vec![1.0, -1.0])?;
/// Model::new(network, Recipe::plain(vec!["a".into(), "b".into()]), "y".into(), 0)?.save(&model)?;
///
/// let outcome = ExplainJob { model: model.into(), ..ExplainJob::default() }.run(Watch::silent())?;
/// // (a + b)² − (a − b)² = 4ab
/// assert_eq!(outcome.interactions.terms()[0].coefficient, 4.0);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExplainJob {
    /// The network.
    pub model: GivenModel,
    /// Rows with the inputs of the model, and with its target for importances.
    pub rows: Option<GivenRows>,
    /// Where to draw the matrix of a quadratic network, or the importances of another.
    pub figure: Option<PathBuf>,
    /// The folder for curves of what each column does and maps of what pairs do. Refused where there are no rows: neither
    /// given ones nor those that a wide network keeps.
    pub effects: Option<PathBuf>,
    /// How many terms, units and pairs the document lists, and how many curves are drawn.
    pub top: usize,
    /// How often each column is shuffled; the usual number when `None`. Refused without rows that have a target.
    pub repeats: Option<usize>,
    /// Of the shuffles; 0 when `None`. Refused without rows that have a target.
    pub seed: Option<u64>,
}

/// Shuffles of each column, unless another number is asked for.
pub(super) const REPEATS: usize = 10;

/// What shuffles need.
const LABELLED_ROWS: Requirement = Requirement::OnlyWith(&["rows that have the target"]);
/// What effects need.
const ANY_ROWS: Requirement = Requirement::OnlyWith(&["rows that have the inputs"]);

/// What came of it. [`ExplainJob`] shows its use.
#[derive(Clone, Debug)]
pub struct ExplainOutcome {
    /// What was explained.
    pub model: Arc<Model>,
    /// Its file.
    pub model_path: Option<PathBuf>,
    /// The names of its inputs.
    pub names: Vec<String>,
    /// Its quadratic and affine parts.
    pub interactions: Interactions,
    /// The directions of its quadratic part; none where that is not the whole network and has no terms.
    pub units: Vec<Unit>,
    /// Where there were rows with a target.
    pub importances: Option<RankedImportances>,
    /// Of a model with wide networks: what their layers do.
    pub layers: Option<LayerExplanation>,
    /// What columns do, alone and in pairs; none without rows, or when it was interrupted.
    pub effects: Option<Effects>,
    /// Whether rows were given; those of layers and effects are otherwise the ones that a wide network keeps.
    pub has_table: bool,
    /// What was remarkable about the table.
    pub remarks: Vec<String>,
    /// Where the figure is.
    pub figure_path: Option<PathBuf>,
    /// Where curves and maps are.
    pub effect_paths: Vec<PathBuf>,
    /// How many terms, units and pairs the document lists, and how many curves are drawn.
    pub top: usize,
    /// Of the shuffles.
    pub seed: u64,
}

impl Default for ExplainJob {
    fn default() -> Self {
        ExplainJob {
            model: GivenModel::default(),
            rows: None,
            figure: None,
            effects: None,
            top: 10,
            repeats: None,
            seed: None,
        }
    }
}

/// What a table holds for a model.
#[derive(Default)]
struct ExplainedRows {
    inputs: Option<Matrix>,
    /// Rows with a target.
    labelled: Option<Data>,
    remarks: Vec<String>,
}

impl ExplainedRows {
    fn new(model: &Model, mut table: Table) -> Result<Self> {
        // An array has no names: its columns are those of the fit, and the target may come after them.
        let columns = model.recipe.columns().len();
        if !table.named && table.names.len() == columns + 1 {
            let names = model.recipe.columns().iter().map(|step| step.name.clone());
            (table.names, table.named) = (names.chain([model.target.clone()]).collect(), true);
        }
        if !table.named || !table.names.contains(&model.target) {
            let inputs = model.recipe.inputs(&table)?;
            return Ok(ExplainedRows { inputs: Some(inputs.X), labelled: None, remarks: inputs.remarks });
        }
        let roles = Roles { target: Some(model.target.clone()), ..Roles::default() };
        let samples = roles.by_recipe(&table, model.recipe.clone())?;
        let filled = model.recipe.inputs(&table)?.remarks;
        let remarks = samples.remark().into_iter().chain(filled).collect();
        let data = samples.data;
        Ok(ExplainedRows { inputs: Some(data.X.clone()), labelled: Some(data), remarks })
    }
}

impl ExplainJob {
    /// Take the model and the rows, look at the network, and draw where a file is named.
    pub fn run(mut self, watch: Watch<'_>) -> Result<ExplainOutcome> {
        self.figure.iter().try_for_each(|path| check_name(path))?;
        Destinations::default()
            .may_read(FileRole::Model, self.model.file())
            .may_read(FileRole::Table, self.rows.as_ref().and_then(GivenRows::file))
            .may_write(FileRole::Figure, self.figure.as_ref())
            .may_fill(FileRole::Figures, self.effects.as_ref())
            .check()?;
        let model = self.model.load()?;
        let rows = self.rows.take();
        let path = rows.as_ref().and_then(GivenRows::file).map(ToOwned::to_owned);
        let table = rows.map(|rows| rows.explained(&model)).transpose()?;
        let mut outcome = self.explained(model, table, path, watch)?;
        outcome.model_path = self.model.file().map(ToOwned::to_owned);
        self.figure.iter().try_for_each(|path| outcome.figure().save(path))?;
        outcome.figure_path = self.figure.clone();
        if let (Some(folder), true) = (&self.effects, outcome.effects.is_some()) {
            make_folder(folder)?;
            for NamedFigure { name, figure } in outcome.effect_figures() {
                outcome.effect_paths.extend(figure.save_in(folder, &name)?);
            }
        }
        Ok(outcome)
    }

    /// What the network says; `path` is the file of the table.
    fn explained(
        &self,
        model: Arc<Model>,
        table: Option<Table>,
        path: Option<PathBuf>,
        watch: Watch<'_>,
    ) -> Result<ExplainOutcome> {
        let mut interactions = Interactions::of(&model.network).folded(&model.recipe)?;
        let mut rows = table.map(|table| ExplainedRows::new(&model, table)).transpose()?.unwrap_or_default();
        if let Some(inputs) = &rows.inputs {
            interactions = interactions.with_rows(inputs)?;
        }
        let has_table = rows.inputs.is_some();
        let inputs = rows.inputs.take().or_else(|| own_rows(&model.network));
        let is_wide = !model.network.wide().is_empty() && inputs.is_some();
        if !interactions.whole && rows.labelled.is_none() && !is_wide {
            let (kinds, target) = (model.network.activations().join(" and "), model.target.clone());
            return Err(Error::Request(RequestProblem::ExplainedByRows { kinds, target, table: path }));
        }
        if rows.labelled.is_none() {
            self.refuse_shuffles()?;
        }
        if has_table && is_wide && rows.labelled.is_none() {
            let target = excerpt(&model.target);
            rows.remarks.push(format!("the rows have no column {target}: nothing is said about errors"));
        }
        if let (Some(folder), None) = (&self.effects, &inputs) {
            return Err(Error::parameter(Parameter::EffectsFolder, ANY_ROWS, folder.display()));
        }
        let (repeats, seed) = (self.repeats.unwrap_or(REPEATS), self.seed.unwrap_or(0));
        let ranked = |data: Data| RankedImportances::new(&model, &data, repeats, seed);
        let importances = rows.labelled.map(ranked).transpose()?;
        let has_form = interactions.whole || !interactions.is_affine();
        let layers = inputs.as_ref().map(|X| LayerExplanation::of(&model, X, seed)).transpose()?.flatten();
        let effects = |X: &Matrix| {
            let ranking = match &importances {
                Some(ranked) => ranking(&model, ranked),
                None => ranking(&model, &predicted_importances(&model, X, seed)?),
            };
            Effects::of(&model.network, &model.recipe, X, Some(&ranking), seed, watch)
        };
        let effects = inputs.as_ref().map(effects).transpose()?.flatten();
        Ok(ExplainOutcome {
            names: model.inputs(),
            model,
            model_path: None,
            units: if has_form { interactions.units()? } else { vec![] },
            interactions,
            importances,
            layers,
            effects,
            has_table,
            remarks: rows.remarks,
            figure_path: None,
            effect_paths: vec![],
            top: self.top,
            seed,
        })
    }

    /// Nothing is shuffled.
    fn refuse_shuffles(&self) -> Result<()> {
        if let Some(repeats) = self.repeats {
            return Err(Error::parameter(Parameter::Repeats, LABELLED_ROWS, repeats));
        }
        self.seed.map_or(Ok(()), |seed| Err(Error::parameter(Parameter::ShuffleSeed, LABELLED_ROWS, seed)))
    }
}

/// The columns that become inputs, by their number among these, the most important first.
pub(super) fn ranking(model: &Model, importances: &RankedImportances) -> Vec<usize> {
    let groups = model.recipe.groups();
    importances.columns.iter().filter_map(|column| groups.iter().position(|(name, _)| name == column)).collect()
}

/// How much predictions change when a column is shuffled: importances without a target.
fn predicted_importances(model: &Model, X: &Matrix, seed: u64) -> Result<RankedImportances> {
    const SHUFFLES: usize = 2;
    let predicted = Data::builder(X.clone(), model.network.predict(X)?).build()?;
    RankedImportances::new(model, &predicted, SHUFFLES, seed)
}

impl ExplainOutcome {
    /// Curves of what each column does, all on one page and one by one, and maps of the strongest pairs.
    pub fn effect_figures(&self) -> Vec<NamedFigure> {
        let figures = |effects| effects::figures(effects, &self.fitted_target(), self.top);
        self.effects.as_ref().map_or(vec![], figures)
    }

    /// Whether there are pairs to speak of.
    pub fn has_terms(&self) -> bool {
        !self.interactions.is_affine()
    }

    /// What the network gives, and coefficients are in the units of: the target, or its logarithm.
    pub fn fitted_target(&self) -> String {
        self.model.recipe.target_name(&self.model.target)
    }

    /// The matrix of a quadratic network, the importances of another, or a linear part.
    pub fn figure(&self) -> Figure {
        match &self.importances {
            _ if self.interactions.whole && self.has_terms() => {
                interaction_map(&self.interactions, &self.names, &self.fitted_target())
            }
            Some(importances) => importances.bars(MOST_COLUMNS),
            None if !self.interactions.whole => self.spread_bars(),
            None => self.slope_bars(),
        }
    }

    fn spread_bars(&self) -> Figure {
        let columns = self.effects.iter().flat_map(|effects| &effects.columns);
        let mut bars: Vec<Bar> =
            columns.map(|one| Bar { name: one.grid.column.clone(), value: one.spread, error: None }).collect();
        bars.sort_by(|one, other| other.value.total_cmp(&one.value));
        bars.truncate(MOST_COLUMNS);
        let caption = "the deviation of the mean curve of each column over the rows, in units of the target";
        draw::bars("What moves the prediction", caption, &bars)
    }

    fn slope_bars(&self) -> Figure {
        let slopes = self.interactions.slopes();
        let bar = |slope: &Slope| Bar {
            name: self.names[slope.a].clone(),
            value: slope.scaled.unwrap_or(slope.coefficient),
            error: None,
        };
        let bars: Vec<Bar> = slopes.iter().take(MOST_COLUMNS).map(bar).collect();
        let caption = match self.interactions.spread {
            Some(_) => "coefficient × standard deviation, in units of the target",
            None => "coefficients, which depend on the units of the columns",
        };
        draw::bars("The linear part", caption, &bars)
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let ExplainOutcome { model, interactions, names, .. } = self;
        let activations = model.network.activations();
        let mut document = json!({
            "model": {
                "path": self.model_path.as_ref().map(words::path), "activation": activations.join("+"),
                "width": model.network.width(),
            },
            "inputs": names,
            "target": self.fitted_target(),
            "seed": self.seed,
            "version": env!("CARGO_PKG_VERSION"),
        });
        if let Some(importances) = &self.importances {
            document["importance"] = importances.document();
        }
        if interactions.whole || self.has_terms() {
            document["interactions"] = self.interaction_document();
        }
        if let Some(layers) = &self.layers {
            document["layers"] = layers.document();
        }
        if let Some(effects) = &self.effects {
            document["effects"] = effects::document(effects, self.top);
        }
        if !self.effect_paths.is_empty() {
            document["figures"] = self.effect_paths.iter().map(words::path).collect();
        }
        if let Some(path) = &self.figure_path {
            document["figure"] = json!({ "path": words::path(path) });
        }
        document
    }

    fn interaction_document(&self) -> Value {
        let (interactions, names) = (&self.interactions, &self.names);
        let rows = |matrix: &Matrix| (0..matrix.rows()).map(|a| matrix.row(a).to_vec()).collect::<Vec<_>>();
        let term = |term: &Term| {
            json!({
                "inputs": [names[term.a], names[term.b]], "coefficient": term.coefficient,
                "times_deviations": term.scaled,
            })
        };
        let slope = |slope: &Slope| json!({ "input": names[slope.a], "coefficient": slope.coefficient, "times_deviation": slope.scaled });
        let unit = |unit: &Unit| {
            let leading = leading(unit).into_iter().map(|a| json!({ "input": names[a], "weight": unit.direction[a] }));
            json!({ "eigenvalue": unit.eigenvalue, "leading": leading.collect::<Vec<_>>() })
        };
        json!({
            "whole": interactions.whole,
            "M": rows(&interactions.form.M),
            "M_times_deviations": interactions.spread.as_ref().map(|_| rows(&interactions.comparable())),
            "means": interactions.spread.as_ref().map(|spread| &spread.mean),
            "deviations": interactions.spread.as_ref().map(|spread| &spread.deviation),
            "terms": interactions.terms().iter().take(self.top).map(term).collect::<Vec<_>>(),
            "linear": interactions.slopes().iter().map(slope).collect::<Vec<_>>(),
            "intercept": interactions.form.intercept,
            "units": self.units.iter().take(self.top).map(unit).collect::<Vec<_>>(),
        })
    }
}

/// Inputs whose components are at least a third of the largest, at most five of them, the largest first.
///
/// ```
/// use shallows::fit::explain::Unit;
/// use shallows::job::explain::leading;
///
/// let unit = Unit { eigenvalue: 1.0, direction: vec![0.1, -0.9, 0.4] };
/// assert_eq!(leading(&unit), [1, 2]);
/// ```
pub fn leading(unit: &Unit) -> Vec<usize> {
    const MOST: usize = 5;
    const SHARE: f64 = 1.0 / 3.0;
    let size = |a: usize| unit.direction[a].abs();
    let mut order: Vec<usize> = (0..unit.direction.len()).collect();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
    let largest = order.first().map_or(0.0, |&a| size(a));
    order.into_iter().take(MOST).filter(|&a| size(a) >= SHARE * largest).collect()
}
