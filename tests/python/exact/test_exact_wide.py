"""Tests of the exact checker on ``wide-optimum``: networks that are optimal, nearly so and far off, and forged ones.

Runs under pytest, or by itself: ``python test_exact_wide.py``. Kernels and facts are computed here in doubles.
"""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from exact_theorems import Interval  # noqa: E402
from exact_wide import Layer, Ranks, arctangent_at, decayed_at, groups, read_wide  # noqa: E402
from test_exact_checker import Document, Instance, entry, judged, solve  # noqa: E402
from test_exact_theorems import document, examine, high, low  # noqa: E402

Z = list[float]
INSTANCE = Instance(
    [[0.5, -1.0], [1.25, 0.75], [-2.0, 3.0], [0.5, -1.0], [4.0, 0.125], [-0.5, -0.5]],
    [1.0, -0.5, 2.0, 1.5, 0.25, 3.0],
    [1.0, 2.0, 0.5, 1.0, 0.0, 0.25],
)


def dot(a: Z, b: Z) -> float:
    """The product of two vectors."""
    return math.fsum(p * q for p, q in zip(a, b))


def law_kernel(law: str, a: Z, b: Z, bias: float) -> float:
    """κ of a layer at inputs that are divided by its scales, from its formula."""
    r = math.sqrt(math.fsum((p - q) ** 2 for p, q in zip(a, b)))
    if law == "rough-by-input":
        return math.exp(-math.fsum(abs(p - q) for p, q in zip(a, b)))
    if law == "rough":
        return math.exp(-r)
    if law == "t3":
        return (1 + math.sqrt(3) * r) * math.exp(-math.sqrt(3) * r)
    if law == "t5":
        return (1 + math.sqrt(5) * r + 5 * r * r / 3) * math.exp(-math.sqrt(5) * r)
    if law == "quadratic":
        return dot(a, a) * dot(b, b) + 2 * dot(a, b) ** 2
    a, b = [*a, bias], [*b, bias]
    A, B, p = dot(a, a), dot(b, b), dot(a, b)
    if law == "erf":
        return 2 / math.pi * math.asin(2 * p / math.sqrt((1 + 2 * A) * (1 + 2 * B)))
    if A * B == 0:
        return 0.0
    c = max(-1.0, min(1.0, p / math.sqrt(A * B)))
    return math.sqrt(A * B) * (math.sqrt(1 - c * c) + (math.pi - math.acos(c)) * c) / math.pi


def layer(law: str, signal: float = 1.0, scales: Z | None = None, bias: float = 0.0) -> dict[str, Any]:
    """A layer for two inputs."""
    return {"law": law, "signal": signal, "scales": [] if law == "affine" else scales or [1.0, 2.0], "bias": bias}


def kernel(layers: list[dict[str, Any]], z: Z, other: Z) -> float:
    """κ(z, z')."""
    total = 0.0
    for one in layers:
        if one["law"] == "affine":
            total += one["signal"] * (1 + dot(z, other))
        else:
            a, b = ([p / s for p, s in zip(point, one["scales"])] for point in (z, other))
            total += one["signal"] * law_kernel(one["law"], a, b, one["bias"])
    return total


EVERY = [
    layer("rough-by-input", 1.5, [0.75, 3.0]), layer("rough", 0.25), layer("t3", 0.5, [4.0, 1.0]), layer("t5"),
    layer("relu", 2.0, bias=0.5), layer("erf", 0.75, bias=1.0), layer("quadratic", 0.125), layer("affine", 0.0625),
]  # fmt: skip
MEAN, DEVIATION = [0.25, -0.5], [1.5, 0.75]


def network(layers: list[dict[str, Any]], alpha: Z, offset: float = 0.5, **more: Any) -> dict[str, Any]:
    """A network that keeps both inputs."""
    made = {
        "kept": [0, 1], "ranks": None, "mean": MEAN, "deviation": DEVIATION, "offset": offset, "layers": layers, "alpha": alpha,
    }  # fmt: skip
    return copy.deepcopy(made | more)


def grouped(instance: Instance, mean: Z, deviation: Z) -> list[tuple[Z, float, float]]:
    """Inputs, weight and mean label of each group."""
    x, y = instance.counted()
    found: dict[tuple[float, ...], list[tuple[float, float]]] = {}
    for row, label, omega in zip(x, y, instance.omega()):
        z = tuple((float(p) - m) / s for p, m, s in zip(row, mean, deviation))
        found.setdefault(z, []).append((float(omega), float(label)))
    return [
        (list(z), sum(o for o, _ in rows), sum(o * label for o, label in rows) / sum(o for o, _ in rows))
        for z, rows in found.items()
    ]


