"""``wide-optimum``: the gap of an infinitely wide network (§30), between rational numbers.

Groups of rows, the mean labels, weights and the lengths and products of inputs divided by their scales are exact. The kernels need √, e^x and
the arctangent, which are enclosed by rational numbers with the remainders of their series; ends are rounded outward to 320 binary digits.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from exact_core import Refused, Rows, items, members, number, numbers, text, whole
from exact_descent import PI
from exact_theorems import Case, Facts, Interval, at_least_zero, tolerance

DIGITS = 320
# Powers of ten stand for the doubles nearest to them.
LEAST, LARGEST = Fraction(1e-100), Fraction(1e100)
LABELS_PART, LEAST_MEASURE = Fraction(1e-22), Fraction(1e-290)
LEAST_NORMAL = Fraction(2) ** -1022
LAWS = ("rough-by-input", "rough", "t3", "t5", "relu", "erf", "quadratic", "affine")
MOST_LAYERS, MOST_INPUTS = 16, 10**6

# --- numbers between rational ones ------------------------------------------------------------------------------------


def cut(value: Fraction, up: bool) -> Fraction:
    """A number of 320 binary digits that is at most the given one, or at least that."""
    numerator, denominator = (-value if up else value).as_integer_ratio()
    shift = DIGITS - abs(numerator).bit_length() + denominator.bit_length()
    shifted = (numerator << max(shift, 0)) // (denominator << max(-shift, 0))
    return Fraction(-shifted if up else shifted) * Fraction(2) ** -shift


def short(value: Interval) -> Interval:
    """The same interval with short ends, outward."""
    return Interval(cut(value.low, False), cut(value.high, True))


def power_sum(x: Fraction, factorials: bool) -> Interval:
    """Σ(−x)^k/k!, or Σ(−x)^k/(2k + 1), for 0 ≤ x ≤ 1, and x ≤ 1/25 for the second.

    The terms alternate and fall, so that what is left out is at most the first of them. In units of 2⁻³⁶⁰ a term is the one
    before times a factor of at most 1, rounded, so that the one with index k is off by at most k.
    """
    unit = 1 << 360
    scaled = round(x * unit)
    total, power, k, error = 0, unit, 0, 0
    while power > k + 2:
        term = power if factorials else power // (2 * k + 1)
        total += -term if k % 2 else term
        k += 1
        # x itself is off by half a unit, the quotients by one each.
        error += 3 * k
        power = power * scaled >> 360
        if factorials:
            power //= k
    error += power + 3 * k + 3
    return Interval(Fraction(total - error, unit), Fraction(total + error, unit))


def logarithm_of_two() -> Interval:
    """2Σ3^{−2k−1}/(2k + 1); what is left out is less than the last term."""
    terms = [Fraction(2, (2 * k + 1) * 3 ** (2 * k + 1)) for k in range(300)]
    return short(Interval(sum(terms), sum(terms) + terms[-1]))


LN2 = logarithm_of_two()
SHORT_PI = short(PI)


def decayed_at(t: Fraction) -> Interval:
    """e^{−t} for t ≥ 0 of 320 digits: 2^{−k}e^{−r}, r = t − k·ln 2. Beyond 5000 it counts as between 0 and 2⁻⁷⁰⁰⁰."""
    if t > 5000:
        return Interval(Fraction(0), Fraction(1, 2**7000))
    k = math.floor(t / LN2.high)
    rest = Interval.of(t) - LN2 * k
    # k is rounded down with the larger ln 2, so that 0 ≤ r ≤ 0.7.
    low, high = max(rest.low, Fraction(0)), min(rest.high, Fraction(1))
    between = Interval(power_sum(high, True).low, power_sum(low, True).high)
    return short(Interval(between.low / 2**k, between.high / 2**k))


def decayed(t: Interval) -> Interval:
    """e^{−t} for t ≥ 0."""
    return Interval(decayed_at(t.high).low, decayed_at(t.low).high)


def root(value: Interval | Fraction) -> Interval:
    """The square root of a number that is not negative."""
    exact = Interval.of(value)
    return short(Interval(Interval.root(max(exact.low, Fraction(0))).low, Interval.root(exact.high).high))


def arctangent_at(t: Fraction) -> Interval:
    """The arctangent of t ≥ 0: π/2 less that of 1/t for t > 1, twice that of t/(1 + √(1 + t²)), and tΣ(−t²)^k/(2k + 1) at last."""
    if t == 0:
        return Interval.of(0)
    if t > 1:
        return short(SHORT_PI * Fraction(1, 2) - arctangent(short(Interval.of(1 / t))))
    if 5 * t > 1:
        half = short(Interval.of(t) / (root(1 + t * t) + 1))
        return arctangent(half) * 2
    square = short(Interval.of(t * t))
    return short(Interval(power_sum(square.high, False).low, power_sum(square.low, False).high) * t)


def arctangent(t: Interval) -> Interval:
    """The arctangent of a number that is not negative."""
    return Interval(arctangent_at(max(t.low, Fraction(0))).low, arctangent_at(t.high).high)


# --- kernels ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    """A law of hidden weights with its scales."""

    law: str
    signal: Fraction
    scales: tuple[Fraction, ...]
    bias: Fraction

    def kernel(self, z: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> Interval:
        """s·κ_layer(z, z')."""
        return short(law_kernel(self, *sorted((z, other))) * self.signal)


def scaled(layer: Layer, z: tuple[Fraction, ...]) -> list[Fraction]:
    """(z_1/ℓ_1, …)."""
    return [entry / scale for entry, scale in zip(z, layer.scales, strict=True)]


def product(first: list[Fraction], second: list[Fraction]) -> Fraction:
    """The product of two vectors."""
    return sum((p * q for p, q in zip(first, second, strict=True)), Fraction(0))


@cache
def law_kernel(layer: Layer, z: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> Interval:
    """κ_layer(z, z')."""
    one = Interval.of(1)
    if layer.law == "affine":
        return Interval.of(1 + product(list(z), list(other)))
    a, b = scaled(layer, z), scaled(layer, other)
    if layer.law == "rough-by-input":
        return decayed(short(Interval.of(sum((abs(p - q) for p, q in zip(a, b)), Fraction(0)))))
    if layer.law in ("rough", "t3", "t5"):
        squared = sum(((p - q) ** 2 for p, q in zip(a, b)), Fraction(0))
        c = root({"rough": 1, "t3": 3, "t5": 5}[layer.law] * squared)
        before = {"rough": one, "t3": c + 1, "t5": c + 1 + c.square() / 3}[layer.law]
        return short(before * decayed(c))
    if layer.law == "quadratic":
        return Interval.of(product(a, a) * product(b, b) + 2 * product(a, b) ** 2)
    a, b = [*a, layer.bias], [*b, layer.bias]
    A, B, p = product(a, a), product(b, b), product(a, b)
    if layer.law == "erf":
        # arcsin(x) = arctan(x/√(1 − x²)), and by Cauchy and Schwarz the root is at least 1.
        x = arctangent(short(Interval.of(2 * abs(p)) / root((1 + 2 * A) * (1 + 2 * B) - 4 * p * p)))
        return short(x * 2 / SHORT_PI * (1 if p >= 0 else -1))
    # ‖ã‖‖ã'‖√(1 − c²) and ‖ã‖‖ã'‖c; π − arccos c is the angle between ã and −ã'.
    if A == 0 or B == 0:
        return Interval.of(0)
    across = root(A * B - p * p)
    if p == 0:
        return short(across / SHORT_PI)
    angle = arctangent(short(across / abs(p)))
    turned = SHORT_PI - angle if p > 0 else angle
    return short((across + turned * p) / SHORT_PI)


# --- the network of the claim -----------------------------------------------------------------------------------------


@dataclass
class Ranks:
    """A number is replaced by a rank: linear between values, flat outside; in doubles."""

    values: list[float]
    ranks: list[float]

    def at(self, x: float) -> float:
        """The rank of a number."""
        if x < self.values[0]:
            return self.ranks[0]
        if x > self.values[-1]:
            return self.ranks[-1]
        k = bisect_right(self.values, x) - 1
        if x == self.values[k]:
            return self.ranks[k]
        share = (x - self.values[k]) / (self.values[k + 1] - self.values[k])
        return self.ranks[k] + share * (self.ranks[k + 1] - self.ranks[k])


@dataclass
class WideNetwork:
    """f(x) = a + Σ_g α_g κ(z(x), z_g)."""

    kept: list[int]
    ranks: list[Ranks] | None
    mean: list[float]
    deviation: list[float]
    offset: Fraction
    layers: list[Layer]
    alpha: list[Fraction]

    def inputs(self, row: list[float]) -> tuple[float, ...]:
        """z(x), in doubles."""
        taken = [row[j] for j in self.kept]
        if self.ranks is not None:
            taken = [curve.at(x) for curve, x in zip(self.ranks, taken, strict=True)]
        z = tuple((x - mean) / deviation for x, mean, deviation in zip(taken, self.mean, self.deviation, strict=True))
        if not all(map(math.isfinite, z)):
            raise Refused("an input of the network is not finite")
        return z

    def kernel(self, z: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> Interval:
        """κ(z, z')."""
        return sum((layer.kernel(z, other) for layer in self.layers), Interval.of(0))


def doubles(value: Any, where: str, count: int | None = None) -> list[float]:
    """A list of numbers, as doubles."""
    return [float(entry) for entry in numbers(value, where, count)]


def read_ranks(value: Any) -> Ranks:
    """Values and their ranks."""
    values, ranks = members(value, "values ranks", "ranks")
    values = doubles(values, "values")
    ranks = doubles(ranks, "ranks", len(values))
    if not values or any(p >= q for p, q in zip(values, values[1:])) or any(p > q for p, q in zip(ranks, ranks[1:])):
        raise Refused("values do not ascend, or ranks descend")
    return Ranks(values, ranks)


def read_layer(value: Any, inputs: int) -> Layer:
    """One of the layers."""
    law, signal, scales, bias = members(value, "law signal scales bias", "a layer")
    if text(law, "law") not in LAWS:
        raise Refused("unknown law")
    signal, bias = number(signal, "signal"), at_least_zero(bias, "bias")
    scales = tuple(numbers(scales, "scales", 0 if law == "affine" else inputs))
    if not all(LEAST <= entry <= LARGEST for entry in (signal, *scales)) or bias > LARGEST:
        raise Refused("a signal, a scale or the bias of a layer is out of range")
    return Layer(law, signal, scales, bias)


def read_wide(value: Any, inputs: int) -> WideNetwork:
    """An infinitely wide network for rows of this many inputs."""
    keys = "kept ranks mean deviation offset layers alpha"
    kept, ranks, mean, deviation, offset, layers, alpha = members(value, keys, "network")
    kept = [whole(j, "kept", 0, inputs - 1) for j in items(kept, "kept")]
    m = len(kept)
    if any(p >= q for p, q in zip(kept, kept[1:])) or m > MOST_INPUTS:
        raise Refused("the inputs that are kept do not ascend, or are too many")
    curves = None if ranks is None else [read_ranks(entry) for entry in items(ranks, "ranks", m)]
    mean, deviation = doubles(mean, "mean", m), doubles(deviation, "deviation", m)
    if any(entry < LEAST_NORMAL for entry in deviation):
        raise Refused("a deviation is too small")
    if not 1 <= len(items(layers, "layers")) <= MOST_LAYERS:
        raise Refused("there are no layers, or too many")
    read = [read_layer(layer, m) for layer in layers]
    return WideNetwork(kept, curves, mean, deviation, number(offset, "offset"), read, numbers(alpha, "alpha"))


@dataclass
class Group:
    """Rows with equal inputs: their labels, each with its weight."""

    z: tuple[Fraction, ...]
    rows: list[tuple[Fraction, Fraction]]

    def weight(self) -> Fraction:
        """ω_g."""
        return sum((omega for omega, _ in self.rows), Fraction(0))

    def mean(self) -> Fraction:
        """ȳ_g."""
        return sum((omega * label for omega, label in self.rows), Fraction(0)) / self.weight()


def groups(network: WideNetwork, rows: Rows) -> list[Group]:
    """The groups in the order of the first row of each; 0 and −0 are equal as fractions."""
    columns = [[float(value) for value in column.fractions()] for column in rows.x]
    found: dict[tuple[Fraction, ...], Group] = {}
    for i, row in enumerate(zip(rows.omega.fractions(), rows.y.fractions())):
        z = tuple(Fraction(entry) for entry in network.inputs([column[i] for column in columns]))
        found.setdefault(z, Group(z, [])).rows.append(row)
    return list(found.values())


def total(values: list[Interval]) -> Interval:
    """The sum."""
    return short(sum(values, Interval.of(0)))


def judge_wide_optimum(case: Case) -> str:
    """§30."""
    rows = case.data()
    network, decay, allowed = members(case.claim, "network decay tolerance", "claim")
    decay, allowed = number(decay, "decay"), tolerance(allowed)
    if decay < LEAST_NORMAL or allowed < LEAST_NORMAL:
        raise Refused("decay or tolerance is out of range")
    members(case.proof, "", "proof")
    network = read_wide(network, rows.inputs)
    facts = Facts(case.facts, "objective lower_bound measure relative_gap norm_distance prediction_distance")
    listed = groups(network, rows)
    if len(network.alpha) != len(listed):
        raise Refused("there is not one α for each group")
    omega = [group.weight() for group in listed]
    kernel = [[network.kernel(group.z, other.z) for other in listed] for group in listed]

    def values(coefficients: list[Interval]) -> list[Interval]:
        """ΣβK in every group."""
        return [total([k * beta for k, beta in zip(row, coefficients)]) for row in kernel]

    alpha = [Interval.of(entry) for entry in network.alpha]
    f = values(alpha)
    squares = [
        (value + network.offset - label).square() * weight
        for value, group in zip(f, listed)
        for weight, label in group.rows
    ]
    norm = total([a * value for a, value in zip(alpha, f)])
    objective = short((total(squares) + norm * decay) * Fraction(1, 2))
    e = [
        short(value + network.offset - group.mean() + a * decay / weight)
        for value, group, a, weight in zip(f, listed, alpha, omega)
    ]
    gap = total([entry.square() * weight for entry, weight in zip(e, omega)]) * Fraction(1, 2)
    counted = [(w, y) for group in listed for w, y in group.rows]
    mean = sum((w * y for w, y in counted), Fraction(0)) / sum((w for w, _ in counted), Fraction(0))
    labels = sum((w * (y - mean) ** 2 for w, y in counted), Fraction(0)) / 2
    least = max(LABELS_PART * labels, LEAST_MEASURE)
    measure = Interval(max(objective.low, least), max(objective.high, least))
    nearest = max(kernel[g][g].high for g in range(len(listed)))

    facts.at_least("objective", objective.high)
    facts.at_most("lower_bound", max(Fraction(0), objective.low - gap.high))
    facts.at_most("measure", measure.low)
    facts.at_least("relative_gap", gap.high / measure.low)
    facts.at_least_root("norm_distance", gap.high / decay)
    facts.at_least_root("prediction_distance", gap.high / decay * nearest)
    if gap.high <= allowed * measure.low:
        return "holds"
    beta = [entry * weight for entry, weight in zip(e, omega)]
    h = values(beta)
    reached = total([p * q for p, q in zip(beta, h)])
    width = total([value.square() * w for value, w in zip(h, omega)]) + reached * decay
    if reached.low > 0 and reached.low**2 > 2 * width.high * allowed * measure.high:
        return "fails"
    return "undecided"
