//! Plots of what a network predicts against what was observed.

use crate::data::Data;
use crate::draw::{Cloud, Colour, Figure, Panel, Reference, scatter};
use crate::error::Result;
use crate::model::Function;

/// More points could not be told apart, and would make a large file.
const MOST_POINTS: usize = 2000;

/// Observed against predicted, and what is left of that above the diagonal; held-out rows in a colour of their own.
/// [`FitFindings`](crate::job::fit::FitFindings) shows its use.
pub fn figure(network: &Function, train: &Data, test: Option<&Data>) -> Result<Figure> {
    let kinds = [("training rows", Colour::BLUE, Some(train)), ("held-out rows", Colour::ORANGE, test)];
    let (mut observed, mut residuals) = (vec![], vec![]);
    for (name, colour, data) in kinds {
        let Some(data) = data else { continue };
        let f = network.predict(&data.X)?;
        let step = data.n().div_ceil(MOST_POINTS);
        let rows: Vec<usize> = (0..data.n()).step_by(step).collect();
        let name = if step > 1 { format!("{name} ({} of {})", rows.len(), data.n()) } else { name.to_owned() };
        let cloud = |point: &dyn Fn(usize) -> (f64, f64)| Cloud {
            name: name.clone(),
            colour,
            points: rows.iter().map(|&i| point(i)).collect(),
        };
        observed.push(cloud(&|i| (f[i], data.y[i])));
        residuals.push(cloud(&|i| (f[i], data.y[i] - f[i])));
    }
    let target = &train.target;
    let (predicted, seen) = (format!("predicted {target}"), format!("observed {target}"));
    Ok(scatter(&[
        Panel {
            title: "Observed and predicted",
            x: &predicted,
            y: &seen,
            clouds: observed,
            reference: Reference::Diagonal,
        },
        Panel {
            title: "Residuals",
            x: &predicted,
            y: "observed − predicted",
            clouds: residuals,
            reference: Reference::Zero,
        },
    ]))
}
