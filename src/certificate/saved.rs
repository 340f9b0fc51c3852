//! Theorems applied to what they speak about, for a file: a network on rows, rows, a teacher with or without a start, numbers.

use super::file::{Certificate, ProvedClaim, Source};
use super::theorem::{
    approximate_minimum, approximate_recovery, designed_landscape, determined, energy_barrier, full_rank_stationary,
    global_optimum, planted_quadratic, safe_start, safe_start_gaussian, separated_data, strict_saddle, wide_optimum,
    wide_quadratic,
};
use super::{Claim, Competitors, Judgement, Range, Span, Theorem, Witness};
use crate::data::Data;
use crate::error::{CertificateProblem, Error, Result};
use crate::model::WideMember;
use crate::network::Network;

impl Certificate {
    /// Apply these theorems to a network on rows and write down what is proved, with the proofs.
    pub fn new(
        theorems: &[Theorem],
        network: &Network,
        data: &Data,
        source: &Source,
        claim: &Claim,
        witness: Option<&Witness>,
        tolerance: f64,
    ) -> Result<Certificate> {
        let proved = |theorem: &Theorem| match theorem {
            Theorem::GlobalOptimum => global_optimum::claimed(network, data, claim, witness, tolerance),
            other => claimed(*other, network, data, claim, tolerance),
        };
        let claims = theorems.iter().map(proved).collect::<Result<Vec<ProvedClaim>>>()?;
        Certificate::of_claims(claims, Some(network), None, Some((data, source)))
    }

    /// `wide-optimum` for every wide network of a function; `None` where one was fitted to other rows than these, or where there
    /// is none. `beside` is a quadratic network at its global optimum, which is claimed besides.
    pub(crate) fn of_wide(
        members: &[WideMember],
        data: &Data,
        source: &Source,
        tolerance: f64,
        beside: Option<(&Network, &Claim, Option<&Witness>)>,
    ) -> Result<Option<Certificate>> {
        let proved = |member: &WideMember| Some(wide_optimum::claimed(&member.network.claim(data, tolerance)?, data));
        let mut claims = members.iter().filter_map(proved).collect::<Result<Vec<ProvedClaim>>>()?;
        if claims.is_empty() || claims.len() < members.len() {
            return Ok(None);
        }
        if let Some((network, claim, witness)) = beside {
            claims.push(global_optimum::claimed(network, data, claim, witness, tolerance)?);
        }
        let network = beside.map(|(network, ..)| network);
        Certificate::of_claims(claims, network, None, Some((data, source))).map(Some)
    }

    /// `planted-quadratic` with a planted network: no local minimum in W of the network is worse on these rows.
    ///
    /// ```
    /// use shallows::certificate::{Source, Verdict};
    /// use shallows::linalg::Matrix;
    /// use shallows::{Activation, Certificate, Data, Network};
    ///
    /// let network = |v: f64| Network::new(Activation::SQUARE, Matrix::identity(2), vec![v, v]);
    /// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], &[1.0, 1.0, 2.0])?;
    /// let certificate = Certificate::of_planted(&network(1.0)?, &network(0.5)?, &data, &Source::default())?;
    /// assert_eq!(certificate.verify(&data)?.verdict(), Verdict::Holds);
    /// # Ok::<(), shallows::Error>(())
    /// ```
    pub fn of_planted(planted: &Network, network: &Network, data: &Data, source: &Source) -> Result<Certificate> {
        let claim = planted_quadratic::claimed(Some(planted), network, data, 0.0)?;
        Certificate::of_claims(vec![claim], Some(network), Some(planted), Some((data, source)))
    }

