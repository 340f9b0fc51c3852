//! Pairs of rows a second on one thread, beside what the vector units could do.
//!
//! The limit is measured: the operations a second of independent fused multiply–adds from registers, two vectors of eight
//! doubles a cycle here. Every operation counts as one; where a processor has further units for sums, absolute values and
//! comparisons, a share above 100 % can be had. Pages of memory are not part of it: tiles are thrown away.

use std::hint::black_box;
use std::time::Instant;

use shallows::linalg::Matrix;
use shallows::random::{Purpose, Stream};
use shallows::wide::{KernelLayer, LayerLaw, WideKernel};

const ROWS: usize = 2048;

pub(crate) fn measure() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let limit = fused_operations();
        println!("vector limit: {:.1}e9 operations a second", limit / 1e9);
        println!("| layer | inputs | operations a pair | million pairs a second | share of the limit |");
        println!("|---|---:|---:|---:|---:|");
        for d in [4, 8, 32] {
            LayerLaw::ALL.into_iter().for_each(|law| of_law(law, d, limit));
        }
    });
}

/// Vector operations of a pair: those of the sum over inputs, and those of the function of it.
fn operations(law: LayerLaw, d: usize) -> usize {
    match law {
        LayerLaw::RoughByInput => 3 * d + 22,
        LayerLaw::Rough => 2 * d + 23,
        LayerLaw::T3 => 2 * d + 26,
        LayerLaw::T5 => 2 * d + 28,
        LayerLaw::Relu => d + 1 + 42,
        LayerLaw::Erf => d + 1 + 30,
        LayerLaw::Quadratic => d + 5,
        LayerLaw::Affine => d + 1 + 3,
    }
}

fn of_law(law: LayerLaw, d: usize, limit: f64) {
    let mut stream = Stream::new(1, Purpose::Probe, d as u64);
    let X = Matrix::from_fn(ROWS, d, |_, _| stream.normal());
    let scales = if law.has_scales() { vec![d as f64; d] } else { vec![] };
    let kernel = WideKernel { layers: vec![KernelLayer { law, signal: 1.0, scales, bias: 1.0 }] };
    let seconds = (0..7)
        .map(|_| {
            let since = Instant::now();
            black_box(kernel.swept(black_box(&X)));
            since.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    // Tiles on the diagonal are computed whole.
    let count = ROWS / 128;
    let pairs = (count * (count + 1) / 2 * 128 * 128) as f64;
    let share = pairs * operations(law, d) as f64 / seconds / limit;
    println!(
        "| {} | {d} | {} | {:.0} | {:.0} % |",
        law.name(),
        operations(law, d),
        pairs / seconds / 1e6,
        100.0 * share
    );
}

/// Fused multiply–adds a second, from registers.
fn fused_operations() -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has just been found to have the instructions.
        #[allow(unsafe_code)]
        return unsafe { fused_avx512() };
    }
    f64::NAN
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn fused_avx512() -> f64 {
    const SUMS: usize = 96;
    const ROUNDS: usize = 2_000_000;
    let mut best = 0.0_f64;
    for _ in 0..5 {
        let (mut sums, factor) = ([1.0_f64; SUMS], black_box(0.999_999));
        let since = Instant::now();
        for _ in 0..ROUNDS {
            sums.iter_mut().for_each(|sum| *sum = sum.mul_add(factor, 1e-6));
        }
        black_box(sums);
        best = best.max((SUMS * ROUNDS) as f64 / since.elapsed().as_secs_f64());
    }
    best
}
