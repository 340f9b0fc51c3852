//! Softplus by tables of sixteen entries, which fit into registers, and shorter series.

use super::abreast::{add, constant, copysign, fma, horner, max, mul, reciprocal, splat, sub, where_greater};
use super::vector::{Real, Vector};

/// log₂(1 + 2ᵖ) and its slope 1/(1 + 2⁻ᵖ).
///
/// With −|p| = n + f, n a multiple of 1/16, u = 2^(−|p|) = 2ⁿ·2ᶠ, and 2ⁿ is 2^(i/16) times a power of two. With cᵢ close to
/// 1/(1 + u), log(1 + u) = log(1 + r) − log cᵢ, r = cᵢ(1 + u) − 1.
///
/// `entry` takes entries of a table by the four lowest bits of each number; `times_power` is a·2^⌊n⌋.
#[inline(always)]
pub(super) unsafe fn softplus<V: Vector, const R: usize>(
    p: [V; R],
    entry: impl Fn(&'static [V::Real; 16], V) -> V,
    times_power: impl Fn(V, V) -> V,
) -> ([V; R], [V; R]) {
    let numbers = V::Real::NUMBERS;
    let x = copysign(p, constant(-1.0));
    // Adding this rounds to a multiple of 1/16.
    let rounder = splat(numbers.rounder / V::Real::nearest(16.0));
    let shifted = add(x, rounder);
    let n = sub(shifted, rounder);
    let f = sub(x, n);
    let root = entries(&entry, numbers.roots, shifted);
    let u = times_powers(&times_power, fma(root, mul(f, horner(f, numbers.short_exponential)), root), n);
    let place = fma(u, constant(15.0), splat(numbers.rounder));
    let y = add(constant(1.0), u);
    let r = fma(entries(&entry, numbers.inverses, place), y, constant(-1.0));
    let logarithm = fma(r, horner(r, numbers.short_logarithm), entries(&entry, numbers.logarithms, place));
    let w = reciprocal(y);
    let slope = where_greater(constant(0.0), p, mul(u, w), w);
    (add(logarithm, max(constant(0.0), p)), slope)
}

#[inline(always)]
fn entries<V: Vector, const R: usize>(
    entry: &impl Fn(&'static [V::Real; 16], V) -> V,
    table: &'static [V::Real; 16],
    mut places: [V; R],
) -> [V; R] {
    for r in 0..R {
        places[r] = entry(table, places[r]);
    }
    places
}

#[inline(always)]
fn times_powers<V: Vector, const R: usize>(times_power: &impl Fn(V, V) -> V, mut a: [V; R], n: [V; R]) -> [V; R] {
    for r in 0..R {
        a[r] = times_power(a[r], n[r]);
    }
    a
}