    /// `separated-data` and `determined`, which are about rows alone.
    ///
    /// ```
    /// use shallows::certificate::{Source, Theorem, Verdict};
    /// use shallows::{Certificate, Data};
    ///
    /// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], &[1.0, 1.0, 2.0])?;
    /// let certificate = Certificate::of_rows(&data, &Source::default(), false)?;
    /// assert_eq!(certificate.verify(&data)?.verdict(), Verdict::Holds);
    /// assert_eq!(certificate.verdict_of(Theorem::Determined), Some(Verdict::Holds));
    /// # Ok::<(), shallows::Error>(())
    /// ```
    pub fn of_rows(data: &Data, source: &Source, affine: bool) -> Result<Certificate> {
        let theorems = [Theorem::SeparatedData, Theorem::Determined];
        Certificate::of_claims(rows_claims(&theorems, data, affine)?.0, None, None, Some((data, source)))
    }

    /// What is proved about a planted quadratic network and a start of descent: `energy-barrier` and `safe-start`, and with γ
    /// `safe-start-gaussian` about all teachers of that shape. No rows take part.
    ///
    /// ```
    /// use shallows::certificate::Verdict;
    /// use shallows::linalg::Matrix;
    /// use shallows::{Activation, Certificate, Network};
    ///
    /// let network = |scale: f64| {
    ///     let W = Matrix::from_fn(2, 2, |i, j| if i == j { scale } else { 0.0 });
    ///     Network::new(Activation::SQUARE, W, vec![1.0; 2])
    /// };
    /// let certificate = Certificate::of_start(&network(0.9)?, &network(1.0)?, None)?;
    /// assert_eq!(certificate.verify_without_rows()?.verdict(), Verdict::Holds);
    /// # Ok::<(), shallows::Error>(())
    /// ```
    pub fn of_start(start: &Network, teacher: &Network, gamma: Option<f64>) -> Result<Certificate> {
        Certificate::judged_start(start, teacher, gamma).map(|(certificate, _)| certificate)
    }

    /// The same, and the judgements one by one.
    pub(crate) fn judged_start(
        start: &Network,
        teacher: &Network,
        gamma: Option<f64>,
    ) -> Result<(Certificate, Vec<Judgement>)> {
        let mut claims = vec![energy_barrier::claimed(teacher)?, safe_start::claimed(start, teacher)?];
        if let Some(gamma) = gamma {
            claims.push(safe_start_gaussian::claimed((teacher.width(), teacher.inputs()), gamma)?);
        }
        let judgements = claims.iter().map(|claim| claim.judgement().clone()).collect();
        Ok((Certificate::of_claims(claims, Some(start), Some(teacher), None)?, judgements))
    }

    /// `designed-landscape` of a teacher, for the parameters σ̂_4, μ and λ of F.
    ///
    /// ```
    /// use shallows::certificate::Verdict;
    /// use shallows::linalg::Matrix;
    /// use shallows::{Activation, Certificate, Network};
    ///
    /// let teacher = Network::new(Activation::RELU, Matrix::identity(3), vec![1.0; 3])?;
    /// let certificate = Certificate::of_designed(&teacher, 0.1, 0.5, 50.0)?;
    /// assert_eq!(certificate.verify_without_rows()?.verdict(), Verdict::Holds);
    /// # Ok::<(), shallows::Error>(())
    /// ```
    pub fn of_designed(teacher: &Network, sigma_4: f64, mu: f64, lambda: f64) -> Result<Certificate> {
        let claim = designed_landscape::claimed(teacher, sigma_4, mu, lambda)?;
        Certificate::of_claims(vec![claim], None, Some(teacher), None)
    }

    /// `designed-landscape` of units that were found, and how far points that are nearly stationary are from them:
    /// `approximate-recovery` for as large a slack as holds; and the judgements one by one.
    pub(crate) fn judged_recovery(
        found: &Network,
        sigma_4: f64,
        mu: f64,
        lambda: f64,
    ) -> Result<(Certificate, Vec<Judgement>)> {
        let outputs = found.v.iter().fold((f64::INFINITY, 0.0), |(least, most), v| (v.min(least), v.max(most)));
        let range = Range { units: found.width(), outputs, sigma_4, mu, lambda };
        let claims =
            vec![designed_landscape::claimed(found, sigma_4, mu, lambda)?, approximate_recovery::widest(&range)?];
        let judgements = claims.iter().map(|claim| claim.judgement().clone()).collect();
        Ok((Certificate::of_claims(claims, None, Some(found), None)?, judgements))
    }