def optimal(instance: Instance, layers: list[dict[str, Any]], decay: float, offset: float = 0.5) -> Z:
    """(K + ρΩ^{-1})α = y − a."""
    listed = grouped(instance, MEAN, DEVIATION)
    matrix = [
        [Fraction(kernel(layers, z, other)) + (Fraction(decay) / Fraction(o) if g == k else 0) for k, (other, _, _) in enumerate(listed)]
        for g, (z, o, _) in enumerate(listed)
    ]  # fmt: skip
    return [float(a) for a in solve(matrix, [Fraction(label) - Fraction(offset) for _, _, label in listed])]


def facts_of(instance: Instance, claim: dict[str, Any]) -> dict[str, float]:
    """The facts of a network whose kernel and gap are far from rounding."""
    net, rho = claim["network"], claim["decay"]
    listed = grouped(instance, net["mean"], net["deviation"])
    alpha, layers, a = net["alpha"], net["layers"], net["offset"]
    f = [math.fsum(b * kernel(layers, z, other) for b, (other, _, _) in zip(alpha, listed)) for z, _, _ in listed]
    gap = math.fsum(
        0.5 * o * (v + a - label + rho * b / o) ** 2 for v, b, (_, o, label) in zip(f, alpha, listed)
    )
    x, y = instance.counted()
    places = {tuple(z): g for g, (z, _, _) in enumerate(listed)}
    loss = 0.0
    for row, label, omega in zip(x, y, instance.omega()):
        z = tuple((float(p) - m) / s for p, m, s in zip(row, net["mean"], net["deviation"]))
        loss += 0.5 * float(omega) * (f[places[z]] + a - float(label)) ** 2
    value = loss + 0.5 * rho * dot(alpha, f)
    distance = math.sqrt(gap / rho)
    return {
        "objective": high(value), "lower_bound": low(max(value - gap, 0.0)), "measure": low(value),
        "relative_gap": high(gap / value), "norm_distance": high(distance),
        "prediction_distance": high(distance * math.sqrt(max(kernel(layers, z, z) for z, _, _ in listed))),
    }  # fmt: skip


def claimed(layers: list[dict[str, Any]], alpha: Z, decay: float = 0.125, tolerance: float = 0.1) -> dict[str, Any]:
    """A claim."""
    return {"network": network(layers, alpha), "decay": decay, "tolerance": tolerance}


def nearly(instance: Instance, layers: list[dict[str, Any]], decay: float) -> dict[str, Any]:
    """A claim about a network with a gap of some per cent, so that doubles have ten digits of it."""
    alpha = optimal(instance, layers, decay)
    step = 1e-3 * max(map(abs, alpha))
    gap = facts_of(instance, claimed(layers, [alpha[0] + step, *alpha[1:]], decay))["relative_gap"]
    return claimed(layers, [alpha[0] + step * math.sqrt(0.03 / gap), *alpha[1:]], decay)


UPPER, LOWER = "objective relative_gap norm_distance prediction_distance", "lower_bound measure"


def test_every_layer_alone_and_all_together() -> None:
    for layers in [[one] for one in EVERY] + [EVERY]:
        for decay in (1e-3, 0.125, 10.0):
            claim = nearly(INSTANCE, layers, decay)
            examine("wide-optimum", claim, {}, facts_of(INSTANCE, claim), "holds", UPPER, LOWER, rows=INSTANCE)


def test_a_network_that_is_far_off_fails_and_one_at_the_border_is_open() -> None:
    for layers in [[one] for one in EVERY] + [EVERY]:
        alpha = optimal(INSTANCE, layers, 0.125)
        claim = claimed(layers, [2 * entry for entry in alpha], tolerance=1e-6)
        examine("wide-optimum", claim, {}, facts_of(INSTANCE, claim), "fails", UPPER, LOWER, rows=INSTANCE)
    # The gap is at most G and more than G/2 here: in between nothing is decided.
    alpha = optimal(INSTANCE, EVERY, 0.125)
    alpha[1] += 0.01 * abs(alpha[1])
    claim = claimed(EVERY, alpha)
    facts = facts_of(INSTANCE, claim)
    claim["tolerance"] = facts["relative_gap"] * 0.999999
    for verdict, follows in (("undecided", True), ("holds", False)):
        assert judged(*document("wide-optimum", claim, {}, facts, verdict, rows=INSTANCE))[2] == follows


