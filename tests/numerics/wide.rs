//! Infinitely wide networks: kernels against finite layers, repeated rows against weights, and what has no answer but one.

use shallows::linalg::Matrix;
use shallows::random::{Purpose, Stream};
use shallows::wide::{KernelLayer, LayerLaw, LayerSet, LayerUnits, WideKernel, WideNetwork};
use shallows::{Data, Watch};

fn layer(law: LayerLaw) -> KernelLayer {
    let scales = if law.has_scales() { vec![0.8, 1.7, 3.0] } else { vec![] };
    KernelLayer { law, signal: 1.0, scales, bias: 0.6 }
}

#[test]
fn kernels_are_the_averages_of_a_million_units() {
    const BATCHES: u64 = 20;
    const UNITS: usize = 50_000;
    let points = [[0.3, -1.0, 0.5], [0.9, 0.2, -0.4], [-1.1, 0.7, 2.0]];
    for law in LayerLaw::ALL {
        let layer = layer(law);
        let (mut sums, mut squares) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
        for batch in 0..BATCHES {
            let units = LayerUnits::drawn(&layer, 3, UNITS, &mut Stream::new(9, Purpose::Start, batch));
            let features = points.map(|x| units.features(&x));
            for a in 0..3 {
                for b in 0..=a {
                    for (f, g) in features[a].iter().zip(&features[b]) {
                        sums[a][b] += f * g;
                        squares[a][b] += (f * g).powi(2);
                    }
                }
            }
        }
        let count = BATCHES as f64 * UNITS as f64;
        for a in 0..3 {
            for b in 0..=a {
                let mean = sums[a][b] / count;
                let standard_error = ((squares[a][b] / count - mean * mean) / count).sqrt();
                let away = (mean - layer.value(&points[a], &points[b])).abs();
                assert!(away < 4.5 * standard_error, "{} {a} {b}: {}", law.name(), away / standard_error);
            }
        }
    }
}

#[test]
fn matrices_hold_the_values_of_pairs_whatever_the_tile() {
    let mut stream = Stream::new(3, Purpose::Probe, 0);
    let X = Matrix::from_fn(300, 3, |_, _| stream.normal());
    let kernel = WideKernel { layers: LayerLaw::ALL.map(layer).to_vec() };
    let (K, between, diagonal) = (kernel.matrix(&X), kernel.between(&X, &X), kernel.diagonal(&X));
    for (i, j) in [(0, 0), (0, 299), (299, 0), (131, 130), (128, 127), (200, 200), (257, 90)] {
        let value: f64 = kernel.layers.iter().map(|layer| layer.value(X.row(i), X.row(j))).sum();
        assert!((K[(i, j)] - value).abs() < 1e-13 * value.abs(), "{i} {j}");
        assert!((between[(i, j)] - value).abs() < 1e-13 * value.abs(), "{i} {j}");
        assert_eq!(K[(i, j)], K[(j, i)]);
    }
    assert!((0..300).all(|i| (diagonal[i] - K[(i, i)]).abs() < 1e-13 * diagonal[i]));
}

fn table(n: usize) -> Data {
    let mut stream = Stream::new(4, Purpose::Probe, n as u64);
    let X = Matrix::from_fn(n, 3, |_, _| stream.normal());
    let y = (0..n).map(|i| X[(i, 0)].sin() + X[(i, 1)] * X[(i, 2)] + 0.05 * stream.normal()).collect();
    Data::builder(X, y).build().unwrap()
}

const COLUMNS: [std::ops::Range<usize>; 3] = [0..1, 1..2, 2..3];

#[test]
fn a_wide_network_has_the_same_bits_on_one_and_two_threads() {
    let data = table(200);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let network = WideNetwork::best(&data, &COLUMNS, &LayerSet::ALL, 0, Watch::silent()).unwrap();
            (network.predict(&data.X), network.deviations(&data.X), network.alpha)
        })
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn a_row_is_predicted_the_same_alone_and_among_others() {
    let data = table(150);
    let network = WideNetwork::fitted(&data, &COLUMNS, LayerSet::RoughMixed, 0, Watch::silent()).unwrap();
    let together = network.predict(&data.X);
    for i in [0, 77, 149] {
        assert_eq!(network.predict(&data.X.select_rows(&[i])), [together[i]]);
    }
}

#[test]
fn repeated_rows_are_rows_with_weights() {
    let data = table(80);
    let twice: Vec<usize> = (0..80).flat_map(|i| vec![i; 1 + i % 3]).collect();
    let weights = (0..80).map(|i| (1 + i % 3) as f64).collect();
    let weighted = Data::builder(data.X.clone(), data.y.clone()).weights(Some(weights)).build().unwrap();
    let repeated = data.select(&twice);
    for set in LayerSet::ALL {
        let fitted = |data: &Data| WideNetwork::fitted(data, &COLUMNS, set, 0, Watch::silent()).unwrap();
        let (a, b) = (fitted(&repeated), fitted(&weighted));
        for (a, b) in a.predict(&data.X).iter().zip(b.predict(&data.X)) {
            assert!((a - b).abs() < 1e-6, "{}: {a} {b}", set.name());
        }
        assert!((a.left_out_error - b.left_out_error).abs() < 1e-6, "{}", set.name());
    }
}

