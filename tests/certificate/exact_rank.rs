//! Ranks without rounding: the products of stored numbers modulo primes. A double is a whole number times a power of
//! two, so its image modulo an odd prime is exact, and a rank modulo a prime is never above the true rank.

use shallows::linalg::Matrix;

/// 2⁶¹ − 1 and 2⁶³ − 25.
const PRIMES: [u64; 2] = [2_305_843_009_213_693_951, 9_223_372_036_854_775_783];

/// D.
pub fn count(d: usize, affine: bool) -> usize {
    let inputs = d + usize::from(affine);
    inputs * (inputs + 1) / 2
}

/// The factors of each product on each row; with an affine part 1 counts as an input.
pub fn features(X: &Matrix, affine: bool) -> Vec<Vec<(f64, f64)>> {
    let row = |i: usize| {
        let x: Vec<f64> = affine.then_some(1.0).into_iter().chain(X.row(i).iter().copied()).collect();
        let pairs = (0..x.len()).flat_map(|a| (a..x.len()).map(move |b| (a, b)));
        pairs.map(|(a, b)| (x[a], x[b])).collect()
    };
    (0..X.rows()).map(row).collect()
}

/// True only if the products are independent; false hardly ever if they are.
pub fn proves_full_rank(features: &[Vec<(f64, f64)>]) -> bool {
    PRIMES.iter().any(|&p| rank(features, p) == features[0].len())
}

fn times(a: u64, b: u64, p: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(p)) as u64
}

fn power(mut base: u64, mut exponent: u64, p: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base, p);
        }
        base = times(base, base, p);
        exponent >>= 1;
    }
    result
}

/// x modulo p.
fn residue(x: f64, p: u64) -> u64 {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent as i64 - 1075) };
    let size = times(mantissa % p, power(2, exponent.rem_euclid(p as i64 - 1) as u64, p), p);
    if x.is_sign_negative() && size > 0 { p - size } else { size }
}

fn rank(features: &[Vec<(f64, f64)>], p: u64) -> usize {
    let residues = |row: &Vec<(f64, f64)>| row.iter().map(|(a, b)| times(residue(*a, p), residue(*b, p), p)).collect();
    let mut rows: Vec<Vec<u64>> = features.iter().map(residues).collect();
    let mut rank = 0;
    for column in 0..features[0].len() {
        let Some(pivot) = (rank..rows.len()).find(|&i| rows[i][column] != 0) else { continue };
        rows.swap(rank, pivot);
        let inverse = power(rows[rank][column], p - 2, p);
        let (above, below) = rows.split_at_mut(rank + 1);
        for row in below.iter_mut().filter(|row| row[column] != 0) {
            let factor = p - times(row[column], inverse, p);
            row.iter_mut().zip(&above[rank]).for_each(|(x, y)| {
                *x = ((u128::from(*x) + u128::from(times(factor, *y, p))) % u128::from(p)) as u64;
            });
        }
        rank += 1;
    }
    rank
}
