//! **Scales.** A layer has a scale ℓ_j for every column: its hidden weights of the column have the spread 1/ℓ_j, and a change
//! of the column by ℓ_j changes what the units see by about one unit of theirs. For a layer rough by input the correlation of
//! its values at two rows falls to 1/e over one scale of one column.
//!
//! How much that matters depends on the variance of the layer as well, and roughness magnifies small steps: over a share δ of
//! its scale a rough layer moves by √(2δ) of its deviation. So influence is measured and not read off ℓ: the *swing* of a
//! column is the deviation, over the law of the layer before it saw the targets, of the layer's change from the least to the
//! largest value of the column with all others at their means,
//!
//! ```text
//! swing² = κ_ℓ(a, a) + κ_ℓ(b, b) − 2κ_ℓ(a, b)      in units of the target.
//! ```

use std::ops::Range;

use crate::data::Recipe;
use crate::data::recipe::Treatment;
use crate::model::{Function, WideMember};
use crate::wide::{KernelLayer, LayerLaw};

/// The scales of one layer.
///
/// ```
/// use shallows::data::Recipe;
/// use shallows::fit::explain::{LayerScales, ScaleUnit};
/// use shallows::wide::{LayerSet, WideNetwork};
/// use shallows::{Data, Watch};
///
/// // Only the first of two columns says anything about y.
/// let x: Vec<[f64; 2]> = (0..60).map(|i| [i as f64 / 10.0, (i * i % 17) as f64]).collect();
/// let y: Vec<f64> = x.iter().map(|x| x[0].sin()).collect();
/// let data = Data::from_rows(&x, &y)?;
/// let network = WideNetwork::fitted(&data, &data.columns, LayerSet::RoughRelu, 0, Watch::silent()).expect("definite");
/// let found = LayerScales::of(&network.into(), &Recipe::plain(data.names.clone()));
/// let rough = &found[0];
/// assert_eq!(rough.columns[0].unit, ScaleUnit::Column);
/// assert!(rough.columns[0].swing > 3.0 * rough.columns[1].swing);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LayerScales {
    /// Which of the wide networks.
    pub member: usize,
    /// What the network is multiplied by.
    pub weight: f64,
    /// The law of the layer.
    pub law: LayerLaw,
    /// In the order of the table; columns that did not vary among the rows of the fit are missing.
    pub columns: Vec<ColumnScale>,
}

/// The scale of a column in a layer. [`LayerScales`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnScale {
    /// The column of the table.
    pub column: String,
    /// ℓ.
    pub scale: f64,
    /// What ℓ is measured in.
    pub unit: ScaleUnit,
    /// How much the layer changes over the range of the column before it saw the targets, in units of the target.
    pub swing: f64,
    /// Whether the swing is more than a hundredth of the deviation of the target.
    pub has_influence: bool,
}

/// What a scale is measured in. [`LayerScales`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleUnit {
    /// In units of the column.
    Column,
    /// In shares of the rows: over a scale of 0.2 lies a fifth of them.
    Rows,
    /// In standard deviations of the 0/1 inputs that words become.
    Deviations,
}

impl ScaleUnit {
    /// As documents spell it.
    pub fn name(self) -> &'static str {
        match self {
            ScaleUnit::Column => "column",
            ScaleUnit::Rows => "share-of-rows",
            ScaleUnit::Deviations => "standard-deviations",
        }
    }
}

/// Swings below this share of the deviation of the target are no influence.
const NO_INFLUENCE: f64 = 0.01;

impl LayerScales {
    /// Of every layer that has scales, network by network.
    pub fn of(f: &Function, recipe: &Recipe) -> Vec<LayerScales> {
        let of_member = |(member, wide): (usize, &WideMember)| {
            let layers = wide.network.kernel.layers.iter().filter(|layer| layer.law.has_scales());
            let scales = |layer: &KernelLayer| LayerScales {
                member,
                weight: wide.weight,
                law: layer.law,
                columns: column_scales(wide, layer, recipe),
            };
            layers.map(scales).collect::<Vec<_>>()
        };
        f.wide().iter().enumerate().flat_map(of_member).collect()
    }
}

fn column_scales(member: &WideMember, layer: &KernelLayer, recipe: &Recipe) -> Vec<ColumnScale> {
    let transform = &member.network.transform;
    let place = |input: usize| transform.kept.partition_point(|kept| *kept < input);
    let mut scales = vec![];
    for (name, inputs) in recipe.groups() {
        let kept = place(inputs.start)..place(inputs.end);
        if kept.is_empty() {
            continue;
        }
        let first = kept.start;
        let is_number = transform.kept[first] == inputs.start && starts_with_number(recipe, name);
        let (unit, factor) = match (is_number, &transform.ranks) {
            (false, _) => (ScaleUnit::Deviations, 1.0),
            (true, None) => (ScaleUnit::Column, transform.deviation[first]),
            (true, Some(_)) => (ScaleUnit::Rows, transform.deviation[first]),
        };
        let swing = largest_swing(member, layer, kept);
        let deviation = member.network.target_deviation * member.weight.abs();
        scales.push(ColumnScale {
            column: name.to_owned(),
            scale: factor * layer.scales[first],
            unit,
            swing: deviation * swing,
            has_influence: swing > NO_INFLUENCE,
        });
    }
    scales
}

/// Whether the first input of a column is a number and not a word.
fn starts_with_number(recipe: &Recipe, name: &str) -> bool {
    let is_number = |treatment: &Treatment| {
        matches!(treatment, Treatment::Number { .. } | Treatment::Centred { .. } | Treatment::Ordered { .. })
    };
    recipe.columns().iter().any(|step| step.name == name && is_number(&step.treatment))
}

/// The largest swing of the inputs of a column, in deviations of the target.
fn largest_swing(member: &WideMember, layer: &KernelLayer, inputs: Range<usize>) -> f64 {
    let centres = &member.network.centres;
    let swing = |input: usize| {
        let values = (0..centres.rows()).map(|g| centres[(g, input)]);
        let (least, most) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), z| (least.min(z), most.max(z)));
        let at = |z: f64| {
            let mut row = vec![0.0; centres.cols()];
            row[input] = z;
            row
        };
        let (a, b) = (at(least), at(most));
        (layer.value(&a, &a) + layer.value(&b, &b) - 2.0 * layer.value(&a, &b)).max(0.0).sqrt()
    };
    inputs.map(swing).fold(0.0, f64::max)
}
