//! What of a model a certificate is about.

use serde_json::{Map, Value};
use shallows_verify::StoredNetwork;

use super::{Certificate, Source, problem, value, wide_claim};
use crate::activation::Activation;
use crate::certificate::convert::for_checker;
use crate::certificate::{Theorem, WideClaim};
use crate::data::Data;
use crate::error::{CertificateProblem, Error, RequestProblem, Result};
use crate::model::{Model, WideMember};
use crate::network::Network;

/// What of a model a certificate is about.
///
/// ```
/// use shallows::certificate::file::{CertifiedMembers, CertifiedPart};
/// use shallows::data::Recipe;
/// use shallows::fit::affine_fit;
/// use shallows::{Data, Model, Quadratic};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[0.0, 3.0, 12.0])?;
/// let fit = Quadratic::new().decay(0.01).fit(&data)?;
/// let certificate = fit.certify(&data)?.certificate().clone();
/// let model = |network| Model::new(network, Recipe::plain(data.names.clone()), data.target.clone(), 0);
/// assert_eq!(certificate.certified_part(&data, &model(fit.network)?)?, CertifiedPart::Whole);
/// // Of an affine function on the same rows it says nothing.
/// let part = certificate.certified_part(&data, &model(affine_fit(&data)?.into())?)?;
/// assert_eq!(part, CertifiedPart::Nothing);
/// assert!(part.words().unwrap().contains("another network than this model"));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertifiedPart {
    /// The model is the network that the claims are about.
    Whole,
    /// The model is a sum, and the claims are about members of it.
    Members(CertifiedMembers),
    /// The claims are about another network, fitted to the same inputs and target.
    Nothing,
}

/// Which networks of a sum. [`CertifiedPart`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertifiedMembers {
    /// The infinitely wide ones.
    Wide,
    /// The quadratic one.
    Quadratic,
    /// Both.
    WideAndQuadratic,
}

impl CertifiedPart {
    /// As a value of JSON.
    pub fn name(self) -> &'static str {
        match self {
            CertifiedPart::Whole => "whole",
            CertifiedPart::Members(_) => "members",
            CertifiedPart::Nothing => "nothing",
        }
    }

    /// What to know before the claims are read; none where they are about all of the model.
    pub fn words(self) -> Option<String> {
        let members = match self {
            CertifiedPart::Whole => return None,
            CertifiedPart::Nothing => {
                let words = "The certificate is about another network than this model: a quadratic network on the same rows, \
                             such as an automatic fit has beside the network that it chooses. Nothing is proved about this model.";
                return Some(words.into());
            }
            CertifiedPart::Members(CertifiedMembers::Wide) => "the infinitely wide networks of this model, one by one",
            CertifiedPart::Members(CertifiedMembers::Quadratic) => "the quadratic network that is a part of this model",
            CertifiedPart::Members(CertifiedMembers::WideAndQuadratic) => {
                "the infinitely wide networks and the quadratic network of this model, one by one"
            }
        };
        Some(format!("The claims are about {members}, not about how its parts are combined."))
    }
}

impl Certificate {
    /// What of a model the claims are about. Refused is a model of other inputs or another target, and one that holds other
    /// networks of the kind that the claims are about.
    pub fn certified_part(&self, data: &Data, model: &Model) -> Result<CertifiedPart> {
        if !model.is_foreign() || !model.network.wide().is_empty() {
            self.check_recipe(model)?;
        }
        if !self.wide_claims().is_empty() || !model.network.wide().is_empty() {
            return self.compare_wide(data, model);
        }
        let only = model.network.only();
        if only.is_some_and(|network| self.differs_from(network).is_ok_and(|difference| difference.is_none())) {
            return Ok(CertifiedPart::Whole);
        }
        let is_of_fit = self.claims().iter().all(|claim| claim.theorem == Theorem::GlobalOptimum);
        if !is_of_fit || model.is_foreign() {
            return Err(self.other_model(model));
        }
        match model.network.networks().iter().find(|network| is_quadratic(network)) {
            None => Ok(CertifiedPart::Nothing),
            Some(network) if self.is_multiple(network)? => Ok(CertifiedPart::Members(CertifiedMembers::Quadratic)),
            Some(_) => Err(self.other_model(model)),
        }
    }

    fn wide_claims(&self) -> Vec<WideClaim> {
        self.claims().iter().filter_map(wide_claim).collect()
    }

    /// Every wide network of the model has its claim, and every claim its network. Of a combination neither the weights nor the
    /// affine part, of which only the sum is known, are a part of any claim.
    fn compare_wide(&self, data: &Data, model: &Model) -> Result<CertifiedPart> {
        let other = |(field, stored, found)| Err(problem(CertificateProblem::OtherModel { field, stored, found }));
        let plain = |field: &str, stored: &str, found: String| other((field.to_owned(), stored.to_owned(), found));
        let (claims, members) = (self.wide_claims(), model.network.wide());
        if claims.len() != members.len() {
            let stored = format!("{} infinitely wide", claims.len());
            return plain("networks", &stored, format!("{} infinitely wide", members.len()));
        }
        let mut open: Vec<&WideMember> = members.iter().collect();
        for claim in &claims {
            let is_held = |member: &&WideMember| member.network.claim(data, claim.tolerance).as_ref() == Some(claim);
            match open.iter().position(is_held) {
                Some(at) => open.remove(at),
                None => return other(other_wide_network(claim, open[0], data)?),
            };
        }
        let quadratic = model.network.networks().iter().find(|network| is_quadratic(network));
        // One without units is an affine function, which is lost in the sum.
        let network = self.stored.network.as_ref().map(|stored| stored.network(Some(data.d()))).transpose()?;
        let has_units = network.is_some_and(|network| network.width() > 0);
        match (has_units, quadratic, members) {
            (true, None, _) => plain("network", "a quadratic one as well", "none".into()),
            (true, Some(network), _) if !self.is_multiple(network)? => Err(self.other_model(model)),
            (true, Some(_), _) => Ok(CertifiedPart::Members(CertifiedMembers::WideAndQuadratic)),
            // Alone it is the whole function.
            (false, _, [member]) if model.network.finite().is_none() && member.weight != 1.0 => {
                plain("weight", "1", member.weight.to_string())
            }
            (false, ..) if model.network.only_wide().is_some() => Ok(CertifiedPart::Whole),
            (false, ..) => Ok(CertifiedPart::Members(CertifiedMembers::Wide)),
        }
    }

