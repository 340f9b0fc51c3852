//! Verdicts of margins, and bounds at a start.

#[cfg(test)]
mod verdicts {
    use crate::certificate::{Check, Verdict};

    #[test]
    fn a_margin_without_an_upper_end_is_not_a_pass() {
        let verdict = |least: f64, most: f64| Check::between("", least, most).verdict();
        assert_eq!(verdict(-5.0, f64::INFINITY), Verdict::Undecided);
        assert_eq!(verdict(0.0, f64::INFINITY), Verdict::Undecided);
        assert_eq!(verdict(f64::NEG_INFINITY, 5.0), Verdict::Undecided);
        assert_eq!(verdict(f64::NEG_INFINITY, f64::INFINITY), Verdict::Undecided);
        assert_eq!(verdict(f64::MAX, f64::MAX), Verdict::Holds);
        assert_eq!(verdict(-f64::MAX, -f64::MAX), Verdict::Fails);
        assert_eq!(verdict(1.0, 2.0), Verdict::Holds);
        assert_eq!(verdict(-1.0, 2.0), Verdict::Undecided);
        assert_eq!(verdict(-2.0, -1.0), Verdict::Fails);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod starts {
    use crate::activation::Activation;
    use crate::certificate::descent::jacobian::{JacobianPart, at_start, input_norm};
    use crate::data::Data;
    use crate::linalg::Matrix;
    use crate::network::Network;

    fn data(X: Matrix, weights: Option<Vec<f64>>) -> Data {
        let names = (1..=X.cols()).map(|j| format!("x{j}")).collect();
        Data::builder(X.clone(), vec![1.0; X.rows()]).names(names).weights(weights).build().unwrap()
    }

    #[test]
    fn a_norm_is_at_least_its_lower_bound_when_every_sum_is_rounded_up() {
        // ‖x‖² = 1 + 99·0.6·2⁻⁵² up to 2⁻¹⁰⁰; each of the 99 sums rounds 0.6 up to 1, and one more is added.
        let small = (0.6 * f64::EPSILON).sqrt();
        let X = Matrix::from_fn(1, 100, |_, j| if j == 0 { 1.0 } else { small });
        let network = Network::new(Activation::RELU, Matrix::from_fn(1, 100, |_, _| 1.0), vec![1.0]).unwrap();
        let longest = at_start(&network, &data(X, None), JacobianPart::Hidden).longest;
        let above = longest.low - 1.0;
        assert!(above <= 0.5 * 99.0 * 0.6 * f64::EPSILON, "{above:e}");
        assert!(longest.high - 1.0 >= 0.5 * 99.0 * 0.6 * f64::EPSILON);
    }

    #[test]
    fn a_row_of_weight_zero_does_not_shift_the_weights_of_the_others() {
        let X = Matrix::from_fn(3, 1, |i, _| [1.0, 1.0, 2.0][i]);
        let norm = input_norm(&data(X, Some(vec![0.0, 1.0, 100.0])));
        let exact = 401.0_f64.sqrt();
        assert!(norm.low <= exact && exact <= norm.high && norm.high < exact * (1.0 + 1e-12), "{norm:?}");
    }
}