def test_another_network_is_not_confirmed() -> None:
    alpha = optimal(INSTANCE, EVERY, 0.125)
    claim = claimed(EVERY, alpha, tolerance=1e-18)
    # The gap is that of rounding α, 1e-30 or so; doubles do not tell how large it is.
    facts = facts_of(INSTANCE, claim) | {"relative_gap": 1e-20, "norm_distance": 1e-9, "prediction_distance": 1e-8}
    made, table = document("wide-optimum", claim, {}, facts, "holds", rows=INSTANCE)
    assert judged(made, table)[2]

    def rejected(change: Callable[[dict[str, Any]], Any], place: str = "network") -> bool:
        other: Document = copy.deepcopy(made)
        change(entry(other)["claim"] if place == "claim" else entry(other)["claim"]["network"])
        return not judged(other, table)[2]

    for factor in (1 + 1e-6, 0.9, 1.1, -1.0):
        for g in range(len(alpha)):
            assert rejected(lambda net, g=g, f=factor: net["alpha"].__setitem__(g, net["alpha"][g] * f)), (g, factor)
    for value in (math.nan, math.inf, -math.inf, None, "1", True, [1.0], 10**400):
        assert rejected(lambda net, v=value: net["alpha"].__setitem__(0, v)), value
        for key in ("mean", "deviation"):
            assert rejected(lambda net, k=key, v=value: net[k].__setitem__(0, v)), (key, value)
        for key in ("offset", "alpha", "layers", "kept", "mean"):
            assert rejected(lambda net, k=key, v=value: net.__setitem__(k, v)), (key, value)
        for key in ("decay", "tolerance"):
            assert rejected(lambda one, k=key, v=value: one.__setitem__(k, v), "claim"), (key, value)
        for l, key in ((l, key) for l in range(8) for key in ("law", "signal", "scales", "bias")):
            assert rejected(lambda net, l=l, k=key, v=value: net["layers"][l].__setitem__(k, v)), (l, key, value)
    for decay in (0.0, -0.125, 5e-324, 0.1251, 0.12):
        assert rejected(lambda one, d=decay: one.update(decay=d), "claim"), decay
    for tolerance in (0.0, -1e-9, 0.1000001, 5e-324, 1e-40):
        assert rejected(lambda one, t=tolerance: one.update(tolerance=t), "claim"), tolerance
    for l, one in enumerate(EVERY):
        assert rejected(lambda net, l=l: net["layers"].pop(l)), one["law"]
        assert rejected(lambda net, l=l: net["layers"][l].pop("bias"))
        assert rejected(lambda net, l=l: net["layers"][l].update(further=1))
        for other in EVERY:
            if other["law"] != one["law"]:
                assert rejected(lambda net, l=l, o=other: net["layers"][l].update(law=o["law"])), (one, other)
        for signal in (0.0, -1.0, 1e-101, 1e101, one["signal"] * 1.001):
            assert rejected(lambda net, l=l, s=signal: net["layers"][l].update(signal=s)), (one["law"], signal)
        for bias in (-1.0, 1e101):
            assert rejected(lambda net, l=l, b=bias: net["layers"][l].update(bias=b)), (one["law"], bias)
        if one["law"] != "affine":
            for scale in (0.0, -1.0, 1e-101, 1e101, one["scales"][0] * 1.001):
                assert rejected(lambda net, l=l, s=scale: net["layers"][l]["scales"].__setitem__(0, s)), (one, scale)
        if one["law"] in ("relu", "erf"):
            assert rejected(lambda net, l=l: net["layers"][l].update(bias=0.25))
    for kept in ([0], [1, 0], [0, 0], [0, 2], [-1, 0], [0, 1, 1], [0.0, 1.0]):
        assert rejected(lambda net, k=kept: net.update(kept=k)), kept
    for layers in ([], EVERY * 2 + EVERY[:1]):
        assert rejected(lambda net, one=layers: net.update(layers=copy.deepcopy(one)))
    for count in (0, len(alpha) - 1):
        assert rejected(lambda net, c=count: net.update(alpha=net["alpha"][:c]))
    assert rejected(lambda net: net["alpha"].append(0.0))
    for deviation in (0.0, -1.0, 5e-324, 1.6):
        assert rejected(lambda net, s=deviation: net["deviation"].__setitem__(0, s)), deviation
    # The input of a row is not finite.
    assert rejected(lambda net: net.update(mean=[1e308, 0.0], deviation=[1e-10, 1.0]))
    for key in made["certificates"][0]["claim"]["network"]:
        assert rejected(lambda net, k=key: net.pop(k)), key
    # Rows, labels and weights that are others have another fingerprint.
    assert not judged(made, table[:-1])[2]
    # The order of layers means nothing.
    assert not rejected(lambda net: net["layers"].reverse())


