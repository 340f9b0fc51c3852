//! What a script reads about a check.

use serde_json::{Value, json};

use super::{CheckOutcome, Searched};
use crate::certificate::Judgement;
use crate::data::Distinct;
use crate::job::words;
use crate::spectrum;

impl CheckOutcome {
    /// What a script reads.
    pub fn document(&self) -> Value {
        let CheckOutcome { request, prepared, judged, files, .. } = self;
        let data = &self.samples.data;
        let Distinct { repeated, conflicts, within, data: distinct, .. } = &prepared.distinct;
        let width = if let Searched::Width(found) = self.searched { found } else { Some(self.width) };
        let scale = if let Searched::Scale(found) = self.searched { found } else { Some(self.scale) };
        json!({
            "data": {
                "path": files.table.as_ref().map(words::path), "rows": data.n(), "inputs": data.d(),
                "target": data.target, "hash": prepared.hash,
            },
            "rows": { "kind": prepared.frame.rows(), "words": prepared.frame.words(), "distinct": distinct.n() },
            "repeats": { "groups": repeated, "conflicts": conflicts, "sum_of_squares_within": within },
            "spectrum": self.spectrum(),
            "activation": request.activation.to_string(),
            "width": width,
            "scale": scale,
            "judged": { "width": self.width, "scale": self.scale },
            "certificates": judged.certificates.iter().map(Judgement::document).collect::<Vec<_>>(),
            "determined": judged.span.as_ref().map(|span| json!({
                "dimension": span.dimension, "needed": span.needed, "missing": span.missing,
                "open": span.open.iter().map(|direction| &direction.form).collect::<Vec<_>>(),
            })),
            "rival": judged.rival.as_ref().map(|rival| json!({
                "point": rival.point, "difference": rival.difference, "on_rows": rival.on_rows, "risk": rival.risk,
                "paths": files.rivals.as_ref().map(|paths| paths.each_ref().map(words::path)),
            })),
            "plan": judged.plan,
            "plan_path": files.plan.as_ref().map(words::path),
            "proved": self.is_proved(),
            "seconds": self.seconds(),
            "seed": request.seed,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    /// The numbers of the rows that the theorems are made of; estimates.
    fn spectrum(&self) -> Value {
        let activation = &self.request.activation;
        let Distinct { firsts, data: distinct, .. } = &self.prepared.distinct;
        let inputs = spectrum::inputs(&self.samples.data.X);
        let nearest = spectrum::separation(&distinct.X);
        json!({
            "singular_values": inputs.as_ref().map(|inputs| &inputs.singular_values),
            "rank": inputs.as_ref().map(|inputs| inputs.rank),
            "dependencies": inputs.as_ref().map(|inputs| &inputs.dependencies),
            "khatri_rao": self.khatri_rao(),
            "average_slope": spectrum::average_slope(activation, 1.0),
            "average_curvature": spectrum::average_curvature(activation, 1.0),
            "separation": nearest.as_ref().map(|nearest| nearest.distance),
            "nearest": nearest.as_ref().map(|nearest| [firsts[nearest.pair.0], firsts[nearest.pair.1]]),
        })
    }
}
