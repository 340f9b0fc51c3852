//! Trying starts until one is supported by the held-out rows.

use super::challenge::{Challenger, residuals, weights, worth};
use super::evidence::{Doubt, Evidence, coincidence, doubt_about, idle};
use super::start::StartSetting;
use super::{Finding, OddPart, confidence, from_samples, refinement};
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{Matrix, norm};
use crate::network::Network;
use crate::watch::Progress;

/// Starts tried for each number of units: one from the joint diagonalisation, the others random.
const STARTS: usize = 5;
/// How often signs are turned and the rest is fitted again.
const SIGN_ROUNDS: usize = 4;
/// Standard deviations that chance is given before another unit is preferred.
const CHANCE: f64 = 3.0;

/// How the number of units last changed.
#[derive(PartialEq)]
enum WidthChange {
    Stay,
    Grow,
    Shrink,
}

/// A network, what speaks for it and what against.
pub(super) struct JudgedNetwork {
    pub network: Network,
    pub evidence: Evidence,
    pub doubt: Option<Doubt>,
}

/// The starts tried so far.
pub(super) struct StartSearch<'a> {
    setting: &'a StartSetting<'a>,
    held_out: &'a Data,
    /// Whether the number of units may change on the way.
    may_change: bool,
    /// The first without doubt, or that with the smallest held-out error.
    pub best: Option<JudgedNetwork>,
}

impl<'a> StartSearch<'a> {
    pub(super) fn new(setting: &'a StartSetting<'a>, held_out: &'a Data, may_change: bool) -> Self {
        StartSearch { setting, held_out, may_change, best: None }
    }

