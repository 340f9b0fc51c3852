//! What a script reads about a check.

use serde_json::{Value, json};

use super::{CheckOutcome, Searched};
use crate::certificate::Judgement;
use crate::data::Distinct;
use crate::job::words;

impl CheckOutcome {
    /// What a script reads.
    pub fn document(&self) -> Value {
        let CheckOutcome { request, prepared, judged, files, .. } = self;
        let data = &self.samples.data;
        let Distinct { repeated, conflicts, within, data: distinct, .. } = &prepared.distinct;
        let repeats = self.measured().repeats;
        let width = if let Searched::Width(found) = self.searched { found } else { Some(self.width) };
        let scale = if let Searched::Scale(found) = self.searched { found } else { Some(self.scale) };
        json!({
            "data": {
                "path": files.table.as_ref().map(words::path), "rows": data.n(), "inputs": data.d(),
                "target": data.target, "hash": prepared.hash,
            },
            "rows": { "kind": prepared.frame.rows(), "words": prepared.frame.words(), "distinct": distinct.n() },
            "repeats": {
                "groups": repeated, "conflicts": conflicts, "sum_of_squares_within": within, "rows": repeats.rows,
                "identical": repeats.identical, "unavoidable_rmse": repeats.unavoidable_rmse,
            },
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
            "certificate": {
                "path": files.certificate.as_ref().map(words::path),
                "determined_path": files.determined.as_ref().map(words::path),
            },
            "proved": self.is_proved(),
            "seconds": self.seconds(),
            "seed": request.seed,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    /// The numbers of the rows that the theorems are made of; estimates.
    fn spectrum(&self) -> Value {
        let measured = self.measured();
        let (inputs, nearest) = (measured.inputs.as_ref(), measured.nearest.as_ref());
        json!({
            "singular_values": inputs.map(|inputs| &inputs.singular_values),
            "rank": inputs.map(|inputs| inputs.rank),
            "dependencies": inputs.map(|inputs| &inputs.dependencies),
            "sigma_max": measured.sigma_max,
            "sigma_min": measured.sigma_min,
            "khatri_rao": measured.khatri_rao,
            "kappa": measured.kappa,
            "average_slope": measured.average_slope,
            "average_curvature": measured.average_curvature,
            "separation": nearest.map(|nearest| nearest.distance),
            "nearest": nearest.map(|nearest| nearest.rows),
        })
    }
}
