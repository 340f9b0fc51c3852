//! Runs the bodies of `jets`, `polynomial` and `series` over slices, on the widest vector unit the processor has.
//!
//! One generic loop is compiled three times, for three instruction sets, and the compiler vectorises it; which one runs
//! is decided at run time. Every operation is an IEEE operation of its own element and a tail is padded to a full
//! block, so the bits of a result depend on its argument (and on the instructions) alone, not on its position or on how a
//! slice was cut among threads.

use super::jets::{Abs, Cos, Erf, Gelu, Jet, LANES, LeakyRelu, Relu, Sigmoid, Softplus, Tanh};
use super::polynomial::{QuadraticPolynomial, Square};
use super::series::Hermite;
use super::{Activation, Kinked, Smooth};

/// A set of instructions that activations are evaluated with.
///
/// ```
/// use shallows::activation::Instructions;
///
/// // Every processor has the portable ones, and the best come first.
/// let available = Instructions::available();
/// assert_eq!(available.first(), Some(&Instructions::best()));
/// assert_eq!(available.last(), Some(&Instructions::Portable));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// 512-bit vectors with fused multiply–add.
    Avx512,
    /// 256-bit vectors with fused multiply–add.
    Avx2,
    /// Whatever the target guarantees; no fused multiply–add.
    Portable,
}

impl Instructions {
    /// Those of this processor, the fastest first.
    pub fn available() -> Vec<Instructions> {
        [Instructions::Avx512, Instructions::Avx2, Instructions::Portable]
            .into_iter()
            .filter(|instructions| instructions.is_available())
            .collect()
    }

    /// The fastest of this processor.
    pub fn best() -> Instructions {
        if Instructions::Avx512.is_available() {
            Instructions::Avx512
        } else if Instructions::Avx2.is_available() {
            Instructions::Avx2
        } else {
            Instructions::Portable
        }
    }

    /// Whether this processor has them.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_available(self) -> bool {
        match self {
            Instructions::Avx512 => {
                Instructions::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
            }
            Instructions::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Instructions::Portable => true,
        }
    }

    /// Whether this processor has them.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn is_available(self) -> bool {
        self == Instructions::Portable
    }
}

/// Writes φ, φ', φ'' (as many as there are slices in `out`) of every z; instructions that this processor lacks give way to
/// portable ones.
///
/// # Panics
/// When the slices differ in length.
#[allow(unsafe_code)]
pub(super) fn evaluate<const N: usize>(
    activation: &Activation,
    instructions: Instructions,
    z: &[f64],
    out: [&mut [f64]; N],
) {
    for slice in &out {
        assert_eq!(slice.len(), z.len(), "one result per argument");
    }
    match instructions {
        // SAFETY: the guard has just found the features avx512() is compiled for.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 if instructions.is_available() => unsafe { avx512(activation, z, out) },
        // SAFETY: the guard has just found the features avx2() is compiled for.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 if instructions.is_available() => unsafe { avx2(activation, z, out) },
        _ => choose::<false, N>(activation, z, out),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
fn avx512<const N: usize>(activation: &Activation, z: &[f64], out: [&mut [f64]; N]) {
    choose::<true, N>(activation, z, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<const N: usize>(activation: &Activation, z: &[f64], out: [&mut [f64]; N]) {
    choose::<true, N>(activation, z, out);
}

#[inline(always)]
fn choose<const FMA: bool, const N: usize>(activation: &Activation, z: &[f64], out: [&mut [f64]; N]) {
    match activation {
        Activation::Kinked(kinked) => match *kinked {
            Kinked::Relu => sweep::<Relu, FMA, N>(&Relu, z, out),
            Kinked::LeakyRelu { slope } => sweep::<LeakyRelu, FMA, N>(&LeakyRelu { slope }, z, out),
            Kinked::Abs => sweep::<Abs, FMA, N>(&Abs, z, out),
        },
        Activation::Smooth(smooth) => match smooth {
            &Smooth::Quadratic { alpha, beta: 0.0, gamma: 0.0 } => sweep::<Square, FMA, N>(&Square { alpha }, z, out),
            &Smooth::Quadratic { alpha, beta, gamma } => {
                sweep::<QuadraticPolynomial, FMA, N>(&QuadraticPolynomial { alpha, beta, gamma }, z, out);
            }
            &Smooth::Softplus { sharpness } => sweep::<Softplus, FMA, N>(&Softplus::new(sharpness), z, out),
            &Smooth::Sigmoid { sharpness } => sweep::<Sigmoid, FMA, N>(&Sigmoid::new(sharpness), z, out),
            Smooth::Tanh => sweep::<Tanh, FMA, N>(&Tanh, z, out),
            Smooth::Erf => sweep::<Erf, FMA, N>(&Erf, z, out),
            Smooth::Gelu => sweep::<Gelu, FMA, N>(&Gelu, z, out),
            Smooth::Cos => sweep::<Cos, FMA, N>(&Cos, z, out),
            Smooth::Hermite { coefficients } => sweep::<Hermite, FMA, N>(&Hermite::new(coefficients), z, out),
        },
    }
}

#[inline(always)]
fn sweep<J: Jet, const FMA: bool, const N: usize>(jet: &J, z: &[f64], out: [&mut [f64]; N]) {
    let out = out.map(|slice| &mut slice[..z.len()]);
    if J::CHEAP {
        for i in 0..z.len() {
            let (results, _) = jet.at::<FMA>(z[i]);
            for order in 0..N {
                out[order][i] = results[order];
            }
        }
        return;
    }
    let (blocks, tail) = z.as_chunks::<LANES>();
    for (i, block) in blocks.iter().enumerate() {
        let results = one_block::<J, FMA, N>(jet, block);
        for order in 0..N {
            out[order][i * LANES..][..LANES].copy_from_slice(&results[order]);
        }
    }
    if !tail.is_empty() {
        let mut block = [0.0; LANES];
        block[..tail.len()].copy_from_slice(tail);
        let results = one_block::<J, FMA, N>(jet, &block);
        for order in 0..N {
            out[order][z.len() - tail.len()..].copy_from_slice(&results[order][..tail.len()]);
        }
    }
}

#[inline(always)]
fn one_block<J: Jet, const FMA: bool, const N: usize>(jet: &J, z: &[f64; LANES]) -> [[f64; LANES]; 3] {
    let (mut results, hard) = jet.block::<FMA, N>(z);
    if hard {
        rescue::<J, FMA>(jet, z, &mut results);
    }
    results
}

/// Replaces the results at the hard points of a block.
#[cold]
#[inline(never)]
fn rescue<J: Jet, const FMA: bool>(jet: &J, z: &[f64; LANES], results: &mut [[f64; LANES]; 3]) {
    for lane in 0..LANES {
        if jet.at::<FMA>(z[lane]).1 {
            let rescued = jet.rescue::<FMA>(z[lane]);
            for order in 0..3 {
                results[order][lane] = rescued[order];
            }
        }
    }
}
