//! Counter-based random streams: (seed, purpose, index) → stream.
//!
//! A stream depends on nothing but its three coordinates, so work may be split over any number of
//! threads and still draw the same numbers. The generator is ChaCha8: the seed is its key, purpose and
//! index select one of its 2⁶⁴ independent streams.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal, StandardUniform};

/// What a stream is for. Streams of different purposes never overlap. [`Stream`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Inputs of planted data; the index is the block of rows.
    Inputs = 1,
    /// Label noise of planted data; the index is the block of rows.
    Noise = 2,
    /// Weights of a teacher.
    Teacher = 3,
    /// The starting point of a run; the index is the start.
    Start = 4,
    /// Splits of the rows; the index is a [`Split`].
    Split = 5,
    /// The samples a stochastic method visits; the index is the epoch or step.
    Batches = 6,
    /// Probing directions of iterative eigensolvers.
    Probe = 7,
    /// Shuffles of columns; the index is the column and the repeat.
    Shuffle = 8,
    /// Draws of a bootstrap; the index is the block of rows or the resample.
    Bootstrap = 9,
    /// Hidden units drawn from the laws of a wide network; the index is the layer, counted over all networks of a sum.
    Units = 10,
}

/// What rows are split for: every split of a table has its own stream.
///
/// ```
/// use shallows::random::{Split, Stream};
///
/// let order = |split| Stream::of_split(7, split).permutation(20);
/// assert_ne!(order(Split::Holdout), order(Split::Calibration));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Split {
    /// Rows on which recovered networks are judged.
    Recovery = 0,
    /// Rows held out to judge a fit.
    Holdout = 1,
    /// Rows dealt into folds.
    CrossValidation = 2,
    /// Rows that calibrate intervals.
    Calibration = 3,
    /// The rows of a large table on which candidates are compared.
    Comparison = 4,
    /// The order in which a learning curve adds rows.
    LearningCurve = 5,
    /// The rows of a large table from which the laws of a wide network are learnt.
    Evidence = 6,
    /// The rows from which the network of intervals takes its laws.
    Jackknife = 7,
    /// The pivots from which the output layer of a large wide network is preconditioned.
    Pivots = 8,
    /// The rows from which the posterior deviations of a large wide network are computed.
    Deviation = 9,
}

/// A stream of random numbers.
///
/// ```
/// use shallows::random::{Purpose, Stream};
///
/// // The same seed, purpose and index give the same numbers; another purpose gives others.
/// let first = |purpose| Stream::new(7, purpose, 0).normal();
/// assert_eq!(first(Purpose::Inputs), first(Purpose::Inputs));
/// assert_ne!(first(Purpose::Inputs), first(Purpose::Noise));
/// ```
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream with these coordinates. Only the low 56 bits of `index` are used.
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream((purpose as u64) << 56 | (index & ((1 << 56) - 1)));
        Stream(rng)
    }

    /// The stream of a split of the rows.
    pub fn of_split(seed: u64, split: Split) -> Self {
        Stream::new(seed, Purpose::Split, split as u64)
    }

    /// A standard normal number.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// A number uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        StandardUniform.sample(&mut self.0)
    }

    /// +1 or −1 with equal probability.
    pub fn sign(&mut self) -> f64 {
        if self.uniform() < 0.5 { 1.0 } else { -1.0 }
    }

    /// A whole number uniform in 0..bound. The bias of the multiply-and-shift is below bound·2⁻⁶⁴.
    pub fn below(&mut self, bound: usize) -> usize {
        let word: u64 = StandardUniform.sample(&mut self.0);
        ((u128::from(word) * bound as u128) >> 64) as usize
    }

    /// Fill with independent standard normal numbers.
    pub fn fill_normal(&mut self, out: &mut [f64]) {
        out.iter_mut().for_each(|x| *x = self.normal());
    }

    /// A uniformly random permutation of 0..n.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_words(seed: u64, purpose: Purpose, index: u64) -> Vec<f64> {
        let mut stream = Stream::new(seed, purpose, index);
        (0..8).map(|_| stream.uniform()).collect()
    }

    #[test]
    fn a_stream_depends_on_each_of_its_coordinates_and_on_nothing_else() {
        let base = first_words(7, Purpose::Inputs, 3);
        assert_eq!(base, first_words(7, Purpose::Inputs, 3));
        assert_ne!(base, first_words(8, Purpose::Inputs, 3));
        assert_ne!(base, first_words(7, Purpose::Noise, 3));
        assert_ne!(base, first_words(7, Purpose::Inputs, 4));
    }

    #[test]
    fn normals_have_the_moments_of_the_standard_normal() {
        let mut stream = Stream::new(1, Purpose::Probe, 0);
        let n = 200_000;
        let mut moments = [0.0; 4];
        for _ in 0..n {
            let x = stream.normal();
            for (power, moment) in moments.iter_mut().enumerate() {
                *moment += x.powi(power as i32 + 1) / n as f64;
            }
        }
        // Standard errors of the first four sample moments: √(Var xᵖ / n), Var = 1, 2, 15, 96.
        for ((moment, truth), variance) in moments.iter().zip([0.0, 1.0, 0.0, 3.0]).zip([1.0, 2.0, 15.0, 96.0]) {
            assert!((moment - truth).abs() < 4.0 * f64::sqrt(variance / n as f64), "{moments:?}");
        }
    }

    #[test]
    fn permutations_are_uniform_over_the_six_orders_of_three() {
        let mut counts = std::collections::HashMap::new();
        let mut stream = Stream::new(2, Purpose::Probe, 0);
        for _ in 0..60_000 {
            *counts.entry(stream.permutation(3)).or_insert(0_i32) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Each count is binomial with mean 10 000 and standard deviation 91.
        assert!(counts.values().all(|count| (count - 10_000).abs() < 400), "{counts:?}");
    }
}
