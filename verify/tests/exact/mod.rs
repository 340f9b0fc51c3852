//! Small whole numbers without a pattern, and exact arithmetic on them.

#![allow(dead_code)]

pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// Between −most and most.
    pub fn next(&mut self, most: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % (2 * most + 1) - most
    }

    /// Below a number.
    pub fn below(&mut self, bound: usize) -> usize {
        self.next(1 << 20).unsigned_abs() as usize % bound
    }

    pub fn list(&mut self, count: usize, most: i64) -> Vec<i64> {
        (0..count).map(|_| self.next(most)).collect()
    }
}

pub fn floats(numbers: &[i64]) -> Vec<f64> {
    numbers.iter().map(|x| *x as f64).collect()
}

/// The rank, and for each column without a pivot whole coefficients of a combination that is zero and has that column in it.
pub fn rank_and_kernel(rows: &[Vec<i128>], columns: usize) -> (usize, Vec<Vec<i128>>) {
    let mut A: Vec<Vec<i128>> = rows.to_vec();
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..columns {
        let rank = pivots.len();
        let Some(at) = (rank..A.len()).find(|&i| A[i][column] != 0) else { continue };
        A.swap(rank, at);
        for i in (0..A.len()).filter(|&i| i != rank) {
            let (p, q) = (A[rank][column], A[i][column]);
            if q != 0 {
                for j in 0..columns {
                    A[i][j] = p * A[i][j] - q * A[rank][j];
                }
                let common = A[i].iter().fold(0, |g, x| gcd(g, *x));
                A[i].iter_mut().for_each(|x| *x /= common.max(1));
            }
        }
        pivots.push(column);
    }
    let free = (0..columns).filter(|column| !pivots.contains(column));
    let kernel = free.map(|column| {
        let common = (0..pivots.len()).fold(1, |l, i| lcm(l, A[i][pivots[i]]));
        let mut x = vec![0; columns];
        x[column] = common;
        (0..pivots.len()).for_each(|i| x[pivots[i]] = -common / A[i][pivots[i]] * A[i][column]);
        x
    });
    (pivots.len(), kernel.collect())
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

fn lcm(a: i128, b: i128) -> i128 {
    (a / gcd(a, b) * b).abs()
}

/// Whether a symmetric 1×1 or 2×2 matrix [a, b, c] = [[a, b], [b, c]] is positive definite.
pub fn is_definite([a, b, c]: [i128; 3]) -> bool {
    a > 0 && a * c - b * b > 0
}
