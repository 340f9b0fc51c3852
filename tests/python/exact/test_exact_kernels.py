"""Tests of the exact checker on ``wide-enough`` and ``sgd-converges``: an instance where all is right, and one for each hypothesis.

Runs under pytest, or by itself: ``python test_exact_kernels.py``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from exact_kernels import MOST_TERMS, squared_slopes  # noqa: E402
from test_exact_checker import Instance  # noqa: E402
from test_exact_theorems import confirmed, examine, high, low  # noqa: E402

AXES = Instance([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.5, -1.0, 0.25])
LABELS = 0.25 + 1.0 + 0.0625
SLANTED = Instance([[1.0, 0.0], [0.6, 0.8]], [1.0, -1.0])


def logistic(z: float) -> float:
    """1/(1 + e^{−z})."""
    return 1 / (1 + math.exp(-z))


def density(z: float) -> float:
    """The standard normal density."""
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


SLOPES: dict[str, Callable[[float], float]] = {
    "quadratic": lambda z: 2 * z,
    "quadratic:0.5,-3,1": lambda z: z - 3,
    "softplus": logistic,
    "softplus:4": lambda z: logistic(4 * z),
    "softplus:1e-3": lambda z: logistic(1e-3 * z),
    "sigmoid": lambda z: logistic(z) * logistic(-z),
    "sigmoid:0.5": lambda z: logistic(z / 2) * logistic(-z / 2) / 2,
    "tanh": lambda z: 1 - math.tanh(z) ** 2,
    "erf": lambda z: 2 / math.sqrt(math.pi) * math.exp(-z * z),
    "gelu": lambda z: (1 + math.erf(z / math.sqrt(2))) / 2 + z * density(z),
    "cos": lambda z: -math.sin(z),
    # h_3 = (z³ − 3z)/√6.
    "hermite:7,2,0,-1": lambda z: 2 - (3 * z * z - 3) / math.sqrt(6),
    "relu": lambda z: float(z > 0),
    "leaky-relu:0.25": lambda z: 1.0 if z > 0 else 0.25,
    "leaky-relu": lambda z: 1.0 if z > 0 else 0.01,
    "abs": lambda z: math.copysign(1.0, z),
}


def test_mean_slopes_agree_with_midpoints() -> None:
    points, step = 4000, 24 / 4000
    for name, slope in SLOPES.items():
        sums = [0.0] * MOST_TERMS
        for i in range(points):
            z = -12 + (i + 0.5) * step
            before, now = density(z) * slope(z) * step, density(z) * slope(z) * step * z
            for r in range(MOST_TERMS):
                sums[r] += before
                before, now = now, (z * now - math.sqrt(r + 1) * before) / math.sqrt(r + 2)
        # Midpoints are exact to rounding for smooth functions, to the square of the step for those with a jump at 0.
        error = 1e-5 if name.partition(":")[0] in ("relu", "leaky-relu", "abs") else 1e-12
        squares = squared_slopes(name)
        assert squares is not None
        for r, (found, square) in enumerate(zip(sums, squares)):
            assert 0 <= square.low <= square.high and square.high - square.low <= 1e-36, (name, r)
            assert abs(found**2 - float(square.low)) <= error, (name, r, found**2, float(square.low))
    assert squared_slopes("softplus:33") is None


def test_mean_slopes_that_vanish_are_zero() -> None:
    for name in ("tanh", "erf", "sigmoid", "sigmoid:3"):
        assert all(square.high == 0 for square in squared_slopes(name)[1::2]), name
    for name in ("softplus", "gelu", "relu"):
        assert all(square.high == 0 for square in squared_slopes(name)[2::2]), name
    for name in ("cos", "abs", "quadratic"):
        assert all(square.high == 0 for square in squared_slopes(name)[0::2]), name


def of_axes(name: str = "softplus", B: float = 1.0) -> tuple[dict[str, Any], dict[str, Any], dict[str, float]]:
    """Claim, proof and facts for AXES: the matrix is Σa_r² times the identity, ‖X‖ = 1."""
    mu = low(float(sum(square.low for square in squared_slopes(name))))
    needed = (32 * B * (1 + 2 * B) * math.sqrt(3) / mu) ** 2
    step = low(3 / (2 * B * B * LABELS))
    claim = {"activation": name, "width": 2 * math.ceil(needed / 2), "step": step}
    facts = {
        "eigenvalue": mu, "width": high(needed), "probability": low(2 / 3 - math.exp(-1.5)),
        "decrease": low(step * mu * LABELS / 48),
    }  # fmt: skip
    return claim, {"smallest": mu, "terms": MOST_TERMS, "inputs": 1.0}, facts


def test_wide_enough_holds() -> None:
    for name, B in (
        ("softplus", 1.0), ("softplus:8", 2.0), ("sigmoid", 0.25), ("tanh", 1.0), ("cos", 1.0), ("hermite:0,-1.5", 1.5),
        ("erf", 2 / math.sqrt(math.pi)),
        ("gelu", (1 + math.erf(1)) / 2 + math.sqrt(2) * density(math.sqrt(2))),
    ):  # fmt: skip
        claim, proof, facts = of_axes(name, B)
        examine("wide-enough", claim, proof, facts, "holds", "width", "eigenvalue probability decrease", rows=AXES)
    # Two rows: e⁻¹(sinh 1 − c·sinh c) for cos, c = 0.6; a matrix with eigenvalues 1 ± c for an affine function.
    for name, mu in (("cos", math.exp(-1) * (math.sinh(1) - 0.6 * math.sinh(0.6))), ("hermite:0,1", 0.4)):
        proof = {"smallest": low(mu), "terms": 17, "inputs": high(1.6)}
        width, probability = high(high((96 / low(mu)) ** 2 * 3.2)), 0.0
        facts = {"eigenvalue": low(mu), "width": width, "probability": probability}
        claim = {"activation": name, "width": 2_000_000, "step": 0.25}
        # 1 − ½ − exp(−1/1.6) is negative; a probability is not.
        examine("wide-enough", claim, proof, facts, "holds", "width", "eigenvalue probability", rows=SLANTED)


def test_wide_enough_needs_each_of_its_hypotheses() -> None:
    claim, proof, facts = of_axes()
    known = {"eigenvalue": facts["eigenvalue"], "width": facts["width"]}

    def judged(verdict: str, rows: Instance = AXES, facts: Any = None, **change: Any) -> bool:
        return confirmed("wide-enough", claim | change, proof, facts or {}, verdict, rows)

    assert judged("holds")
    for name in ("relu", "abs", "leaky-relu", "quadratic", "hermite:0,0,0,1"):
        assert judged("fails", activation=name), name
    examine(
        "wide-enough", claim | {"width": claim["width"] + 1}, proof, known, "fails", "width", "eigenvalue", rows=AXES
    )
    for length, verdict in ((1 + 1e-8, "fails"), (1 - 1e-8, "fails"), (1 + 5e-10, "holds"), (1 - 5e-10, "holds")):
        longer = Instance([[length, 0.0, 0.0], *AXES.x[1:]], AXES.y)
        wider = claim | {"width": 2 * claim["width"], "step": claim["step"] / 2}
        assert confirmed("wide-enough", wider, proof | {"inputs": 1 + 2e-9}, {}, verdict, longer), length
    assert judged("fails", Instance([[0.0, 0.0, 0.0], *AXES.x[1:]], AXES.y))
    # Equal rows, and opposite ones where φ' is even or odd.
    for row, name, verdict in (
        ([1.0, 0.0, 0.0], "softplus", "fails"), ([-1.0, 0.0, 0.0], "softplus", "undecided"),
        ([-1.0, 0.0, 0.0], "tanh", "fails"), ([-1.0, 0.0, 0.0], "cos", "fails"), ([-1.0, 0.0, 0.0], "hermite:0,1", "fails"),
    ):  # fmt: skip
        again = Instance([row, AXES.x[0]], [1.0, 2.0])
        wide = {"activation": name, "width": 2**40, "step": 0.01}
        assert confirmed("wide-enough", wide, proof, {}, verdict, again), (row, name)
    # √k ≥ 96√3/λ(X), λ(X) ≤ B² = 1.
    assert judged("fails", width=27_646) and judged("fails", activation="softplus:8", width=2 * 320**2 * 3 - 2) and judged("undecided", width=27_648) and not judged("fails", width=27_648)
    assert not judged("holds", width=claim["width"] - 2)
    assert not judged("holds", step=claim["step"] * 1.001) and judged("fails", step=claim["step"] * 1.001)
    assert judged("holds", Instance(AXES.x, [0.0] * 3), step=1e9)
    assert judged("fails", Instance(AXES.x, AXES.y, [1.0, 2.0, 1.0]))
    # A row of weight zero does not count.
    assert judged("holds", Instance([*AXES.x, [9.0, 0.0, 0.0]], [*AXES.y, 3.0], [1.0, 1.0, 1.0, 0.0]))


def test_wide_enough_needs_its_proof() -> None:
    claim, proof, facts = of_axes()
    for change in ({"smallest": proof["smallest"] * (1 + 1e-9)}, {"smallest": 0.0}, {"smallest": -1.0}, {"terms": 9}, {"terms": 0}):
        assert not confirmed("wide-enough", claim, proof | change, {}, "holds", AXES), change
        assert confirmed("wide-enough", claim, proof | change, {"eigenvalue": 0.0}, "undecided", AXES), change
        assert not confirmed("wide-enough", claim, proof | change, {"eigenvalue": 1e-9}, "undecided", AXES), change
    # Without a bound on ‖X‖, or with one that is false, the trace 3 takes its place.
    for inputs in (None, 1 - 2.0**-53, -1.0):
        assert not confirmed("wide-enough", claim, proof | {"inputs": inputs}, {}, "holds", AXES), inputs
        wider = claim | {"width": 3 * claim["width"], "step": claim["step"] / 3}
        weaker = facts | {"probability": low(2 / 3 - math.exp(-0.5)), "width": facts["width"] * 3, "decrease": facts["decrease"] / 3}
        assert confirmed("wide-enough", wider, proof | {"inputs": inputs}, weaker, "holds", AXES), inputs
        assert not confirmed("wide-enough", wider, proof | {"inputs": inputs}, {"probability": facts["probability"]}, "holds", AXES)
    for change in ({"terms": 18}, {"terms": -1}, {"terms": 2.5}, {"smallest": None}, {"inputs": "1"}):
        assert not confirmed("wide-enough", claim, proof | change, {}, "undecided", AXES), change
    for change in ({"width": 0}, {"width": 10**15 + 2}, {"width": 1.5}, {"step": 0.0}, {"step": -1.0}, {"activation": "swish"}, {"activation": None},
                   {"activation": "softplus:"}, {"activation": "softplus: 1"}, {"activation": "quadratic:0,1,0"}):  # fmt: skip
        assert not confirmed("wide-enough", claim | change, proof, {}, "undecided", AXES), change
    assert not confirmed("wide-enough", claim, proof, {}, "undecided")


def test_sgd_converges() -> None:
    claim = {"activation": "softplus", "width": 1000}
    square = {"smallest": 1.0}
    examine("sgd-converges", claim, square, {"sigma_khatri_rao": 1.0}, "undecided", "", "sigma_khatri_rao", rows=AXES)
    mu = low(1 - 0.36)
    examine(
        "sgd-converges", claim, {"smallest": mu}, {"sigma_khatri_rao": low(math.sqrt(mu))}, "undecided", "", "sigma_khatri_rao",
        rows=SLANTED,
    )  # fmt: skip

    def fails(rows: Instance = AXES, **change: Any) -> bool:
        return confirmed("sgd-converges", claim | change, square, {}, "fails", rows)

    for name in ("softplus", "gelu", "cos", "softplus:100"):
        assert not fails(activation=name), name
    for name in ("relu", "quadratic", "abs", "tanh", "erf", "sigmoid", "hermite:0,1"):
        assert fails(activation=name), name
    assert fails(Instance([[1 + 1e-8, 0.0, 0.0], *AXES.x[1:]], AXES.y))
    assert fails(Instance([[-1.0, 0.0, 0.0], *AXES.x], [1.0, *AXES.y]))
    circle = [[math.cos(i), math.sin(i)] for i in range(4)]
    assert fails(Instance(circle, [1.0] * 4)) and not fails(Instance(circle[:3], [1.0] * 3))
    assert fails(Instance(AXES.x, AXES.y, [1.0, 1.0, 0.5]))
    more = {"smallest": 1 + 2.0**-52}
    assert confirmed("sgd-converges", claim, more, {"sigma_khatri_rao": 0.0}, "undecided", AXES)
    assert not confirmed("sgd-converges", claim, more, {"sigma_khatri_rao": 1e-9}, "undecided", AXES)
    assert not confirmed("sgd-converges", claim, {"smallest": None}, {}, "undecided", AXES)
    assert not confirmed("sgd-converges", claim, square, {}, "holds", AXES)


if __name__ == "__main__":
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function()
            print(f"{name}: passed")
