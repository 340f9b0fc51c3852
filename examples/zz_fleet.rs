#![allow(non_snake_case, missing_docs, clippy::unwrap_used)]
use shallows::activation::{Activation, Path};
use shallows::fleet::{Precision, prototype};
use shallows::linalg::Matrix;
use shallows::optimise::Step;
use shallows::random::{Purpose, Stream};
fn main() {
    let its = 20000;
    for name in ["softplus:10", "relu", "tanh", "erf", "quadratic"] {
        let activation: Activation = name.parse().unwrap();
        for (k, d) in [(5, 20), (10, 10), (13, 13), (25, 25)] {
            let n = 100;
            let mut s = Stream::new(1, Purpose::Inputs, 0);
            let X = Matrix::from_fn(n, d, |_, _| s.normal() / (d as f64).sqrt());
            let y: Vec<f64> = (0..n).map(|_| s.normal()).collect();
            let W = Matrix::from_fn(k, d, |_, _| s.normal());
            let v: Vec<f64> = (0..k).map(|_| s.sign() * 0.3).collect();
            let omega = vec![1.0 / n as f64; n];
            for precision in [Precision::Double, Precision::Single] {
                let mut line = format!("{name:12} {k:2} {d:2} {precision:?}");
                for path in Path::available() {
                    let its = if path == Path::Portable { its / 10 } else { its };
                    let mut best = f64::MAX;
                    for _ in 0..5 {
                        let t = std::time::Instant::now();
                        std::hint::black_box(prototype(path, precision, &activation, &X, &y, &omega, &W, &v, Step::Fixed(1e-3), its));
                        best = best.min(t.elapsed().as_secs_f64() / its as f64);
                    }
                    line += &format!("  {path:?} {:7.3} us {:4.0}k/s", best * 1e6, 1e-3 / best);
                    if path == Path::Avx512 {
                        line += &format!(" {:5.1} GF", 4.0 * (n * k * (d + 1)) as f64 / best / 1e9);
                    }
                }
                println!("{line}");
            }
        }
    }
}
