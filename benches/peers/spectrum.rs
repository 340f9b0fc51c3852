//! Spectra of relu kernels: the kernel matrix, its two extreme eigenvalues, the separation of the rows.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use shallows::activation::Activation;
use shallows::linalg::{Matrix, norm};
use shallows::random::{Purpose, Stream};
use shallows::spectrum::{extremes, hidden_kernel, separation};

use super::{place, write_cases, write_npy};

const INPUTS: usize = 50;
/// Calls per round: the peer needs minutes for the largest case.
const CALLS: usize = 3;

pub fn cases(folder: &Path, quick: bool) -> Vec<Value> {
    let sizes: &[usize] = if quick { &[1000, 2000] } else { &[1000, 2000, 5000] };
    let cases: Vec<Value> = sizes.iter().flat_map(|&n| one_size(folder, n)).collect();
    write_cases(folder, &cases);
    cases
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
