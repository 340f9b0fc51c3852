"""Tests of the exact checker on the theorems other than ``global-optimum``: claims that hold, fail or stay open, and forged ones.

Runs under pytest, or by itself: ``python test_exact_theorems.py``.
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

from exact_descent import read_activation  # noqa: E402
from test_exact_checker import Document, Instance, entry, judged, relation  # noqa: E402

QUADRATIC = {"activation": "quadratic", "u": None, "c": None, "b": None}


def network(v: list[float], W: list[list[float]], **more: Any) -> dict[str, Any]:
    """A network."""
    return QUADRATIC | {"v": v, "W": W} | more


def document(
    theorem: str,
    claim: Any,
    proof: Any,
    facts: Any,
    verdict: str,
    rows: Instance | None = None,
    net: dict[str, Any] | None = None,
    teacher: dict[str, Any] | None = None,
) -> tuple[Document, Any]:
    """A certificate with one claim, and its table."""
    if rows is None:
        whole = Instance([[0.0]], [0.0], [1.0])
        made = whole.document() | {"rows": None}
        table = None
    else:
        made, table = rows.document(), rows.table()
    made |= {"network": net, "teacher": teacher}
    made["certificates"] = [
        {
            "theorem": theorem,
            "claim": claim,
            "proof": proof,
            "facts": facts,
            "verdict": verdict,
            "checks": [],
            "statement": "",
        }
    ]
    return made, table


def confirmed(*arguments: Any, **more: Any) -> bool:
    """Whether a claim is confirmed."""
    return judged(*document(*arguments, **more))[2]


def examine(
    theorem: str,
    claim: Any,
    proof: Any,
    facts: dict[str, float],
    verdict: str,
    upper: str,
    lower: str,
    exact: str = "",
    **more: Any,
) -> None:
    """The claim is confirmed with these facts, and not with stronger ones, other verdicts or further keys."""
    made, table = document(theorem, claim, proof, facts, verdict, **more)
    result = judged(made, table)
    assert result[2], (theorem, result)

    def forged(change: Callable[[dict[str, Any]], Any]) -> None:
        other = copy.deepcopy(made)
        change(entry(other))
        assert not judged(other, table)[2], (theorem, entry(other)["facts"], "confirmed")

    for name in upper.split():
        forged(lambda claimed, k=name: claimed["facts"].update({k: facts[k] - abs(facts[k]) * 1e-9 - 1e-30}))
    for name in lower.split():
        forged(lambda claimed, k=name: claimed["facts"].update({k: facts[k] + abs(facts[k]) * 1e-9 + 1e-30}))
    for name in exact.split():
        forged(lambda claimed, k=name: claimed["facts"].update({k: facts[k] + 1}))
        forged(lambda claimed, k=name: claimed["facts"].update({k: facts[k] - 1}))
    for other in {"holds", "fails"} - {verdict}:
        forged(lambda claimed, v=other: claimed.update(verdict=v))
    for part in ("claim", "proof", "facts"):
        forged(lambda claimed, p=part: claimed[p].update(further=1))
    forged(lambda claimed: claimed["facts"].update(dict.fromkeys(facts, math.nan) or {"further": 1}))
    for key in claim:
        forged(lambda claimed, k=key: claimed["claim"].pop(k))
    for key in proof:
        forged(lambda claimed, k=key: claimed["proof"].pop(k))


def high(value: float) -> float:
    """A little above a positive number."""
    return value * (1 + 2.0**-40) + 1e-300


def low(value: float) -> float:
    """A little below a positive number."""
    return value * (1 - 2.0**-40)


SQUARE = Instance([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1.0, -1.0, 0.5])
EYE = [[1.0, 0.0], [0.0, 1.0]]


def test_wide_quadratic() -> None:
    wide = network([1.0, 2.0, -1.0, -3.0], [[0.0, 0.0]] * 4)
    examine("wide-quadratic", {}, {}, {}, "holds", "", "", net=wide)
    examine("wide-quadratic", {}, {}, {}, "fails", "", "", net=wide | {"v": [1.0, 2.0, 0.0, -3.0]})
    assert not confirmed("wide-quadratic", {}, {}, {}, "holds", net=wide | {"activation": "relu"})
    assert confirmed("wide-quadratic", {}, {}, {}, "holds", net=wide | {"activation": "quadratic:1,0,0"})
    for name in ("quadratic:1,0,1", "quadratic:", "quadratic:1, 0, 0", "quadratic:1,0,1e-101"):
        assert not confirmed("wide-quadratic", {}, {}, {}, "holds", net=wide | {"activation": name})
    assert not confirmed("wide-quadratic", {}, {}, {}, "holds")


def test_strict_saddle() -> None:
    # W = 0: r = −y, S = −Σωyxxᵀ = −⅓[[1.5, .5], [.5, −.5]]; along U = e₁ with v = 1: c₂ = −½, c₄ = ½·⅔.
    zero = network([1.0, -1.0], [[0.0, 0.0], [0.0, 0.0]])
    proof = {"down": {"direction": [[1.0, 0.0], [0.0, 0.0]], "step": 0.5}}
    change = -0.5 * 0.25 + 0.5 * (2 / 3) * 0.0625
    facts = {"gradient": 0.0, "curvature": -1 * (1 - 2.0**-40), "decrease": low(-change)}
    examine(
        "strict-saddle", {"decay": 0.0}, proof, facts, "holds", "gradient curvature", "decrease", rows=SQUARE, net=zero
    )
    examine("strict-saddle", {"decay": 0.25}, proof, {"gradient": 0.0}, "holds", "", "", rows=SQUARE, net=zero)
    open_ = {"down": {"direction": [[0.0, 1.0], [0.0, 0.0]], "step": 0.5}}
    examine("strict-saddle", {"decay": 0.0}, open_, {"gradient": 0.0}, "undecided", "", "", rows=SQUARE, net=zero)
    examine("strict-saddle", {"decay": 9.0}, {"down": None}, {"gradient": 0.0}, "fails", "", "", rows=SQUARE, net=zero)
    examine(
        "strict-saddle", {"decay": 0.0}, {"down": None}, {"gradient": 0.0}, "undecided", "", "", rows=SQUARE, net=zero
    )
    assert not confirmed(
        "strict-saddle", {"decay": 9.0}, {"down": None}, {"curvature": -1.0}, "fails", rows=SQUARE, net=zero
    )


def test_approximate_minimum() -> None:
    rows = Instance([[1.0], [2.0]], [1.0, 4.5])
    net = network([1.0], [[1.0546875]])
    f = [1.0546875**2, 4 * 1.0546875**2]
    r = [f[0] - 1, f[1] - 4.5]
    value, S = (r[0] ** 2 + r[1] ** 2) / 4, (r[0] + 4 * r[1]) / 2
    half, gradient = S * 1.0546875**2, abs(2 * S * 1.0546875)
    sigma = 2.0**-4
    claim = {"signs": "positive", "decay": 0.0, "size": 0.8125, "tolerance": 0.1}
    B = half + sigma * 0.8125
    assert S > -sigma and B < value
    facts = {
        "sigma": sigma, "half_radial": half + abs(half) * 2.0**-40, "gradient": high(gradient), "objective": high(value),
        "bound": B + abs(B) * 2.0**-40, "planted_bound": (B + abs(B) * 2.0**-40) / 2,
    }  # fmt: skip
    examine(
        "approximate-minimum", claim, {"excess": sigma}, facts, "holds", " ".join(facts), "",
        rows=rows, net=net,
    )  # fmt: skip
    small = {k: facts[k] for k in ("half_radial", "gradient", "objective")}
    wrong = claim | {"signs": "negative"}
    examine("approximate-minimum", wrong, {"excess": 0.0}, small, "fails", " ".join(small), "", rows=rows, net=net)
    assert not confirmed(
        "approximate-minimum", claim | {"signs": "any"}, {"excess": 0.0}, facts, "holds", rows=rows, net=net
    )
    exact = Instance([[1.0], [2.0]], [3.0, 4.0])
    best = network([1.0], [[math.sqrt(19 / 17)]])
    claim = {"signs": "any", "decay": 0.0, "size": 2.0, "tolerance": 1e-3}
    assert confirmed("approximate-minimum", claim, {"excess": 1e-9}, {"sigma": 1e-9}, "holds", rows=exact, net=best)
    assert not confirmed(
        "approximate-minimum", claim | {"size": 1e9}, {"excess": 1e-9}, {}, "holds", rows=exact, net=best
    )
    assert not confirmed("approximate-minimum", claim, {"excess": 0.0}, {"sigma": 0.0}, "holds", rows=exact, net=best)


def test_full_rank_stationary() -> None:
    rows = Instance([[1.0], [2.0]], [3.0, 4.0])
    best = network([1.0], [[math.sqrt(19 / 17)]])
    claim = {"decay": 0.0, "size": 2.0, "tolerance": 1e-3}
    examine(
        "full-rank-stationary", claim, {"smallest": 1.0}, {"least_singular_value": 1.0, "gradient": 1e-6, "slope": 1e-6, "bound": 1e-3},
        "holds", "", "least_singular_value", rows=rows, net=best,
    )  # fmt: skip
    assert not confirmed("full-rank-stationary", claim, {"smallest": 2.0}, {}, "holds", rows=rows, net=best)
    assert confirmed("full-rank-stationary", claim, {"smallest": 2.0}, {}, "undecided", rows=rows, net=best)
    assert not confirmed(
        "full-rank-stationary", claim, {"smallest": 2.0}, {"slope": 9.0}, "undecided", rows=rows, net=best
    )
    assert confirmed(
        "full-rank-stationary", claim, {"smallest": 1.0}, {}, "fails", rows=rows, net=network([0.0], [[1.0]])
    )
    mixed = network([1.0, -1.0], [[1.0], [0.5]])
    assert confirmed(
        "full-rank-stationary", claim | {"decay": 1.0}, {"smallest": 1.0}, {}, "fails", rows=rows, net=mixed
    )
    off = network([1.0], [[1.2]])
    assert not confirmed("full-rank-stationary", claim, {"smallest": 1.0}, {}, "holds", rows=rows, net=off)
    made = document("full-rank-stationary", claim, {"smallest": 1.0}, {"slope": 1e-30}, "holds", rows, best)
    assert not judged(*made)[2]


def test_planted_quadratic() -> None:
    wide = network([1.0, 2.0, -1.0, -3.0], [[0.0, 0.0]] * 4)
    examine("planted-quadratic", {"decay": 0.0}, {}, {}, "holds", "", "", rows=SQUARE, net=wide)
    examine("planted-quadratic", {"decay": 1.0}, {}, {}, "fails", "", "", rows=SQUARE, net=wide)
    for x in ([[1.0, 0.0], [-1.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 2.0]]):
        rows = Instance(x, [1.0] * len(x))
        assert confirmed("planted-quadratic", {"decay": 0.0}, {}, {}, "fails", rows=rows, net=wide)
    rows = Instance([[1.0, 0.0], [2.0, 0.0]], [1.0, 2.0])
    assert confirmed("planted-quadratic", {"decay": 0.0}, {}, {}, "undecided", rows=rows, net=wide)
    teacher, net = network([2.0], [[1.0, 0.0]]), network([1.0, 1.0, 0.0], [[0.0, 0.0]] * 3)
    loss = (1 + 1 + 1.5**2) / 6
    more: dict[str, Any] = {"rows": SQUARE, "teacher": teacher}
    examine("planted-quadratic", {"decay": 0.0}, {}, {"loss": high(loss)}, "holds", "loss", "", net=net, **more)
    for other in (
        network([1.0, 0.0], EYE),
        network([1.0, 1.0, -1.0], [[0.0, 0.0]] * 3),
        net | {"c": 1.0},
        net | {"b": [0.0, 1.0]},
    ):
        assert confirmed("planted-quadratic", {"decay": 0.0}, {}, {"loss": 9.0}, "fails", net=other, **more)
    negative = network([-1.0, -2.0], EYE)
    assert confirmed(
        "planted-quadratic", {"decay": 0.0}, {}, {}, "holds", SQUARE, negative, network([-1.0], [[1.0, 0.0]])
    )
    assert confirmed(
        "planted-quadratic", {"decay": 0.0}, {}, {}, "fails", SQUARE, negative, network([0.0], [[1.0, 0.0]])
    )


def test_energy_barrier_and_safe_start() -> None:
    teacher = network([1.0, 1.0], [[1.0, 0.0], [0.0, 2.0]])
    facts = {"smallest_square": 0.5, "barrier": low(4 / 3 * 0.25), "barrier_high": high(4 / 3)}
    proof = {"smallest": 0.5, "vector": [1.0, 0.0]}
    examine("energy-barrier", {}, proof, facts, "holds", "barrier_high", "smallest_square barrier", teacher=teacher)
    exact = {"smallest": 1.0, "vector": [1.0, 0.0]}
    assert confirmed(
        "energy-barrier", {}, exact, {"smallest_square": 0.0, "barrier": 0.0}, "undecided", teacher=teacher
    )
    assert not confirmed("energy-barrier", {}, exact, {"smallest_square": 1.0}, "undecided", teacher=teacher)
    for change in ({"v": [1.0, 2.0]}, {"c": 1.0}, {"b": [0.0, 1.0]}, {"v": [1.0], "W": [[1.0, 0.0]]}):
        assert confirmed("energy-barrier", {}, proof, {}, "fails", teacher=teacher | change)
    assert not confirmed("energy-barrier", {}, proof | {"vector": [0.0, 0.0]}, {}, "holds", teacher=teacher)
    start = network([1.0, 1.0], [[1.0, 0.0], [0.0, 2.125]])
    risk = 1.5 * (2.125**2 - 4) ** 2
    near = {"smallest": 1 - 2.0**-20, "vector": None}
    assert risk < 4 / 3
    examine(
        "safe-start", {}, near, {"risk": high(risk), "barrier": 1.3333}, "holds", "risk", "", net=start, teacher=teacher
    )
    assert confirmed("safe-start", {}, proof, {}, "undecided", net=start, teacher=teacher)
    far = network([1.0, 1.0], [[2.0, 0.0], [0.0, 2.125]])
    assert confirmed("safe-start", {}, proof, {}, "fails", net=far, teacher=teacher)
    assert confirmed("safe-start", {}, proof | {"vector": None}, {}, "undecided", net=far, teacher=teacher)
    assert confirmed("safe-start", {}, near, {}, "fails", net=start | {"c": 1.0}, teacher=teacher)


def test_safe_start_gaussian() -> None:
    claim = {"units": 2**26, "inputs": 2, "gamma": 2.0**26, "deviation": 3.0}
    probability = 1 - 4 * math.exp(-4.5)
    examine("safe-start-gaussian", claim, {}, {"probability": low(probability)}, "holds", "", "probability")
    for change in ({"gamma": 0.0}, {"units": 1}, {"deviation": 1.0}, {"deviation": 1e300}, {"inputs": 2**20}):
        assert confirmed("safe-start-gaussian", claim | change, {}, {}, "fails")
    assert confirmed("safe-start-gaussian", claim | {"deviation": 1.0}, {}, {"probability": 0.0}, "fails")
    assert not confirmed("safe-start-gaussian", claim | {"units": 2**26 + 1}, {}, {}, "holds")
    assert not confirmed("safe-start-gaussian", claim | {"units": 4.0}, {}, {}, "fails")


def test_designed_landscape() -> None:
    teacher = {
        "activation": "relu",
        "u": None,
        "c": None,
        "b": None,
        "v": [1.0, 2.0],
        "W": [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]],
    }
    least = 0.5 * 0.25 / (2 * math.sqrt(6))
    claim = {"fourth_coefficient": -0.25, "mu": 0.5, "lambda": 1.0}
    facts = {"smallest_square": 0.25, "least_lambda": high(least), "printed_mu": low(0.005)}
    examine(
        "designed-landscape",
        claim,
        {"smallest": 0.25},
        facts,
        "holds",
        "least_lambda",
        "smallest_square printed_mu",
        teacher=teacher,
    )
    for change in ({"fourth_coefficient": 0.0}, {"mu": 12.0}, {"mu": 0.0}, {"lambda": least * 0.99}, {"lambda": -1.0}):
        assert confirmed("designed-landscape", claim | change, {"smallest": 0.25}, {}, "fails", teacher=teacher)
    assert confirmed("designed-landscape", claim, {"smallest": 0.5}, {}, "undecided", teacher=teacher)
    assert confirmed("designed-landscape", claim, {"smallest": 0.25}, {}, "fails", teacher=teacher | {"v": [1.0, -2.0]})
    narrow = teacher | {"W": [[1.0], [2.0]]}
    assert confirmed("designed-landscape", claim, {"smallest": 0.25}, {"smallest_square": 0.0}, "fails", teacher=narrow)


def test_approximate_recovery() -> None:
    claim = {
        "units": 2, "least_output": 1.0, "largest_output": 2.0, "fourth_coefficient": 1.0, "mu": 1.0, "lambda": 2.0, "gradient": 1e-6,
        "curvature": 1e-4,
    }  # fmt: skip
    c1 = math.sqrt(6)
    alpha, beta_low, beta_high = c1 / 2, c1 / 24, c1 / 12
    delta0 = 0.02
    assert 8 * beta_low * delta0**3 >= 1e-4 * delta0 + 1e-6
    a = 2 * c1 * delta0**2
    kappa = 4 * (alpha + beta_low) * (1 - (a + 1e-6) / 4 - delta0**2) - 2 * a - 2e-6 - 4 * beta_high * delta0**2
    delta = 1e-6 / kappa
    eta = delta**2 * (1 + c1 / 2) + 1e-6 / 4
    facts = {"delta": high(delta), "eta": high(eta)}
    examine("approximate-recovery", claim, {"first_delta": delta0}, facts, "holds", "delta eta", "")
    assert confirmed("approximate-recovery", claim, {"first_delta": 0.001}, {}, "undecided")
    assert not confirmed("approximate-recovery", claim, {"first_delta": 0.001}, facts, "undecided")
    assert confirmed("approximate-recovery", claim, {"first_delta": 2.0}, {}, "undecided")
    for change in (
        {"lambda": 0.2},
        {"mu": 12.0},
        {"least_output": 3.0},
        {"fourth_coefficient": 0.0},
        {"curvature": 10.0},
    ):
        assert confirmed("approximate-recovery", claim | change, {"first_delta": delta0}, {}, "fails")
    zero = claim | {"gradient": 0.0, "curvature": 0.0}
    assert confirmed("approximate-recovery", zero, {"first_delta": 0.0}, {"delta": 0.0, "eta": 0.0}, "holds")


def test_approximate_recovery_is_true_near_minima() -> None:
    """Points of F near a minimum: where the theorem holds with their ε and τ, they are as close as it says."""
    c1, mu, lam, outputs = math.sqrt(6), 1.0, 2.0, (1.0, 2.0)
    alphas, betas = [c1 / a for a in outputs], [mu * c1 / 12 / a for a in outputs]
    found = 0
    for trial in range(200):
        size = 10.0 ** -(3 + trial % 5)
        C = [
            [
                (1 / (1 - betas[i] / lam)) ** 0.5 * (i == j) + size * math.sin(7.0 * trial + 3 * i + 5 * j)
                for i in range(2)
            ]
            for j in range(2)
        ]
        eps = tau = 0.0
        for j in range(2):
            norm = sum(c * c for c in C[j]) - 1
            inner = [4 * alphas[i] * C[1 - j][i] ** 2 - 4 * betas[i] * C[j][i] ** 2 + 4 * lam * norm for i in range(2)]
            eps = max(eps, *(abs(inner[i] * C[j][i]) for i in range(2)))
            H = [
                [(inner[i] - 8 * betas[i] * C[j][i] ** 2) * (i == k) + 8 * lam * C[j][i] * C[j][k] for k in range(2)]
                for i in range(2)
            ]
            least = (H[0][0] + H[1][1]) / 2 - math.hypot((H[0][0] - H[1][1]) / 2, H[0][1])
            tau = max(tau, -least)
        claim = {
            "units": 2, "least_output": 1.0, "largest_output": 2.0, "fourth_coefficient": 1.0, "mu": mu, "lambda": lam,
            "gradient": eps * 1.001, "curvature": tau * 1.001,
        }  # fmt: skip
        delta0 = 1.01 * (eps / (8 * betas[1])) ** (1 / 3) + 1.01 * (tau / 8 / betas[1]) ** 0.5
        if confirmed("approximate-recovery", claim, {"first_delta": delta0}, {}, "holds"):
            found += 1
            kappa = 4 * (alphas[1] + betas[1]) * 0.9
            assert all(abs(C[j][1 - j]) <= eps * 1.2 / kappa + 1e-15 for j in range(2))
    assert found > 20, found


def test_separated_data() -> None:
    rows = Instance([[1.0, 0.0], [1.0, 1.0], [-1.0, 3.0]], [0.0, 0.0, 0.0])
    delta = min(math.sqrt(2 - 2 * c) for c in (math.sqrt(0.5), math.sqrt(0.1), 2 / math.sqrt(20)))
    facts = {"separation": low(delta), "eigenvalue": low(delta / 900)}
    examine("separated-data", {}, {"parallel": None}, facts, "holds", "", "separation eigenvalue", rows=rows)
    for x in ([[1.0, 2.0], [-3.0, -6.0], [0.0, 1.0]], [[1.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]):
        flat = Instance(x, [0.0] * len(x))
        assert confirmed("separated-data", {}, {"parallel": None}, {}, "fails", rows=flat)
        assert not confirmed("separated-data", {}, {"parallel": None}, {"separation": 1e-9}, "fails", rows=flat)
    assert not confirmed("separated-data", {}, {"parallel": [0, 3]}, facts, "holds", rows=rows)


NOTHING = {"independence": None, "relations": [], "groups": [], "vanishing": [], "rival": None}
ALL_ROWS = {"shifts": [0, 0], "rows": None, "passes": 2}
GRID = Instance([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [1.0, 3.0], [-1.0, 2.0], [1.0, 0.0]], [0.0] * 7)


def test_determined() -> None:
    proof = NOTHING | {"independence": ALL_ROWS}
    facts = {"needed": 6, "distinct": 6, "rank": 6}
    examine("determined", {"affine": True}, proof, facts, "holds", "", "", "needed distinct", rows=GRID)
    without = {"needed": 3, "distinct": 5, "rank": 3}
    examine("determined", {"affine": False}, proof, without, "holds", "", "", "needed distinct", rows=GRID)
    assert confirmed("determined", {"affine": True}, NOTHING, facts, "undecided", rows=GRID)
    part = NOTHING | {"independence": ALL_ROWS | {"rows": 2}}
    assert confirmed("determined", {"affine": False}, part, without, "undecided", rows=GRID)
    assert confirmed(
        "determined", {"affine": False}, NOTHING | {"independence": ALL_ROWS | {"rows": 6}}, without, "holds", rows=GRID
    )


def test_what_is_missing() -> None:
    def proof(**parts: Any) -> dict[str, Any]:
        return NOTHING | parts

    rows = Instance([[a, b, a + 2 * b] for a in (0.0, 1.0, 2.0, 5.0) for b in (0.0, 1.0, 3.0, 4.0)], [0.0] * 16)
    true = [relation(2, 2, [[0, 2.0], [1, 4.0]], 0)]
    examine(
        "determined", {"affine": True}, proof(relations=true), {"needed": 10, "distinct": 16, "rank": 6}, "fails", "rank", "",
        "needed distinct", rows=rows,
    )  # fmt: skip
    twice = proof(relations=true * 2)
    assert not confirmed("determined", {"affine": True}, twice, {"rank": 5}, "fails", rows=rows)
    false = proof(relations=[relation(2, 2, [[0, 2.0], [1, 3.0]], 0)])
    assert confirmed("determined", {"affine": True}, false, {"rank": 10}, "undecided", rows=rows)
    assert not confirmed("determined", {"affine": True}, false, {"rank": 9}, "undecided", rows=rows)
    assert not confirmed(
        "determined", {"affine": False}, proof(relations=[relation(2, 1, [[0, 1.0]], 1)]), {}, "undecided", rows=rows
    )
    assert not confirmed("determined", {"affine": True}, proof(relations=true, groups=[[2]]), {}, "fails", rows=rows)
    # Indicators: x₀² = x₀, x₁² = x₁, x₀x₁ = 0.
    x = [[float(a == 1), float(a == 2), b] for a in range(3) for b in (0.0, 1.0, 3.0, 4.0)]
    rows = Instance(x, [0.0] * 12)
    group = proof(groups=[[0, 1]])
    examine(
        "determined",
        {"affine": True},
        group,
        {"needed": 10, "distinct": 12, "rank": 7},
        "fails",
        "rank",
        "",
        "distinct",
        rows=rows,
    )
    examine(
        "determined", {"affine": False}, group, {"distinct": 11, "rank": 5}, "fails", "rank", "", "distinct", rows=rows
    )
    zero = {"lead": [0, 1], "terms": [[[0, 1], 1.0, 1.0]]}
    idempotent = {"lead": [0, 0], "terms": [[[0, 0], 2.0, 0.5], [[0], -1.0, 1.0]]}
    vanishing = proof(vanishing=[zero, idempotent])
    examine("determined", {"affine": True}, vanishing, {"rank": 8}, "fails", "rank", "", rows=rows)
    bad = [
        {"lead": [0, 1], "terms": [[[0, 1], 0.0, 1.0]]},
        {"lead": [1, 1], "terms": [[[0, 1], 1.0, 1.0]]},
        {"lead": [0, 1], "terms": [[[0, 1], 1.0, 1.0], [[0, 1], 1.0, 1.0]]},
        {"lead": [1, 0], "terms": [[[1, 0], 1.0, 1.0]]},
    ]
    for function in bad:
        assert not confirmed("determined", {"affine": True}, proof(vanishing=[function]), {}, "fails", rows=rows)
    assert not confirmed("determined", {"affine": True}, proof(vanishing=[zero, zero]), {}, "fails", rows=rows)
    assert not confirmed(
        "determined", {"affine": True}, proof(vanishing=[zero], groups=[[0, 1]]), {}, "fails", rows=rows
    )
    assert not confirmed("determined", {"affine": False}, proof(vanishing=[idempotent]), {}, "fails", rows=rows)
    nonzero = {"lead": [2, 2], "terms": [[[2, 2], 1.0, 1.0]]}
    assert confirmed("determined", {"affine": True}, proof(vanishing=[nonzero]), {"rank": 10}, "undecided", rows=rows)
    # Rivals: (x₀ + x₁)² and (x₀ − x₁)².
    first, second = network([1.0], [[1.0, 1.0, 0.0]]), network([1.0], [[1.0, -1.0, 0.0]])
    rival = {"first": first, "second": second, "point": [1.0, 1.0, 0.0]}
    examine("determined", {"affine": False}, proof(rival=rival), {"rank": 5}, "fails", "rank", "", rows=rows)
    same = rival | {"point": [1.0, 0.0, 0.0]}
    assert not confirmed("determined", {"affine": False}, proof(rival=same), {}, "fails", rows=rows)
    affine = rival | {
        "first": network([1.0], [[1.0, 0.0, 0.0]]),
        "second": network([], [], b=[1.0, 0.0, 0.0]),
        "point": [2.0, 0.0, 0.0],
    }
    assert confirmed("determined", {"affine": True}, proof(rival=affine), {}, "fails", rows=rows)
    assert not confirmed("determined", {"affine": False}, proof(rival=affine), {}, "fails", rows=rows)


# --- descent ---------------------------------------------------------------------------------------------------------

FEW = Instance([[1.0, 0.0], [0.0, 1.0]], [0.5, -0.25], [1.0, 2.0])
SPECTRUM = {"smallest": 0.0, "largest": None, "inputs": None, "direction": None}


def close(kind: str) -> tuple[dict[str, Any], list[list[float]], float]:
    """A network with small errors, √w K √w of its hidden layer (two rows, orthogonal inputs) and ‖r₀‖."""
    W = [[1.0, 0.5], [-0.5, 1.0], [0.25, -0.75], [0.75, 0.25]]
    v = [0.5, -0.5, 0.25, -0.25]
    value = {"tanh": math.tanh, "relu": lambda z: max(z, 0.0)}[kind]
    slope = {"tanh": lambda z: 1 - math.tanh(z) ** 2, "relu": lambda z: float(z > 0)}[kind]
    r = []
    kernel = [[0.0, 0.0], [0.0, 0.0]]
    for i, weight in enumerate((1.0, 2.0)):
        f = sum(p * value(w[i]) for p, w in zip(v, W))
        r.append(f - FEW.y[i])
        kernel[i][i] = weight * sum((p * slope(w[i])) ** 2 for p, w in zip(v, W))
    norm = math.sqrt(r[0] ** 2 + 2 * r[1] ** 2)
    return network(v, W, activation=kind), kernel, norm


def test_activations() -> None:
    """Values against the mathematical library, slopes against differences, bounds against a search."""
    known: dict[str, Callable[[float], float]] = {
        "tanh": math.tanh,
        "softplus:2": lambda z: math.log1p(math.exp(2 * z)) / 2,
        "sigmoid:3": lambda z: 1 / (1 + math.exp(-3 * z)),
        "erf": math.erf,
        "gelu": lambda z: z * (1 + math.erf(z / math.sqrt(2))) / 2,
        "cos": math.cos,
        "quadratic:2,-1,3": lambda z: 2 * z * z - z + 3,
        "hermite:1,2,3": lambda z: 1 + 2 * z + 3 * (z * z - 1) / math.sqrt(2),
        "relu": lambda z: max(z, 0.0),
        "leaky-relu:0.25": lambda z: max(z, 0.25 * z),
        "abs": abs,
    }
    for name, function in known.items():
        activation = read_activation(name)
        for z in (-7.25, -1.25, 0.5, 3.0, 19.5):
            value, step = activation.value(Fraction(z)), Fraction(1, 10**12)
            assert value.high - value.low <= Fraction(1, 10**40) and abs(float(value.low) - function(z)) <= 1e-13 * (
                1 + abs(function(z))
            ), (name, z)
            ends = [activation.value(Fraction(z) + sign * step).low for sign in (1, -1)]
            slope = activation.slope(Fraction(z))
            assert abs((ends[0] - ends[1]) / (2 * step) - slope.low) < Fraction(1, 10**10), (name, z)
        grid = [activation.slope(Fraction(k, 16)).low for k in range(-64, 65)]
        if activation.steepest is not None:
            assert max(map(abs, grid)) <= activation.steepest.high < 1.001 * float(max(map(abs, grid))) + 0.001, name
        if activation.bend is not None:
            steepest = max(abs(a - b) * 16 for a, b in zip(grid, grid[1:]))
            assert steepest <= activation.bend.high < 1.02 * float(steepest) + 1e-9, name


def test_descent_converges() -> None:
    net, kernel, _ = close("tanh")
    # Labels that are almost those of the network.
    y = [sum(p * math.tanh(w[i]) for p, w in zip(net["v"], net["W"])) + 2.0**-9 for i in range(2)]
    rows = Instance(FEW.x, y, FEW.w)
    r = 2.0**-9 * math.sqrt(3)
    mu, lam = low(min(kernel[0][0], kernel[1][1])), high(max(kernel[0][0], kernel[1][1]))
    proof = {"smallest": mu, "largest": lam, "inputs": 2.0, "direction": None}
    lip = 4 / (3 * math.sqrt(3)) * 0.5 * math.sqrt(2)
    step, sigma = 0.0625, math.sqrt(mu)
    beta = math.sqrt(lam) + 17 / 16 * sigma
    gamma = 1 - step * beta**2 / 2 - step * lip * r / 2
    z = 2 * lip * r / (gamma * mu)
    delta, path = gamma * step * mu * (1 - z), 2 * r / (gamma * sigma * (1 + math.sqrt(1 - z)))
    facts = {
        "sigma": low(sigma), "jacobian_norm": high(math.sqrt(lam)), "lipschitz": high(lip), "residual": high(r),
        "ratio": high(2 * lip * r / mu), "step": step, "rate": high(1 - delta), "decrease": low(delta), "path": high(path),
        "iterations": math.ceil(math.log(1e-3) / math.log1p(-delta)),
    }  # fmt: skip
    claim = {"step": step, "tolerance": 1e-3}
    examine(
        "descent-converges", claim, proof, facts, "holds", "jacobian_norm lipschitz residual ratio rate path", "sigma decrease",
        "step", rows=rows, net=net,
    )  # fmt: skip
    fewer = facts | {"iterations": facts["iterations"] - 1}
    assert not confirmed("descent-converges", claim, proof, fewer, "holds", rows, net)
    for change in ({"smallest": high(high(mu))}, {"smallest": 0.0}):
        assert not confirmed("descent-converges", claim, proof | change, {}, "holds", rows, net)
    assert not confirmed("descent-converges", claim, proof | {"largest": lam * 0.99}, facts, "holds", rows, net)
    assert confirmed("descent-converges", claim | {"step": 100.0}, proof, {}, "fails", rows, net)
    assert confirmed("descent-converges", claim, proof, {}, "fails", rows, net | {"activation": "relu"})
    assert confirmed("descent-converges", claim, proof | {"smallest": 0.0}, {}, "undecided", rows, net)
    narrow = network([1.0], [[1.0]], activation="tanh")
    two = Instance([[1.0], [2.0]], [0.0, 1.0])
    assert confirmed("descent-converges", claim, SPECTRUM, {"sigma": 0.0}, "fails", two, narrow)
    biased = net | {"u": [0.0, 0.0, 0.0, 1e-300]}
    assert not confirmed("descent-converges", claim, proof, {}, "holds", rows, biased)
    printed = {"path": high(8 * r / sigma), "decrease": low(step * mu / 16)}
    examine("descent-converges-printed", claim, proof, printed, "holds", "path", "decrease", rows=rows, net=net)
    assert confirmed("descent-converges-printed", claim | {"step": 100.0}, proof, {}, "fails", rows, net)
    # A direction refutes 16Lip‖r₀‖ ≤ σ₀², whether or not σ₀ > 0 is proved.
    far, along = Instance(FEW.x, [9.0, -9.0], FEW.w), proof | {"smallest": 0.0, "direction": [1.0, 0.0]}
    for theorem in ("descent-converges", "descent-converges-printed"):
        assert confirmed(theorem, claim, along, {}, "fails", far, net), theorem
        assert confirmed(theorem, claim, along | {"direction": None}, {}, "undecided", far, net), theorem
        assert not confirmed(theorem, claim, along | {"direction": None}, {}, "fails", far, net), theorem


def test_both_layers_converge() -> None:
    net, kernel, _ = close("tanh")
    phi = [[math.tanh(w[i]) for w in net["W"]] for i in range(2)]
    y = [sum(p * q for p, q in zip(net["v"], row)) + 2.0**-10 for row in phi]
    rows = Instance(FEW.x, y, FEW.w)
    spectrum = {"smallest": 0.25, "largest": 8.0, "inputs": 2.0, "direction": None}
    proof = {"spectrum": spectrum, "radius": 0.125}
    claim = {"step": 2.0**-7, "tolerance": 0.5}
    examine(
        "both-layers-converge",
        claim,
        proof,
        {"path": 0.125, "radius": 0.125},
        "holds",
        "",
        "",
        "radius",
        rows=rows,
        net=net,
    )
    assert confirmed("both-layers-converge", claim, proof | {"radius": 2.0**-10}, {}, "undecided", rows, net)
    assert not confirmed(
        "both-layers-converge",
        claim,
        {"spectrum": spectrum | {"smallest": 9.0}, "radius": 0.125},
        {},
        "holds",
        rows,
        net,
    )


def test_relu_descent_converges() -> None:
    net, kernel, _ = close("relu")
    y = [sum(p * max(w[i], 0.0) for p, w in zip(net["v"], net["W"])) + 2.0**-9 for i in range(2)]
    rows = Instance(FEW.x, y, FEW.w)
    mu, lam = min(kernel[0][0], kernel[1][1]), max(kernel[0][0], kernel[1][1])
    spectrum = {"smallest": mu, "largest": lam, "inputs": 2.0, "direction": None}
    r, sigma = 2.0**-9 * math.sqrt(3), math.sqrt(mu)
    kappa = 5 / 6 * sigma
    claim = {"step": 0.0625, "tolerance": 1e-3}
    facts = {"perturbation": 0.0, "path": high(r / kappa), "decrease": low(0.0625 * kappa * sigma), "radius": 0.125}
    proof = {"spectrum": spectrum, "radius": 0.125}
    examine(
        "relu-descent-converges",
        claim,
        proof,
        facts,
        "holds",
        "perturbation path",
        "decrease",
        "radius",
        rows=rows,
        net=net,
    )
    wide = {"spectrum": spectrum, "radius": 0.25}
    epsilon = 0.5 * math.sqrt(2)
    assert confirmed("relu-descent-converges", claim, wide, {"perturbation": high(epsilon)}, "undecided", rows, net)
    assert not confirmed(
        "relu-descent-converges", claim, wide, {"perturbation": epsilon * 0.999}, "undecided", rows, net
    )
    assert confirmed("relu-descent-converges", claim, proof | {"radius": 2.0**-12}, {}, "undecided", rows, net)
    assert confirmed("relu-descent-converges", claim, proof, {}, "fails", rows, net | {"activation": "tanh"})
    printed = {"perturbation": 0.0, "path": high(6 * r / sigma), "decrease": low(0.0625 * mu / 4)}
    examine(
        "relu-descent-converges-printed",
        claim,
        spectrum,
        printed,
        "holds",
        "perturbation path",
        "decrease",
        rows=rows,
        net=net,
    )


def test_random_features() -> None:
    net = network([0.0, 0.0], [[1.0, 0.0], [0.0, 2.0]], activation="relu")
    proof = {"smallest": 1.0, "direction": [1.0, 0.0]}
    facts = {"sigma": 1.0, "sigma_at_most": 1.0}
    examine("random-features", {}, proof, facts, "holds", "sigma_at_most", "sigma", rows=FEW, net=net)
    assert not confirmed("random-features", {}, proof | {"smallest": 1.0 + 2.0**-52}, {}, "holds", FEW, net)
    assert confirmed("random-features", {}, proof, {}, "fails", FEW, network([1.0], [[1.0, 0.0]], activation="relu"))
    dead = network([0.0, 0.0], [[-1.0, 0.0], [0.0, 2.0]], activation="relu")
    assert confirmed("random-features", {}, proof, {"sigma_at_most": 0.0}, "fails", FEW, dead)


if __name__ == "__main__":
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function()
            print(f"{name}: passed")