def test_gap_zero_and_one_row() -> None:
    # A constant target and α = 0: f = a is the optimum of any class.
    constant = Instance([[0.0, 1.0], [2.0, 3.0], [5.0, 1.0]], [7.5, 7.5, 7.5])
    claim = {"network": network(EVERY, [0.0] * 3, offset=7.5), "decay": 1e-300, "tolerance": 1e-300}
    facts = {"objective": 0.0, "lower_bound": 0.0, "measure": 1e-290, "relative_gap": 0.0, "norm_distance": 0.0, "prediction_distance": 0.0}  # fmt: skip
    for name in facts:
        further = facts | {name: 1e-280 if name in LOWER else -1e-300}
        for one, follows in ((facts, True), (further, False)):
            assert judged(*document("wide-optimum", claim, {}, one, "holds", rows=constant))[2] == follows, name
    # n = 1: (κ + ρ)α = y − a.
    single = Instance([[1.0, 2.0]], [3.0])
    claim = nearly(single, EVERY, 0.25)
    examine("wide-optimum", claim, {}, facts_of(single, claim), "holds", UPPER, LOWER, rows=single)
    # No input is kept: all rows are one group.
    none = network([layer("affine", 2.0), layer("relu", 0.5, bias=1.0)], [0.0], kept=[], mean=[], deviation=[])
    none["layers"][1]["scales"] = []
    y, omega = INSTANCE.counted()[1], INSTANCE.omega()
    mean = sum((o * label for o, label in zip(omega, y)), Fraction(0))
    # κ = 2 + ½.
    none["alpha"] = [float((mean - Fraction(1, 2)) / Fraction(11, 4))]
    claim = {"network": none, "decay": 0.25, "tolerance": 1e-12}
    assert judged(*document("wide-optimum", claim, {}, {}, "holds", rows=INSTANCE))[2]


def test_ranks() -> None:
    curve = Ranks([-1.0, 0.0, 3.0], [0.0, 0.25, 0.25])
    for x, rank in ((-2.0, 0.0), (-1.0, 0.0), (-0.5, 0.125), (-0.0, 0.25), (2.0, 0.25), (9.0, 0.25)):
        assert curve.at(x) == rank, x
    assert Ranks([2.0], [0.5]).at(-1e300) == Ranks([2.0], [0.5]).at(2.0) == Ranks([2.0], [0.5]).at(1e300) == 0.5
    ranks = [{"values": [-2.0, 0.5, 1.25], "ranks": [0.125, 0.5, 1.0]}, {"values": [-1.0, 3.0], "ranks": [0.0, 1.0]}]
    # The inputs as ranks, given to a network without.
    x = [[{-2.0: 0.125, -0.5: 0.35, 0.5: 0.5, 1.25: 1.0, 4.0: 1.0}[p], (q + 1) / 4 if q > -1 else 0.0] for p, q in INSTANCE.x]
    x = [[0.125 + (-0.5 + 2) / 2.5 * 0.375 if p == 0.35 else p, q] for p, q in x]
    plain = Instance(x, INSTANCE.y, INSTANCE.w)
    claim = nearly(plain, EVERY, 0.125)
    facts = facts_of(plain, claim)
    claim["network"]["ranks"] = ranks
    examine("wide-optimum", claim, {}, facts, "holds", UPPER, LOWER, rows=INSTANCE)
    for forged in (
        [ranks[0]], [ranks[1], ranks[0]], [None, None], ranks[0], [*ranks, ranks[0]],
        [ranks[0] | {"values": [0.5, -2.0, 1.25]}, ranks[1]], [ranks[0] | {"values": [-2.0, 0.5, 0.5]}, ranks[1]],
        [ranks[0] | {"ranks": [0.5, 0.125, 1.0]}, ranks[1]], [ranks[0] | {"ranks": [0.5, 1.0]}, ranks[1]],
        [{"values": [], "ranks": []}, ranks[1]], [ranks[0] | {"further": 1}, ranks[1]],
        [ranks[0] | {"ranks": [math.nan, 0.5, 1.0]}, ranks[1]],
    ):  # fmt: skip
        changed = copy.deepcopy(claim)
        changed["network"]["ranks"] = forged
        assert not judged(*document("wide-optimum", changed, {}, facts, "holds", rows=INSTANCE))[2], forged


