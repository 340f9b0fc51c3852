//! Spectra of relu kernels: the kernel matrix, its two extreme eigenvalues, the separation of the rows; and the kernel matrices of
//! infinitely wide layers.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use shallows::activation::Activation;
use shallows::linalg::{Matrix, norm};
use shallows::random::{Purpose, Stream};
use shallows::spectrum::{extremes, hidden_kernel, separation};
use shallows::wide::{KernelLayer, LayerLaw, WideKernel};

use super::{place, write_cases, write_npy};

const INPUTS: usize = 50;
/// Calls per round: the peer needs minutes for the largest case.
const CALLS: usize = 3;

pub fn cases(folder: &Path, quick: bool) -> Vec<Value> {
    let sizes: &[usize] = if quick { &[1000, 2000] } else { &[1000, 2000, 5000] };
    let spectra = sizes.iter().flat_map(|&n| one_size(folder, n));
    let wide = sizes.iter().flat_map(|&n| WIDE.into_iter().map(move |wide| wide_case(folder, n, wide)));
    let cases: Vec<Value> = spectra.chain(wide).collect();
    write_cases(folder, &cases);
    cases
}

const WIDE_INPUTS: usize = 8;
/// The laws whose kernels peers have, or that NumPy can be told in a few lines, and the vector operations of a pair of rows: those
/// of the sum over the inputs, and those of the function of it.
const WIDE: [(LayerLaw, usize); 6] = [
    (LayerLaw::RoughByInput, 3 * WIDE_INPUTS + 22),
    (LayerLaw::Rough, 2 * WIDE_INPUTS + 23),
    (LayerLaw::T3, 2 * WIDE_INPUTS + 26),
    (LayerLaw::T5, 2 * WIDE_INPUTS + 28),
    (LayerLaw::Relu, WIDE_INPUTS + 1 + 42),
    (LayerLaw::Erf, WIDE_INPUTS + 1 + 30),
];
/// ℓ, of all inputs and laws; and β.
const SCALE: f64 = 4.0;
const BIAS: f64 = 0.5;

/// The kernel matrix of one layer. Every pair of rows is computed once; an operation of the vector unit counts as the two flops
/// that it could have done.
fn wide_case(folder: &Path, n: usize, (law, operations): (LayerLaw, usize)) -> Value {
    let name = format!("wide-{}-n={n}", law.name());
    let place = place(folder, &name);
    let mut stream = Stream::new(5, Purpose::Inputs, 0);
    let X = Matrix::from_fn(n, WIDE_INPUTS, |_, _| stream.normal());
    let layer = KernelLayer { law, signal: 1.0, scales: vec![SCALE; WIDE_INPUTS], bias: BIAS };
    let kernel = WideKernel { layers: vec![layer] };
    if !place.join("K.npy").exists() {
        write_npy(place.join("X.npy"), &[n, WIDE_INPUTS], X.as_slice());
        write_npy(place.join("K.npy"), &[n, n], kernel.matrix(&X).as_slice());
    }
    json!({
        "case": format!("wide {} n={n} d={WIDE_INPUTS}", law.name()), "task": "wide kernel", "law": law.name(), "folder": name,
        "n": n, "scale": SCALE, "bias": BIAS, "flops": 2 * operations * (n * (n + 1) / 2),
        "seconds": timed(&|| drop(black_box(kernel.matrix(black_box(&X))))),
    })
}

fn one_size(folder: &Path, n: usize) -> [Value; 4] {
    let d = INPUTS;
    let name = format!("n={n}");
    let place = place(folder, &name);
    let X = unit_rows(n, d);
    let kernel = hidden_kernel(&Activation::RELU, &X).matrix;
    if !place.join("K.npy").exists() {
        write_npy(place.join("X.npy"), &[n, d], X.as_slice());
        write_npy(place.join("K.npy"), &[n, n], kernel.as_slice());
    }
    let found = extremes(&kernel).unwrap();
    write_npy(place.join("extremes.npy"), &[2], &[found.smallest, found.largest]);
    write_npy(place.join("separation.npy"), &[1], &[separation(&X).unwrap().distance]);
    let case = |task: &str, flops: usize, call: &dyn Fn()| {
        json!({
            "case": format!("{task} n={n} d={d}"), "task": task, "folder": name, "n": n, "flops": flops,
            "seconds": timed(call),
        })
    };
    [
        case("relu kernel", n * n * d, &|| drop(black_box(hidden_kernel(&Activation::RELU, black_box(&X))))),
        case("tanh kernel", n * n * d, &|| drop(black_box(hidden_kernel(&Activation::TANH, black_box(&X))))),
        case("extremes", n * n * n / 3, &|| drop(black_box(extremes(black_box(&kernel))))),
        case("separation", n * n * d, &|| {
            black_box(separation(black_box(&X)));
        }),
    ]
}

fn timed(call: &dyn Fn()) -> Vec<f64> {
    let one = |_| {
        let since = Instant::now();
        call();
        since.elapsed().as_secs_f64()
    };
    (0..CALLS).map(one).collect()
}

/// Uniform on the sphere.
fn unit_rows(n: usize, d: usize) -> Matrix {
    let mut stream = Stream::new(4, Purpose::Inputs, 0);
    let X = Matrix::from_fn(n, d, |_, _| stream.normal());
    Matrix::from_fn(n, d, |i, j| X[(i, j)] / norm(X.row(i)))
}