    /// Try these numbers of units, in order, until one is supported.
    pub(super) fn run(&mut self, widths: &[usize]) -> Result<()> {
        for &units in widths {
            for number in 0..STARTS {
                let error = self.best.as_ref().map(|best| best.evidence.held_out_error);
                self.setting.watch.report(Progress::Started { units, number: number + 1, error });
                if let Some(start) = self.setting.start(units, number)? {
                    self.try_from(start)?;
                }
                if self.is_supported() || self.is_interrupted() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// What the search came to.
    pub(super) fn finding(&self, widths: &[usize]) -> Finding {
        Finding::NotRecovered(match &self.best {
            Some(JudgedNetwork { doubt: None, .. }) => return Finding::Recovered,
            _ if self.is_interrupted() => Doubt::Interrupted,
            Some(JudgedNetwork { doubt: Some(doubt), .. }) => doubt.clone(),
            None => Doubt::NoStart { units: widths.first().copied().unwrap_or(0) },
        })
    }

    fn is_supported(&self) -> bool {
        self.best.as_ref().is_some_and(|best| best.doubt.is_none())
    }

    fn is_interrupted(&self) -> bool {
        self.setting.watch.is_over()
    }

    /// Refine; where that is not supported, again with the signs that a regression finds for these directions.
    fn try_from(&mut self, start: Network) -> Result<()> {
        let Some(network) = self.refined(start)? else { return Ok(()) };
        let signs_count = self.setting.information.odd_part != OddPart::Zero && !self.setting.parts.linear;
        let mut latest = network;
        for _ in 0..SIGN_ROUNDS {
            if self.is_supported() || !signs_count || self.is_interrupted() {
                break;
            }
            let Some(turned) = self.with_signs_from_samples(&latest) else { break };
            let Some(network) = self.refined(turned)? else { break };
            latest = network;
        }
        Ok(())
    }

    /// The least squares fit from a start; where a unit of it is superfluous, the fit without, and where another is
    /// missed, the fit with it. They are kept where they are the best so far.
    fn refined(&mut self, start: Network) -> Result<Option<Network>> {
        let setting = self.setting;
        let mut network = refinement::refine(setting.data, start, setting.watch)?;
        let mut direction = WidthChange::Stay;
        loop {
            if !network.W.as_slice().iter().chain(&network.v).all(|x| x.is_finite()) {
                return Ok(None);
            }
            let (candidate, larger) = self.judged(network.clone())?;
            let superfluous = candidate.doubt.as_ref().and_then(Doubt::unit);
            self.keep(candidate);
            if !self.may_change || self.is_interrupted() {
                return Ok(Some(network));
            }
            // Never to and fro.
            network = match (superfluous, larger) {
                (Some(unit), _) if network.width() > 1 && direction != WidthChange::Grow => {
                    direction = WidthChange::Shrink;
                    refinement::refine(setting.data, without(&network, unit), setting.watch)?
                }
                (_, Some(larger)) if network.width() < setting.data.d() && direction != WidthChange::Shrink => {
                    direction = WidthChange::Grow;
                    larger
                }
                _ => return Ok(Some(network)),
            };
        }
    }

    fn keep(&mut self, candidate: JudgedNetwork) {
        let better = self.best.as_ref().is_none_or(|best| {
            best.doubt.is_some() && candidate.evidence.held_out_error < best.evidence.held_out_error
        });
        if candidate.doubt.is_none() || better {
            self.best = Some(candidate);
        }
    }

    /// The network with all that speaks for and against it; a larger one where that is preferred.
    fn judged(&self, network: Network) -> Result<(JudgedNetwork, Option<Network>)> {
        let StartSetting { data, seed, watch, .. } = *self.setting;
        let evidence = Evidence::of(&network, data, self.held_out, seed)?;
        let mut doubt = evidence.doubt().or_else(|| idle(&network)).or_else(|| coincidence(&network));
        let mut larger = None;
        // Where labels are reproduced exactly, whether the weights are determined is looked at once, at the end.
        let noisy = !evidence.is_exact();
        if doubt.is_none() && noisy {
            let units = confidence::units(&network, data)?;
            doubt = units.map_or(Some(Doubt::Singular), |units| doubt_about(&units, evidence.unseen));
        }
        if doubt.is_none() && noisy {
            doubt = self.superfluous(&network)?;
        }
        let missed = doubt.is_none() || matches!(doubt, Some(Doubt::Structure { .. }));
        if missed
            && noisy
            && let Some(challenger) = Challenger::of(&network, (data, self.held_out), seed, watch)?
        {
            let Challenger { deviations, gain, .. } = challenger;
            if deviations > CHANCE || gain > 0.0 {
                doubt = doubt.or(Some(Doubt::AnotherUnit { deviations, gain }));
                larger = Some(challenger.network);
            }
        }
        Ok((JudgedNetwork { network, evidence, doubt }, larger))
    }

    /// The smallest unit, where Schwarz's criterion prefers a network without it.
    fn superfluous(&self, network: &Network) -> Result<Option<Doubt>> {
        let StartSetting { data, watch, .. } = *self.setting;
        let size = |j: &usize| network.v[*j].abs() * norm(network.W.row(*j));
        let smallest = (0..network.width()).min_by(|i, j| size(i).total_cmp(&size(j)));
        let Some(unit) = smallest.filter(|_| network.width() > 1) else { return Ok(None) };
        let smaller = refinement::refine(data, without(network, unit), watch)?;
        let error = |network: &Network| Ok::<f64, crate::error::Error>(norm(&residuals(network, data)?));
        let log_ratio = (error(&smaller)? / error(network)?).ln();
        let gain = worth(log_ratio, weights(network) - weights(&smaller), data.n());
        Ok((!(gain > 0.0)).then_some(Doubt::Superfluous { unit: unit + 1 }))
    }

    /// The same directions with the signs that least squares of y on φ(w·x) and φ(−w·x) prefers.
    fn with_signs_from_samples(&self, network: &Network) -> Option<Network> {
        let layer = from_samples(&self.setting.data.X, &self.setting.data.y, &network.W, &network.activation).ok()?;
        let turned = |B: &Matrix, j: usize| B.row(j).iter().zip(network.W.row(j)).any(|(b, w)| b != w);
        let any = (0..network.width()).any(|j| turned(&layer.B, j));
        any.then(|| Network { W: layer.B, v: layer.a, ..network.clone() })
    }
}

/// The network without one unit.
fn without(network: &Network, unit: usize) -> Network {
    network.select_units(&(0..network.width()).filter(|&j| j != unit).collect::<Vec<usize>>())
}