    /// `approximate-recovery`, which is about numbers alone: ε bounds the gradient, τ the negative curvature.
    ///
    /// ```
    /// use shallows::Certificate;
    /// use shallows::certificate::{Range, Verdict};
    ///
    /// let range = Range { units: 3, outputs: (1.0, 1.0), sigma_4: 0.2, mu: 0.5, lambda: 10.0 };
    /// let certificate = Certificate::of_recovery(&range, 1e-6, 1e-6)?;
    /// assert_eq!(certificate.verify_without_rows()?.verdict(), Verdict::Holds);
    /// # Ok::<(), shallows::Error>(())
    /// ```
    pub fn of_recovery(range: &Range, epsilon: f64, tau: f64) -> Result<Certificate> {
        Certificate::of_claims(vec![approximate_recovery::claimed(range, epsilon, tau)?], None, None, None)
    }

    /// `safe-start-gaussian`, which is about numbers alone: teachers of m units and d inputs, and the start √γ·[I; 0].
    ///
    /// ```
    /// use shallows::Certificate;
    /// use shallows::certificate::Verdict;
    ///
    /// let certificate = Certificate::of_gaussian_start((1_000_000, 3), 1_000_000.0)?;
    /// assert_eq!(certificate.verify_without_rows()?.verdict(), Verdict::Holds);
    /// # Ok::<(), shallows::Error>(())
    /// ```
    pub fn of_gaussian_start(shape: (usize, usize), gamma: f64) -> Result<Certificate> {
        Certificate::of_claims(vec![safe_start_gaussian::claimed(shape, gamma)?], None, None, None)
    }
}

/// A theorem other than `global-optimum`, about a network on rows.
fn claimed(theorem: Theorem, network: &Network, data: &Data, claim: &Claim, tolerance: f64) -> Result<ProvedClaim> {
    let decay = || plain_decay(claim);
    match theorem {
        Theorem::WideQuadratic => wide_quadratic::claimed(network),
        Theorem::PlantedQuadratic => planted_quadratic::claimed(None, network, data, decay()?),
        Theorem::StrictSaddle => strict_saddle::claimed(network, data, decay()?, None),
        Theorem::ApproximateMinimum => {
            let competitors = Competitors { signs: claim.signs, size: None };
            approximate_minimum::claimed(network, data, decay()?, competitors, tolerance)
        }
        Theorem::FullRankStationary => full_rank_stationary::claimed(network, data, decay()?, None, tolerance),
        Theorem::SeparatedData => separated_data::claimed(data),
        Theorem::WideOptimum => {
            Err(Error::unsuitable("the network", "infinitely wide for wide-optimum", &network.activation))
        }
        Theorem::Determined => Ok(determined::claimed(data, claim.linear || claim.intercept)?.0),
        other => {
            Err(Error::Certificate { path: None, problem: CertificateProblem::NotInFiles { theorem: other.id() } })
        }
    }
}

/// τ of the penalty τΣ|v_l|‖w_l‖², which is not that of scaled inputs.
fn plain_decay(claim: &Claim) -> Result<f64> {
    match claim.exponents.iter().find(|e| **e != 0 && claim.decay != 0.0) {
        Some(e) => Err(Error::unsuitable("an exponent of the scaling", "0 for this theorem", e)),
        None => Ok(claim.decay),
    }
}

/// Those of the theorems that are about rows alone, in the given order, and what `determined` leaves open.
pub(crate) fn rows_claims(theorems: &[Theorem], data: &Data, affine: bool) -> Result<(Vec<ProvedClaim>, Option<Span>)> {
    let (mut claims, mut open) = (vec![], None);
    for theorem in theorems {
        match theorem {
            Theorem::SeparatedData => claims.push(separated_data::claimed(data)?),
            Theorem::Determined => {
                let (claim, span) = determined::claimed(data, affine)?;
                claims.push(claim);
                open = Some(span);
            }
            _ => {}
        }
    }
    Ok((claims, open))
}