    pub(super) fn compare_network(&self, network: &Network) -> Result<()> {
        match self.differs_from(network)? {
            Some((field, stored, found)) => Err(problem(CertificateProblem::OtherModel { field, stored, found })),
            None => Ok(()),
        }
    }

    fn differs_from(&self, network: &Network) -> Result<Option<(String, String, String)>> {
        let given = value(&StoredNetwork::new(&for_checker(network)?))?;
        Ok(first_difference("network", &value(&self.stored.network)?, &given))
    }

    /// Whether a network has the units of the one in the certificate, their output weights multiplied by one number.
    fn is_multiple(&self, network: &Network) -> Result<bool> {
        const ROUNDING: f64 = 4.0 * f64::EPSILON;
        let Some(stored) = &self.stored.network else { return Ok(false) };
        let certified = stored.network(Some(network.inputs()))?;
        let rows = |W: &dyn Fn(usize, usize) -> f64| {
            (0..network.width()).all(|l| (0..network.inputs()).all(|j| W(l, j) == network.W[(l, j)]))
        };
        if certified.v.len() != network.width() || !rows(&|l, j| certified.W[(l, j)]) {
            return Ok(false);
        }
        let largest = (0..network.width()).max_by(|&l, &m| certified.v[l].abs().total_cmp(&certified.v[m].abs()));
        let Some(factor) = largest.map(|l| network.v[l] / certified.v[l]) else { return Ok(false) };
        let is_near = |l: usize| (network.v[l] - factor * certified.v[l]).abs() <= ROUNDING * network.v[l].abs();
        Ok(factor > 0.0 && (0..network.width()).all(is_near))
    }

    /// Where a model differs from what the claims are about.
    pub(super) fn other_model(&self, model: &Model) -> Error {
        let several = || {
            let (field, stored) = ("network".to_owned(), "one network".to_owned());
            let found = model.network.activations().join(" + ");
            problem(CertificateProblem::OtherModel { field, stored, found })
        };
        let difference = model.network.only().and_then(|network| self.compare_network(network).err());
        difference.unwrap_or_else(several)
    }

    /// That a model of ours is the function that the claims are about.
    fn check_recipe(&self, model: &Model) -> Result<()> {
        let Source { recipe, target, .. } = self.source()?;
        let Some(recipe) = recipe else { return Err(problem(CertificateProblem::NoRows)) };
        let (certified, fitted) = (recipe.target_scale().name(), model.recipe.target_scale().name());
        if certified != fitted {
            return Err(Error::Request(RequestProblem::OtherScale { certified, fitted }));
        }
        let recipes = [value(&recipe)?, value(&model.recipe)?];
        let targets = [value(&target)?, value(&model.target)?];
        let parts = [("recipe", recipes), ("target", targets)];
        let difference = parts.iter().find_map(|(place, [stored, found])| first_difference(place, stored, found));
        let other = |(field, stored, found)| problem(CertificateProblem::OtherModel { field, stored, found });
        difference.map_or(Ok(()), |difference| Err(other(difference)))
    }
}

fn is_quadratic(network: &Network) -> bool {
    network.activation == Activation::SQUARE && network.width() > 0
}

/// Where a wide network differs from that of a claim.
fn other_wide_network(claim: &WideClaim, member: &WideMember, data: &Data) -> Result<(String, String, String)> {
    let centres = || ("centres".to_owned(), "the rows".to_owned(), "others".to_owned());
    let Some(found) = member.network.claim(data, claim.tolerance) else { return Ok(centres()) };
    Ok(first_difference("claim", &value(claim)?, &value(&found)?).unwrap_or_else(centres))
}

/// The first place where two documents differ, and what stands there in each.
fn first_difference(place: &str, stored: &Value, found: &Value) -> Option<(String, String, String)> {
    let below = |key: &str| format!("{place}.{key}");
    match (stored, found) {
        (Value::Object(left), Value::Object(right)) => left.keys().chain(right.keys()).find_map(|key| {
            let part = |of: &Map<String, Value>| of.get(key).cloned().unwrap_or_default();
            first_difference(&below(key), &part(left), &part(right))
        }),
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let mut pairs = left.iter().zip(right).enumerate();
            pairs.find_map(|(at, (left, right))| first_difference(&format!("{place}[{at}]"), left, right))
        }
        _ if stored == found => None,
        _ => Some((place.to_owned(), stored.to_string(), found.to_string())),
    }
}