#[test]
fn rows_that_repeat_others_do_not_flatter_the_error_on_rows_left_out() {
    let data = table(60);
    let twice: Vec<usize> = (0..60).chain(0..60).collect();
    let fitted = |data: &Data| WideNetwork::fitted(data, &COLUMNS, LayerSet::RoughRelu, 0, Watch::silent()).unwrap();
    let (once, twice) = (fitted(&data), fitted(&data.select(&twice)));
    assert!((once.left_out_error - twice.left_out_error).abs() < 1e-6);
    assert_eq!(twice.left_out.len(), 120);
    assert_eq!(twice.left_out[3], twice.left_out[63]);
}

#[test]
fn constant_targets_and_single_rows_are_predicted_by_themselves() {
    let data = table(30);
    let constant = Data::builder(data.X.clone(), vec![7.5; 30]).build().unwrap();
    let single = data.select(&[4]);
    let two = data.select(&[4, 5]);
    for set in LayerSet::ALL {
        let fitted = |data: &Data| WideNetwork::fitted(data, &COLUMNS, set, 0, Watch::silent()).unwrap();
        assert_eq!(fitted(&constant).predict(&data.X), [7.5; 30]);
        assert_eq!(fitted(&single).predict(&data.X), vec![single.y[0]; 30]);
        assert!(fitted(&two).predict(&data.X).iter().all(|f| f.is_finite()));
        let flat = Data::builder(Matrix::zeros(30, 3), data.y.clone()).build().unwrap();
        let mean = data.y.iter().sum::<f64>() / 30.0;
        assert!(fitted(&flat).predict(&data.X).iter().all(|f| (f - mean).abs() < 1e-9));
    }
}

#[test]
fn a_step_function_of_a_code_does_not_shift_the_network() {
    let mut stream = Stream::new(6, Purpose::Probe, 3);
    let X = Matrix::from_fn(300, 2, |i, j| if j == 0 { (i % 40) as f64 } else { stream.normal() });
    let y = (0..300).map(|i| if i % 40 < 13 { -10.0 } else { 25.0 }).collect();
    let data = Data::builder(X, y).build().unwrap();
    for set in [LayerSet::RoughRelu, LayerSet::RoughErf, LayerSet::RoughMixed, LayerSet::Ranks] {
        let network = WideNetwork::fitted(&data, &[0..1, 1..2], set, 0, Watch::silent()).unwrap();
        let f = network.predict(&data.X);
        let rmse = (f.iter().zip(&data.y).map(|(f, y)| (f - y).powi(2)).sum::<f64>() / 300.0).sqrt();
        let shift = f.iter().zip(&data.y).map(|(f, y)| f - y).sum::<f64>() / 300.0;
        assert!(rmse <= network.left_out_error && shift.abs() < 1e-3, "{}: {rmse} {shift}", set.name());
        let gap = network.duality_gap(&data, &network.alpha).unwrap();
        assert!(gap.gap <= 1e-9 * gap.objective, "{}: {gap:?}", set.name());
    }
}

#[test]
fn weights_of_zero_leave_a_row_out() {
    let data = table(50);
    let weights = (0..50).map(|i| if i < 10 { 0.0 } else { 1.0 }).collect();
    let weighted = Data::builder(data.X.clone(), data.y.clone()).weights(Some(weights)).build().unwrap();
    let rest = data.select(&(10..50).collect::<Vec<_>>());
    let fitted = |data: &Data| WideNetwork::fitted(data, &COLUMNS, LayerSet::RoughRelu, 0, Watch::silent()).unwrap();
    let (a, b) = (fitted(&weighted), fitted(&rest));
    let f = b.predict(&data.X);
    for i in 0..50 {
        let expected = if i < 10 { f[i] - data.y[i] } else { b.left_out[i - 10] };
        assert!((a.left_out[i] - expected).abs() < 1e-6, "row {i}: {} {expected}", a.left_out[i]);
    }
}

#[test]
fn tables_of_any_size_and_scale_are_predicted_by_finite_numbers() {
    let mut stream = Stream::new(8, Purpose::Probe, 1);
    for (n, d) in [(2, 1), (3, 40), (30, 100), (130, 2)] {
        let scale = |j: usize| [1.0, 1e300, 1e-300, 1e-6][j % 4];
        let X = Matrix::from_fn(n, d, |i, j| scale(j) * if i == 0 { 1e3 } else { stream.normal() });
        let y: Vec<f64> = (0..n).map(|i| if i == 1 { 1e12 } else { 1e6 + stream.normal() }).collect();
        let data = Data::builder(X, y).build().unwrap();
        let columns: Vec<_> = (0..d).map(|j| j..j + 1).collect();
        let networks = WideNetwork::all(&data, &columns, &LayerSet::ALL, 0, Watch::silent());
        assert_eq!(networks.len(), LayerSet::ALL.len(), "{n}×{d}");
        for network in networks {
            let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
            assert!(finite(&network.predict(&data.X)) && finite(&network.left_out), "{n}×{d} {}", network.set.name());
            assert!(finite(&network.deviations(&data.X)), "{n}×{d} {}", network.set.name());
            let gap = network.duality_gap(&data, &network.alpha).unwrap();
            assert!(gap.gap <= 1e-9 * gap.objective, "{n}×{d} {}: {gap:?}", network.set.name());
        }
    }
}

#[test]
fn inputs_of_one_column_share_their_scale() {
    let data = table(100);
    for set in LayerSet::ALL {
        let network = WideNetwork::fitted(&data, &[0..1, 1..3], set, 0, Watch::silent()).unwrap();
        for layer in network.kernel.layers.iter().filter(|layer| layer.law.has_scales()) {
            assert_eq!(layer.scales[1], layer.scales[2]);
            assert_ne!(layer.scales[0], layer.scales[1], "{}", set.name());
        }
    }
}