def test_groups_are_of_equal_inputs() -> None:
    # Row 3 repeats row 0, row 4 has no weight; with a deviation this large more rows are equal.
    made, _ = document("wide-optimum", {}, {}, {}, "holds", rows=INSTANCE)
    from exact_core import read_rows

    rows = read_rows(made["rows"], INSTANCE.table(), 3)
    found = groups(read_wide(network(EVERY, []), 2), rows)
    assert [len(group.rows) for group in found] == [2, 1, 1, 1]
    assert found[0].weight() == Fraction(2, 1) / Fraction(4.75) and found[0].mean() == Fraction(5, 4)
    far = network(EVERY, [], mean=[1e17, -1e17])
    assert [len(group.rows) for group in groups(read_wide(far, 2), rows)] == [5]


def test_enclosures_are_narrow_and_hold_the_values_of_the_formulas() -> None:
    for t in (0.0, 1e-300, 1e-9, 0.1, 0.2, 0.5, 0.7, 1.0, 3.0, 77.0, 700.0, 4999.0):
        for found, value in ((decayed_at(Fraction(t)), math.exp(-t)), (arctangent_at(Fraction(t)), math.atan(t))):
            assert found.low <= found.high and found.high - found.low <= found.high * Fraction(1, 10**70), t
            assert abs(float(found.low) - value) <= 4e-16 * value + 5e-324, t
    assert decayed_at(Fraction(10**30)).high < Fraction(1, 10**2000)
    points: list[Z] = [[0.0, 0.0], [1.0, -2.0], [-1.0, 2.0], [1.0, -2.0000000001], [0.3, 5.0], [1e-60, 2e-60], [1e70, -1e70]]
    for one in EVERY[:-1]:
        for bias in (0.0, 0.5):
            checked = Layer(one["law"], Fraction(1), (Fraction(1), Fraction(2)), Fraction(bias))
            for a in points:
                for b in points:
                    found = checked.kernel(tuple(map(Fraction, a)), tuple(map(Fraction, b)))
                    value = law_kernel(one["law"], [a[0], a[1] / 2], [b[0], b[1] / 2], bias)
                    both = tuple(map(Fraction, a)), tuple(map(Fraction, b))
                    size = max(checked.kernel(p, p).high for p in both)
                    assert found.high - found.low <= size * Fraction(1, 10**60), (one["law"], a, b)
                    # In doubles the angle is off by 10⁻⁸ where inputs are nearly parallel.
                    assert abs(found.low - Fraction(value)) <= size * Fraction(1, 10**7), (one["law"], a, b)


def test_kernels_in_closed_form() -> None:
    # relu: a right angle, equal and opposite inputs; erf: arcsin ½.
    relu = Layer("relu", Fraction(1), (Fraction(1), Fraction(1)), Fraction(0))
    e1, e2 = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
    def near(found: Interval, value: Fraction) -> bool:
        return abs(found.low - value) < Fraction(1, 10**60) and abs(found.high - value) < Fraction(1, 10**60)

    pi = Fraction(314159265358979323846264338327950288419716939937510582097494459230, 10**65)
    assert abs(relu.kernel(e1, e2).low - 1 / pi) < Fraction(1, 10**60)
    assert near(relu.kernel(e1, e1), Fraction(1)) and near(relu.kernel(e1, (Fraction(-3), Fraction(0))), Fraction(0))
    erf = Layer("erf", Fraction(1), (Fraction(1), Fraction(1)), Fraction(0))
    # 2·½/√(2·2) = ½ and arcsin ½ = π/6.
    half = (Fraction(1, 2), Fraction(1, 2))
    assert near(erf.kernel(half, half), Fraction(1, 3))


if __name__ == "__main__":
    tests = [value for name, value in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} passed")
