//! Trying starts until one is supported by the held-out rows.

use std::sync::atomic::Ordering;

use super::evidence::{Doubt, Evidence};
use super::start::Setting;
use super::{OddPart, Stage, Verdict, from_samples, refinement};
use crate::data::Data;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::network::{Layout, Network};

/// Starts tried for each number of units: one from the joint diagonalisation, the others random.
const STARTS: usize = 5;

/// A network and what speaks for it.
pub(super) struct Candidate {
    pub network: Network,
    pub evidence: Evidence,
}

/// The starts tried so far.
pub(super) struct Search<'a> {
    setting: &'a Setting<'a>,
    held_out: &'a Data,
    /// The first that is supported, or that with the smallest held-out error.
    pub best: Option<Candidate>,
    supported: bool,
}

impl<'a> Search<'a> {
    pub fn new(setting: &'a Setting<'a>, held_out: &'a Data) -> Self {
        Search { setting, held_out, best: None, supported: false }
    }

    /// Try these numbers of units, in order, until one is supported.
    pub fn run(&mut self, widths: &[usize], report: &mut dyn FnMut(Stage)) -> Result<()> {
        for &units in widths {
            for number in 0..STARTS {
                let error = self.best.as_ref().map(|best| best.evidence.held_out_error);
                report(Stage::Start { units, number: number + 1, error });
                if let Some(start) = self.setting.start(units, number)? {
                    self.try_from(start)?;
                }
                if self.supported || self.is_interrupted() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// What the search came to.
    pub fn verdict(&self, widths: &[usize]) -> Verdict {
        if self.supported {
            return Verdict::Recovered;
        }
        let found = self.best.as_ref().and_then(|best| best.evidence.doubt());
        Verdict::NotRecovered(match found {
            _ if self.is_interrupted() => Doubt::Interrupted,
            Some(doubt) => doubt,
            None => Doubt::NoStart { units: widths.first().copied().unwrap_or(0) },
        })
    }

    fn is_interrupted(&self) -> bool {
        self.setting.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Refine; where that is not supported, once more with the signs that a regression finds for these directions.
    fn try_from(&mut self, start: Network) -> Result<()> {
        let Some(network) = self.refined(start)? else { return Ok(()) };
        let signs_count = self.setting.information.odd_part != OddPart::Zero && !self.setting.parts.linear;
        if !self.supported
            && signs_count
            && !self.is_interrupted()
            && let Some(turned) = self.with_signs_from_samples(network)
        {
            self.refined(turned)?;
        }
        Ok(())
    }

    /// The least squares fit from a start; it is kept where it is the best so far.
    fn refined(&mut self, start: Network) -> Result<Option<Network>> {
        let setting = self.setting;
        let network = refinement::refine(setting.data, start, setting.interrupted)?;
        if !network.W.as_slice().iter().chain(&network.v).all(|x| x.is_finite()) {
            return Ok(None);
        }
        let parameters = Layout::new(&network, refinement::layers(&network)).len();
        let evidence = Evidence::of(&network, parameters, setting.data, self.held_out, setting.seed)?;
        let supported = evidence.doubt().is_none();
        let better = self.best.as_ref().is_none_or(|best| evidence.held_out_error < best.evidence.held_out_error);
        if supported || better {
            self.supported = supported;
            self.best = Some(Candidate { network: network.clone(), evidence });
        }
        Ok(Some(network))
    }

    /// The same directions with the signs that least squares of y on φ(w·x) and φ(−w·x) prefers.
    fn with_signs_from_samples(&self, network: Network) -> Option<Network> {
        let layer = from_samples(&self.setting.data.X, &self.setting.data.y, &network.W, &network.activation).ok()?;
        let turned = |B: &Matrix, j: usize| B.row(j).iter().zip(network.W.row(j)).any(|(b, w)| b != w);
        let any = (0..network.width()).any(|j| turned(&layer.B, j));
        any.then_some(Network { W: layer.B, v: layer.a, ..network })
    }
}
