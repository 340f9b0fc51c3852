"""Tests of the exact checker: small certificates that hold, and forged ones that must not be confirmed.

Runs under pytest, or by itself: ``python test_exact_checker.py``. The facts of the certificates are computed here by
plain loops over fractions, not by the functions of the checker.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import struct
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from exact_checker import check, main  # noqa: E402
from exact_core import (  # noqa: E402
    NotConfirmed,
    NotJudged,
    Refused,
    Table,
    apply_step,
    less_centre,
    number,
    number_name,
    read_document,
    read_rows,
    read_table,
)
from exact_optimum import Span  # noqa: E402

Document = dict[str, Any]
Rows = list[list[float]]
WEAKER = Fraction(1, 2**40)


# --- a small prover --------------------------------------------------------------------------------------------------


def down(value: Fraction) -> float:
    """A double that is smaller by 2⁻⁴⁰ of the size."""
    return float(value - abs(value) * WEAKER)


def up(value: Fraction) -> float:
    """A double that is larger by 2⁻⁴⁰ of the size."""
    return float(value + abs(value) * WEAKER)


def solve(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Gauss and Jordan."""
    rows = [[*row, entry] for row, entry in zip(matrix, right)]
    for step in range(len(rows)):
        pivot = next(r for r in range(step, len(rows)) if rows[r][step] != 0)
        rows[step], rows[pivot] = rows[pivot], rows[step]
        rows[step] = [entry / rows[step][step] for entry in rows[step]]
        for r in range(len(rows)):
            if r != step:
                rows[r] = [a - rows[r][step] * b for a, b in zip(rows[r], rows[step])]
    return [row[-1] for row in rows]


def project(columns: list[list[Fraction]], omega: list[Fraction], values: list[Fraction]) -> list[Fraction]:
    """Values less their weighted least-squares fit by the columns."""
    gram = [[sum(o * p * q for o, p, q in zip(omega, a, b)) for b in columns] for a in columns]
    beta = solve(gram, [sum(o * p * q for o, p, q in zip(omega, a, values)) for a in columns])
    return [value - sum(f * column[i] for f, column in zip(beta, columns)) for i, value in enumerate(values)]


def fit(columns: list[list[Fraction]], omega: list[Fraction], values: list[Fraction]) -> list[Fraction]:
    """Weighted least squares."""
    gram = [[sum(o * p * q for o, p, q in zip(omega, a, b)) for b in columns] for a in columns]
    return solve(gram, [sum(o * p * q for o, p, q in zip(omega, a, values)) for a in columns])


def digest(names: list[str], fitted: str, x: Rows, y: list[float], w: list[float] | None) -> str:
    """The fingerprint, byte by byte."""
    data = b"shallows data 1\n" + struct.pack("<QQ", len(x), len(names))
    for name in [*names, fitted]:
        data += struct.pack("<Q", len(name.encode())) + name.encode()
    for value in [entry for row in x for entry in row] + y:
        data += struct.pack("<d", 0.0 if value == 0 else value)
    data += b"\0" if w is None else b"\1" + struct.pack(f"<{len(w)}d", *w)
    return hashlib.sha256(data).hexdigest()


class Instance:
    """Rows, a network and a proof; ``document()`` adds the facts that follow."""

    def __init__(self, x: Rows, y: list[float], w: list[float] | None = None, **claim: Any) -> None:
        self.x, self.y, self.w = x, y, w
        self.d = d = len(x[0])
        self.names = [f"x{j}" for j in range(d)]
        self.claim = {
            "signs": "any",
            "decay": 0.0,
            "linear": False,
            "intercept": False,
            "exponents": [0] * d,
            "tolerance": 1e-6,
            "class": {"nuclear": None, "linear": None, "intercept": None},
        } | claim
        self.network: dict[str, Any] = {
            "activation": "quadratic",
            "W": [],
            "u": None,
            "v": [],
            "c": None,
            "b": None,
        }
        self.proof: dict[str, Any] = {
            "centre": [0.0] * d,
            "shifts": [0] * d,
            "span": None,
            "free": False,
            "function": {"M": [[0.0] * (i + 1) for i in range(d)], "b": [0.0] * d, "c": 0.0},
            "scale": 1.0,
            "excess": 0.0,
            "measure": {"kind": "objective"},
            "improvement": None,
        }
        self.verdict = "holds"

    def omega(self) -> list[Fraction]:
        """ω of the rows that count."""
        weights = [Fraction(1)] * len(self.y) if self.w is None else [Fraction(w) for w in self.w]
        return [w / sum(weights) for w in weights if w > 0]

    def counted(self) -> tuple[list[list[Fraction]], list[Fraction]]:
        """x and y of the rows that count."""
        kept = [i for i in range(len(self.y)) if self.w is None or self.w[i] > 0]
        return [[Fraction(e) for e in self.x[i]] for i in kept], [Fraction(self.y[i]) for i in kept]

    def hat(self) -> list[list[Fraction]]:
        """x̂ of the rows that count."""
        centre, shifts = self.proof["centre"], self.proof["shifts"]
        return [
            [(e - Fraction(m)) * Fraction(2) ** int(h) for e, m, h in zip(row, centre, shifts)]
            for row in self.counted()[0]
        ]

    def columns(self, span: dict[str, Any]) -> list[list[Fraction]]:
        """The columns of a span."""
        return [
            [math.prod((row[j] for j in column), start=Fraction(1)) for row in self.hat()] for column in span["columns"]
        ]

    def objective(self, network: dict[str, Any]) -> Fraction:
        """P."""
        x, y = self.counted()
        b = [Fraction(e) for e in network["b"] or [0] * self.d]
        total = Fraction(0)
        for row, label, omega in zip(x, y, self.omega()):
            value = Fraction(network["c"] or 0) + sum(p * q for p, q in zip(b, row))
            for v, w in zip(network["v"], network["W"]):
                value += Fraction(v) * sum(Fraction(p) * q for p, q in zip(w, row)) ** 2
            total += omega * (value - label) ** 2 / 2
        for v, w in zip(network["v"], network["W"]):
            size = sum(Fraction(4) ** e * Fraction(p) ** 2 for p, e in zip(w, self.claim["exponents"]))
            total += Fraction(self.claim["decay"]) * abs(Fraction(v)) * size
        return total

    def theta(self) -> list[Fraction]:
        """The dual point, in the signs of the file."""
        function, (_, y) = self.proof["function"], self.counted()
        residual = []
        for row, label in zip(self.hat(), y):
            value = Fraction(0)
            for part in [function, *([function["low"]] if "low" in function else [])]:
                value += Fraction(part["c"]) + sum(Fraction(p) * q for p, q in zip(part["b"], row))
                for i in range(self.d):
                    for j in range(i + 1):
                        value += Fraction(part["M"][i][j]) * row[i] * row[j] * (1 if i == j else 2)
            residual.append(value - label)
        if self.proof["span"] is not None:
            residual = project(self.columns(self.proof["span"]), self.omega(), residual)
        return [Fraction(self.proof["scale"]) * o * r for o, r in zip(self.omega(), residual)]

    def bound(self) -> Fraction:
        """A rational number just below the lower bound."""
        theta, (x, y) = self.theta(), self.counted()
        limits = self.claim["class"]
        value = -sum(t * label for t, label in zip(theta, y)) - sum(t * t / o for t, o in zip(theta, self.omega())) / 2
        if self.proof["excess"]:
            value -= Fraction(limits["nuclear"]) * Fraction(self.proof["excess"])
        if self.claim["linear"] and limits["linear"] is not None:
            squared = sum(
                (sum(t * row[j] for t, row in zip(theta, x)) / Fraction(2) ** e) ** 2
                for j, e in enumerate(self.claim["exponents"])
            )
            value -= Fraction(limits["linear"]) * Fraction(math.isqrt(int(squared * 4**60)) + 1, 2**60)
        if self.claim["intercept"] and limits["intercept"] is not None:
            value -= Fraction(limits["intercept"]) * abs(sum(theta))
        return max(value, Fraction(0))

    def measure(self) -> Fraction:
        """The largest measure."""
        measure, y = self.proof["measure"], self.counted()[1]
        if measure["kind"] == "objective":
            return self.objective(self.network)
        if measure["kind"] == "least":
            return Fraction(1e-290)
        rest = project(self.columns(measure["span"]), self.omega(), y)
        share = Fraction(1e-7 if measure["kind"] == "interpolation" else 1e-10)
        limit = sum(o * r * r for o, r in zip(self.omega(), rest)) / 2 * share
        if measure["kind"] in ("rounding", "last-digits"):
            zero = sum(o * r * r for o, r in zip(self.omega(), y)) / 2
            largest, gap = (1e-24, 1e-30) if measure["kind"] == "rounding" else (1e-22, 1e-28)
            limit = min(limit, zero * Fraction(largest), zero * Fraction(gap) / Fraction(self.claim["tolerance"]))
        return limit

    def table(self) -> list[list[Any]]:
        """The table: a line number, the inputs, the target and the weights."""
        weights = [] if self.w is None else ["w"]
        rows = [["line", *self.names, "y", *weights]]
        for i, (row, label) in enumerate(zip(self.x, self.y)):
            rows.append([i, *row, label, *([] if self.w is None else [self.w[i]])])
        return rows

    def document(self) -> Document:
        """The certificate, with facts that follow, weakened."""
        objective, bound, measure = up(self.objective(self.network)), down(self.bound()), down(self.measure())
        gap = up((Fraction(objective) - Fraction(bound)) / Fraction(measure)) if measure else None
        number = {"number": {"median": None, "gaps": "never"}}
        return {
            "format": "shallows certificate",
            "format_version": 3,
            "writer": "test",
            "rows": {
                "hash": digest(self.names, "y", self.x, self.y, self.w),
                "count": len(self.y),
                "table_rows": len(self.y),
                "inputs": self.names,
                "target": "y",
                "target_scale": "identity",
                "weight": None if self.w is None else "w",
                "recipe": [{"name": name, "treatment": copy.deepcopy(number)} for name in self.names],
                "selected": None, "form": None,
            },
            "network": copy.deepcopy(self.network),
            "teacher": None,
            "certificates": [
                {
                    "theorem": "global-optimum",
                    "claim": copy.deepcopy(self.claim),
                    "proof": copy.deepcopy(self.proof),
                    "facts": {"objective": objective, "lower_bound": bound, "measure": measure, "relative_gap": gap},
                    "verdict": self.verdict,
                    "checks": [],
                    "statement": "",
                }
            ],
        }


def span(
    *columns: list[int], relations: list[Any] | None = None, groups: list[list[int]] | None = None
) -> dict[str, Any]:
    """A span."""
    return {"columns": list(columns), "relations": relations or [], "groups": groups or [], "passes": 2}


def relation(j: int, factor: int, terms: list[list[int]], constant: int) -> dict[str, Any]:
    """A relation."""
    return {"input": j, "factor": factor, "terms": terms, "constant": constant}


def set_matrix(instance: Instance, M: list[list[float]], b: list[float] | None = None, c: float | None = None) -> None:
    """Use a symmetric 1 × 1 or 2 × 2 matrix for the network and for the function of the proof (centre 0, shifts 0)."""
    units = [(M[0][0], [1.0] + [0.0] * (instance.d - 1))]
    if instance.d == 2:
        a, p, q = M[0][0], M[0][1], M[1][1]
        spread, middle = math.hypot((a - q) / 2, p), (a + q) / 2
        angle = math.atan2(2 * p, a - q) / 2
        cosine, sine = math.cos(angle), math.sin(angle)
        units = [(middle + spread, [cosine, sine]), (middle - spread, [-sine, cosine])]
    kept = [
        (v, w)
        for v, w in units
        if abs(v) > 1e-9
        and (instance.claim["signs"] != "positive" or v > 0)
        and (instance.claim["signs"] != "negative" or v < 0)
    ]
    instance.network |= {"W": [w for _, w in kept], "v": [v for v, _ in kept], "b": b, "c": c}
    instance.proof["function"] = {
        "M": [M[i][: i + 1] for i in range(instance.d)],
        "b": b or [0.0] * instance.d,
        "c": c or 0.0,
    }


def eigenvalue(matrix: list[list[float]]) -> tuple[float, float]:
    """The least and the largest eigenvalue of a symmetric matrix of order 1 or 2."""
    if len(matrix) == 1:
        return matrix[0][0], matrix[0][0]
    middle, spread = (matrix[0][0] + matrix[1][1]) / 2, math.hypot((matrix[0][0] - matrix[1][1]) / 2, matrix[0][1])
    return middle - spread, middle + spread


def descend(instance: Instance, steps: int = 4000) -> None:
    """Minimise P by proximal gradient descent in M, b and c (d ≤ 2, e = h = 0), then scale the dual point."""
    d, claim, omega = instance.d, instance.claim, [float(o) for o in instance.omega()]
    x, y = [[float(e) for e in row] for row in instance.counted()[0]], [float(e) for e in instance.counted()[1]]
    M, b, c = [[0.0] * d for _ in range(d)], [0.0] * d, 0.0
    step = 1 / sum(o * (1 + sum(e * e for e in row)) ** 2 for o, row in zip(omega, x))
    for _ in range(steps):
        r = [
            sum(M[i][j] * row[i] * row[j] for i in range(d) for j in range(d))
            + sum(p * q for p, q in zip(b, row))
            + c
            - label
            for row, label in zip(x, y)
        ]
        G = [[sum(o * e * row[i] * row[j] for o, e, row in zip(omega, r, x)) for j in range(d)] for i in range(d)]
        N = [[M[i][j] - step * G[i][j] for j in range(d)] for i in range(d)]
        a, p, q = N[0][0], (N[0][1] if d == 2 else 0.0), (N[1][1] if d == 2 else 0.0)
        angle = math.atan2(2 * p, a - q) / 2 if d == 2 else 0.0
        low, high = eigenvalue(N)
        M = [[0.0] * d for _ in range(d)]
        frame = [(high, [math.cos(angle), math.sin(angle)]), (low, [-math.sin(angle), math.cos(angle)])]
        for value, vector in frame if d == 2 else [(a, [1.0])]:
            cut = step * claim["decay"]
            soft = math.copysign(max(abs(value) - cut, 0.0), value)
            soft = (
                max(soft, 0.0)
                if claim["signs"] == "positive"
                else min(soft, 0.0)
                if claim["signs"] == "negative"
                else soft
            )
            M = [[M[i][j] + soft * vector[i] * vector[j] for j in range(d)] for i in range(d)]
        if claim["linear"]:
            b = [b[j] - step * sum(o * e * row[j] for o, e, row in zip(omega, r, x)) for j in range(d)]
        if claim["intercept"]:
            c -= step * sum(o * e for o, e in zip(omega, r))
    set_matrix(instance, M, b if claim["linear"] else None, c if claim["intercept"] else None)
    theta = [float(t) for t in instance.theta()]
    A = [[sum(t * row[i] * row[j] for t, row in zip(theta, x)) for j in range(d)] for i in range(d)]
    low, high = eigenvalue(A)
    size = {"any": max(-low, high), "positive": -low, "negative": high}[claim["signs"]]
    instance.proof["scale"] = (
        min(1.0, (claim["decay"] + instance.proof["excess"]) / size) * (1 - 2.0**-40) if size > 0 else 1.0
    )


# --- instances that hold ---------------------------------------------------------------------------------------------


def parabola() -> Instance:
    """One input, no decay, affine part: least squares with everything in the span."""
    instance = Instance([[0.0], [1.0], [2.0], [3.0], [5.0]], [1.0, 0.5, 3.0, 4.0, 20.0], linear=True, intercept=True)
    x, y = instance.counted()
    c, b, a = fit([[Fraction(1)] * 5, [r[0] for r in x], [r[0] ** 2 for r in x]], instance.omega(), y)
    set_matrix(instance, [[float(a)]], [float(b)], float(c))
    instance.proof |= {"span": span([], [0], [0, 0]), "free": True}
    return instance


def threshold(signs: str = "any", flip: int = 1) -> Instance:
    """One input and decay: the soft threshold."""
    y = [flip * value for value in [0.3, 1.2, 4.1, 8.7]]
    instance = Instance([[0.5], [1.0], [2.0], [3.0]], y, [1.0, 2.0, 0.5, 1.0], signs=signs, decay=0.25)
    omega, (x, labels) = instance.omega(), instance.counted()
    top = sum(o * r[0] ** 2 * label for o, r, label in zip(omega, x, labels))
    best = (abs(top) - Fraction(0.25)) / sum(o * r[0] ** 4 for o, r in zip(omega, x)) * flip
    set_matrix(instance, [[float(best)]])
    instance.proof["scale"] = 1 - 2.0**-40
    return instance


def plane(signs: str = "any", **claim: Any) -> Instance:
    """Two inputs and decay."""
    x = [[0.0, 1.0], [1.0, 0.5], [-1.0, 1.5], [2.0, -1.0], [0.5, 0.25], [-2.0, -1.0], [1.5, 2.0], [0.125, -2.0]]
    y = [1.0, 0.3, -2.0, 4.0, 0.1, 2.2, -3.0, 1.7]
    instance = Instance(x, y, [1.0, 1.0, 2.0, 1.0, 0.0, 1.0, 3.0, 1.0], signs=signs, decay=0.0625, **claim)
    if instance.claim["intercept"] or instance.claim["linear"]:
        instance.proof["span"] = span(
            *([[]] if instance.claim["intercept"] else []), *([[0], [1]] if instance.claim["linear"] else [])
        )
    descend(instance)
    return instance


def limited() -> Instance:
    """Limits for the affine part and for the matrix, no decay, no span: an optimum inside the limits."""
    limits = {"nuclear": 50.0, "linear": 20.0, "intercept": 30.0}
    instance = parabola()
    instance.claim |= {"class": limits, "exponents": [1], "tolerance": 1e-3}
    instance.proof |= {"span": None, "free": False, "excess": 2.0**-30}
    return instance


def one_hot() -> Instance:
    """A category as a group, and a number next to it; products are in the span because of group and columns."""
    x = [[1.0, 0.0, 0.5], [1.0, 0.0, 1.0], [0.0, 1.0, 2.0], [0.0, 1.0, -1.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.25], [1.0, 0.0, -2.0],
         [0.0, 1.0, 0.75], [0.0, 0.0, -0.5], [1.0, 0.0, 4.0], [0.0, 1.0, 1.25]]  # fmt: skip
    y = [1.0, 2.0, 0.5, -1.0, 3.0, 0.0, 2.5, 1.5, 0.7, 9.0, 2.0]
    instance = Instance(x, y, linear=True, intercept=True)
    columns: list[list[int]] = [[], [0], [1], [2], [0, 2], [1, 2], [2, 2]]
    instance.proof |= {"span": span(*columns, groups=[[0, 1]]), "free": True}
    beta = [float(e) for e in fit(instance.columns(instance.proof["span"]), instance.omega(), instance.counted()[1])]
    # x₀x₂ = ((x₀ + x₂)² − (x₀ − x₂)²)/4, likewise x₁x₂.
    instance.network |= {
        "W": [[1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 1.0, 1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]],
        "v": [beta[4] / 4, -beta[4] / 4, beta[5] / 4, -beta[5] / 4, beta[6]],
        "b": beta[1:4],
        "c": beta[0],
    }
    return instance


def related() -> Instance:
    """2x₂ = x₀ + 4x₁ − 6 in every row, with the affine part in the span and decay."""
    first = [0.0, 2.0, -2.0, 4.0, 1.0, 3.0]
    second = [1.0, 0.5, 1.5, -1.0, 2.0, -0.5]
    x = [[a, b, a / 2 + 2 * b - 3] for a, b in zip(first, second)]
    instance = Instance(x, [1.0, 2.0, -1.0, 0.5, 0.25, 3.0], decay=4.0, linear=True, intercept=True)
    instance.proof["span"] = span([], [0], [1], relations=[relation(2, 2, [[0, 1], [1, 4]], -6)])
    columns = instance.columns(instance.proof["span"])
    c, b0, b1 = fit(columns, instance.omega(), instance.counted()[1])
    instance.network |= {"b": [float(b0), float(b1), 0.0], "c": float(c)}
    instance.proof["function"] |= {"b": instance.network["b"], "c": instance.network["c"]}
    return instance


def interpolation(kind: str = "without-units") -> Instance:
    """A network that fits exactly: the gap is relative to the other measures."""
    instance = Instance([[1.0], [2.0], [3.0]], [1.0, 4.0, 9.0], tolerance=1e-6)
    set_matrix(instance, [[1.0]])
    instance.proof["measure"] = {"kind": kind} if kind == "least" else {"kind": kind, "span": span()}
    return instance


def refuted() -> Instance:
    """A network that is not optimal, with a better one."""
    instance = parabola()
    instance.proof["improvement"] = copy.deepcopy(instance.network)
    instance.network["c"] += 1.0
    instance.verdict = "fails"
    return instance


def scaled() -> Instance:
    """Centre, shifts and exponents other than zero."""
    instance = Instance(
        [[4.0], [5.0], [6.0], [8.0], [7.5]],
        [1.0, 0.5, 3.0, 4.0, 2.0],
        linear=True,
        intercept=True,
        decay=0.5,
        exponents=[-1],
    )
    instance.proof |= {"centre": [6.0], "shifts": [1], "span": span([], [0])}
    # With decay ½·4⁻¹ per unit of x² the affine fit is optimal when |Σθx²| ≤ ⅛.
    x, y = instance.counted()
    c, b = fit([[Fraction(1)] * 5, [r[0] for r in x]], instance.omega(), y)
    instance.network |= {"b": [float(b)], "c": float(c)}
    instance.proof["function"] = {"M": [[0.0]], "b": [float(b) / 2], "c": float(c) + 6 * float(b)}
    return instance


INSTANCES: dict[str, Callable[[], Instance]] = {
    "parabola": parabola,
    "threshold": threshold,
    "threshold, positive": lambda: threshold("positive"),
    "threshold, negative": lambda: threshold("negative", -1),
    "threshold, negative labels": lambda: threshold("any", -1),
    "plane": plane,
    "plane, positive": lambda: plane("positive"),
    "plane, negative": lambda: plane("negative"),
    "plane, intercept": lambda: plane(intercept=True),
    "plane, affine": lambda: plane("positive", intercept=True, linear=True),
    "limited": limited,
    "one-hot": one_hot,
    "related": related,
    "without units": interpolation,
    "rounding": lambda: interpolation("rounding"),
    "least": lambda: interpolation("least"),
    "refuted": refuted,
    "scaled": scaled,
}


def judged(document: Document, table: Any) -> tuple[str, str, bool, str]:
    """The result for the only claim; a refusal counts as not confirmed."""
    try:
        return check(document, table)[0]
    except Refused as error:
        return "", "", False, f"refused: {error}"


def entry(document: Document) -> dict[str, Any]:
    """The only claim."""
    return document["certificates"][0]


def forged(instance: Instance, change: Callable[[Document], Any], why: str) -> None:
    """The certificate is confirmed, and after the change it is not, for the reason given."""
    document, table = instance.document(), instance.table()
    result = judged(document, table)
    assert result[2], result
    change(document)
    result = judged(document, table)
    assert not result[2], "a forged certificate was confirmed"
    assert why in result[3], (why, result[3])


# --- tests -----------------------------------------------------------------------------------------------------------


def test_instances_are_confirmed() -> None:
    for name, make in INSTANCES.items():
        instance = make()
        result = judged(instance.document(), instance.table())
        assert result[2] and result[1] == instance.verdict, (name, result)


def test_file_and_command() -> None:
    instance = threshold()
    with tempfile.TemporaryDirectory() as folder:
        certificate, table = Path(folder, "c.json"), Path(folder, "t.csv")
        table.write_text("\n".join(",".join(map(str, row)) for row in instance.table()) + "\n")
        certificate.write_text(json.dumps(instance.document()))
        assert main([str(certificate), str(table)]) == 0
        document = instance.document()
        entry(document)["facts"]["lower_bound"] *= 1 + 1e-9
        certificate.write_text(json.dumps(document))
        assert main([str(certificate), str(table)]) == 1
        certificate.write_text(json.dumps(refuted().document()))
        assert main([str(certificate), str(table)]) == 2


def test_forged_facts() -> None:
    def fact(name: str, change: Callable[[float], float]) -> Callable[[Document], None]:
        return lambda document: entry(document)["facts"].update({name: change(entry(document)["facts"][name])})

    for name in (
        "parabola",
        "threshold",
        "threshold, negative",
        "plane",
        "plane, affine",
        "limited",
        "related",
        "scaled",
    ):
        make = INSTANCES[name]
        forged(make(), fact("lower_bound", lambda v: v * (1 + 1e-9)), "lower bound")
        forged(make(), fact("objective", lambda v: v * (1 - 1e-9)), "objective")
        forged(make(), fact("measure", lambda v: v * (1 + 1e-9)), "measure")
        forged(make(), fact("measure", lambda v: 0.0), "measure")
        forged(make(), fact("measure", lambda v: -v), "measure")
        forged(make(), fact("relative_gap", lambda v: v * (1 - 1e-9)), "gap")
        forged(make(), fact("objective", lambda v: v * 1.5), "gap")
    for kind in ("without-units", "rounding", "least"):
        forged(interpolation(kind), fact("measure", lambda v: v * (1 + 1e-9)), "measure")
    forged(parabola(), fact("objective", lambda v: None), "gap")
    forged(threshold(), lambda d: entry(d)["facts"].pop("measure"), "gap")
    forged(threshold(), lambda d: entry(d)["facts"].update(measure=None, relative_gap=None), "undecided")


def test_forged_verdicts() -> None:
    for name in ("threshold", "parabola"):
        for verdict in ("fails", "perhaps"):
            forged(INSTANCES[name](), lambda d, v=verdict: entry(d).update(verdict=v), "")
    forged(refuted(), lambda d: entry(d).update(verdict="holds"), "fails")
    forged(refuted(), lambda d: entry(d)["proof"].update(improvement=None), "undecided")
    forged(refuted(), lambda d: entry(d)["proof"]["improvement"].update(activation="relu"), "undecided")
    forged(refuted(), lambda d: entry(d)["proof"]["improvement"].update(u=[1.0]), "undecided")
    forged(refuted(), lambda d: entry(d)["proof"]["improvement"].update(c=d["network"]["c"]), "undecided")
    instance = refuted()
    instance.claim["signs"] = "positive"
    forged(instance, lambda d: entry(d)["proof"]["improvement"].update(W=[[1.0], [0.0]], v=[1.0, -1.0]), "undecided")
    forged(threshold(), lambda d: entry(d).update(theorem="global-optimism"), "does not know")


def test_limits_of_improvements() -> None:
    instance = limited()
    instance.proof |= {"improvement": copy.deepcopy(instance.network)}
    instance.network["c"] += 1.0
    instance.verdict = "fails"
    for limit in ("nuclear", "linear", "intercept"):
        forged(instance, lambda d, k=limit: entry(d)["claim"]["class"].update({k: 2.0**-20}), "")


def test_networks_outside_the_class() -> None:
    instance = threshold("positive")
    instance.network |= {"W": [[1.0]], "v": [-1.0]}
    instance.verdict = "fails"
    assert judged(instance.document(), instance.table())[2]
    instance.verdict = "holds"
    assert not judged(instance.document(), instance.table())[2]
    for change in ({"c": 1e-300}, {"b": [1e-300]}, {"v": [-1e-300]}):
        instance = threshold("positive")
        document = instance.document()
        if "v" in change:
            change = {"v": [*instance.network["v"], -1e-300], "W": [*instance.network["W"], [0.0]]}
        document["network"].update(change)
        assert not judged(document, instance.table())[2]
    for change in ({"activation": "relu"}, {"u": [1e-300]}):
        forged(threshold(), lambda d, c=change: d["network"].update(c), "not quadratic")


def test_matrix_inequality() -> None:
    for name in ("threshold", "threshold, negative", "plane", "plane, positive", "plane, negative", "plane, affine"):
        instance = INSTANCES[name]()
        instance.proof["scale"] *= 1 + 2.0**-30
        document = instance.document()
        result = judged(document, instance.table())
        assert not result[2] and "semidefinite" in result[3], (name, result)
    # Exactly on the boundary: semidefinite, not definite.
    instance = Instance([[1.0]], [2.0], decay=0.5)
    set_matrix(instance, [[1.5]])
    assert judged(instance.document(), instance.table())[2]
    instance.proof["scale"] = 1 + 2.0**-52
    assert "semidefinite" in judged(instance.document(), instance.table())[3]
    # What is enough for one sign is not enough for any.
    instance = Instance([[1.0]], [-2.0], decay=0.5, signs="positive")
    assert judged(instance.document(), instance.table())[2]
    forged(instance, lambda d: entry(d)["claim"].update(signs="any"), "semidefinite")
    forged(instance, lambda d: entry(d)["claim"].update(signs="negative"), "semidefinite")
    forged(plane(), lambda d: entry(d)["claim"].update(decay=0.05), "")
    forged(scaled(), lambda d: entry(d)["claim"].update(exponents=[-3]), "semidefinite")
    # The same function in other units of the inputs, and the same penalty in other units of the weights.
    for h, e in ((3, 0), (-2, 5), (0, -7)):
        instance = threshold()
        M = instance.proof["function"]["M"][0][0]
        instance.proof |= {"shifts": [h], "function": {"M": [[M / 4.0**h]], "b": [0.0], "c": 0.0}}
        instance.claim |= {"exponents": [e], "decay": instance.claim["decay"] / 4.0**e}
        forged(
            instance,
            lambda d: entry(d)["claim"].update(exponents=[entry(d)["claim"]["exponents"][0] - 1]),
            "semidefinite",
        )
        forged(instance, lambda d: entry(d)["proof"]["function"].update(M=[[0.0]]), "semidefinite")


def test_spans() -> None:
    def proof(**change: Any) -> Callable[[Document], None]:
        return lambda document: entry(document)["proof"].update(change)

    forged(parabola(), proof(span=None), "no span")
    forged(parabola(), proof(span=span([], [0])), "[0, 0] is not in the span")
    forged(parabola(), proof(span=span([0], [0, 0])), "[] is not in the span")
    forged(parabola(), proof(span=span([], [0, 0])), "[0] is not in the span")
    forged(parabola(), proof(span=span([], [0], [0], [0, 0])), "independent")
    forged(parabola(), proof(free=False, span=span([], [0])), "")
    parabolic = parabola()
    parabolic.proof["free"] = False  # A = 0 exactly
    assert judged(parabolic.document(), parabolic.table())[2]
    forged(parabola(), proof(span=span([], [0], [0, 0, 0])), "monomial")
    forged(plane(intercept=True), proof(span=None), "no span")
    forged(one_hot(), proof(span=span([], [0], [1], [2], [0, 2], [1, 2], [2, 2])), "not in the span")
    forged(one_hot(), proof(span=span([], [0], [1], [2], [0, 2], [1, 2], [2, 2], groups=[[0, 2]])), "not in the span")
    forged(one_hot(), proof(span=span([], [0], [1], [2], [0, 2], [1, 2], [2, 2], groups=[[0, 1], [1]])), "two groups")
    forged(one_hot(), proof(span=span([], [0], [1], [2], [0, 2], [1, 2], [2, 2], groups=[[0, 1, 1]])), "two groups")
    forged(one_hot(), proof(span=span([], [0], [2], [0, 2], [1, 2], [2, 2], groups=[[0, 1]])), "not in the span")
    forged(one_hot(), proof(span=span([], [0], [1], [2], [0, 2], [2, 2], groups=[[0, 1]])), "not in the span")
    forged(
        one_hot(), proof(span=span([], [0], [1], [0, 0], [2], [0, 2], [1, 2], [2, 2], groups=[[0, 1]])), "independent"
    )
    forged(one_hot(), lambda d: entry(d)["proof"]["span"].update(passes=9), "passes")


def test_relations() -> None:
    def relations(*change: Any) -> Callable[[Document], None]:
        return lambda document: entry(document)["proof"]["span"].update(relations=list(change))

    forged(related(), relations(), "not in the span")
    forged(related(), relations(relation(2, 2, [[0, 1], [1, 4]], -5)), "does not hold")
    forged(related(), relations(relation(2, 2, [[0, 1], [1, 3]], -6)), "does not hold")
    forged(related(), relations(relation(2, 0, [[0, 1], [1, 4]], -6)), "zero")
    forged(related(), relations(relation(2, 2, [[2, 2]], 0)), "whole number")
    forged(related(), relations(relation(2, 2, [[0, 1.5], [1, 4]], -6)), "whole number")
    forged(related(), relations(relation(1, 4, [[0, -1], [2, 2]], 6)), "whole number")


def test_products_with_a_constant_in_a_relation() -> None:
    """x₁ = x₀ + 1 with 1 and x₀² in the span: x₀x₁ is not, because x₀ is not."""
    x = [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [-1.0, 0.0]]
    instance = Instance(x, [0.0, 1.0, 2.0, -1.0], intercept=True)
    instance.proof |= {"span": span([], [0, 0], relations=[relation(1, 1, [[0, 1]], 1)]), "free": True}
    instance.network |= {"W": [[1.0, 0.0]], "v": [0.25], "c": 0.125}
    instance.verdict = "holds"
    instance.claim["tolerance"] = 0.1
    theta = instance.theta()
    assert sum(t * Fraction(r[0]) * Fraction(r[1]) for t, r in zip(theta, x)) != 0
    result = judged(instance.document(), instance.table())
    assert not result[2] and "not in the span" in result[3], result
    # With x₀ among the columns everything is covered.
    instance.proof["span"] = span([], [0], [0, 0], relations=[relation(1, 1, [[0, 1]], 1)])
    instance.network |= {"W": [[1.0, -1.0], [1.0, 0.0], [0.0, 1.0]], "v": [-0.5, -0.5, 0.5], "c": 0.0}
    instance.proof["measure"] = {"kind": "least"}
    assert judged(instance.document(), instance.table())[2]


def test_constant_of_a_relation_needs_the_constant() -> None:
    instance = Instance([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]], [1.0, 1.0, 3.0], linear=True, decay=100.0)
    instance.proof["span"] = span([0], [1])
    columns = instance.columns(instance.proof["span"])
    b = [float(e) for e in fit(columns, instance.omega(), instance.counted()[1])]
    instance.network["b"] = b
    instance.proof["function"]["b"] = b
    assert judged(instance.document(), instance.table())[2]
    forged(
        instance,
        lambda d: entry(d)["proof"].update(span=span([0], relations=[relation(1, 1, [[0, 1]], 1)])),
        "not in the span",
    )


def test_constant_by_a_group() -> None:
    """Three indicators without a reference: their group has the constant in its span."""
    x = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    instance = Instance(x, [1.0, 2.0, 3.0, 2.0, 5.0], linear=True, intercept=True)
    instance.network |= {"b": [1.5, 2.0, 4.0]}
    instance.proof |= {"span": span([0], [1], [2], groups=[[2, 0, 1]]), "free": True}
    assert judged(instance.document(), instance.table())[2]
    forged(instance, lambda d: entry(d)["proof"]["span"].update(groups=[]), "not in the span")
    forged(instance, lambda d: entry(d)["proof"]["span"].update(groups=[[0, 1]]), "not in the span")


def test_limits_of_the_class() -> None:
    def limits(**change: Any) -> Callable[[Document], None]:
        return lambda document: entry(document)["claim"]["class"].update(change)

    forged(limited(), limits(nuclear=None), "excess")
    forged(limited(), limits(linear=None), "no span")
    forged(limited(), limits(intercept=None), "no span")
    forged(limited(), limits(nuclear=1e12), "lower bound")
    forged(limited(), limits(linear=1e20), "lower bound")
    forged(limited(), limits(intercept=1e20), "lower bound")
    forged(limited(), limits(intercept=-1.0), "out of range")
    forged(limited(), lambda d: entry(d)["proof"].update(excess=0.0), "semidefinite")
    forged(limited(), lambda d: entry(d)["proof"].update(excess=-1.0), "excess")
    forged(limited(), lambda d: entry(d)["proof"].update(excess=1.0), "lower bound")
    forged(limited(), lambda d: entry(d)["claim"].pop("class"), "lacks the key")


def test_centre() -> None:
    forged(scaled(), lambda d: entry(d)["claim"].update(intercept=False), "centre")
    forged(scaled(), lambda d: entry(d)["claim"].update(linear=False), "centre")
    forged(scaled(), lambda d: entry(d)["claim"]["class"].update(linear=10.0), "centre")
    forged(scaled(), lambda d: entry(d)["claim"]["class"].update(intercept=10.0), "centre")
    forged(scaled(), lambda d: entry(d)["proof"].update(centre=[2.0**-60]), "not a double")
    forged(scaled(), lambda d: entry(d)["proof"].update(shifts=[1001]), "whole number")


def test_measures() -> None:
    def measure(value: Any) -> Callable[[Document], None]:
        return lambda document: entry(document)["proof"].update(measure=value)

    forged(interpolation(), measure({"kind": "objective"}), "measure")
    forged(interpolation(), measure({"kind": "rounding", "span": span()}), "measure")
    forged(interpolation(), measure({"kind": "least"}), "measure")
    forged(interpolation(), measure({"kind": "without-units", "span": None}), "not an object")
    forged(interpolation(), measure({"kind": "least", "span": span()}), "unknown key")
    forged(interpolation(), measure({"kind": "largest"}), "unknown measure")
    instance = Instance([[1.0], [2.0], [3.0], [5.0]], [1.0, 4.0, 9.0, 25.0], linear=True, intercept=True)
    set_matrix(instance, [[1.0]])
    instance.proof |= {
        "span": span([], [0], [0, 0]),
        "free": True,
        "measure": {"kind": "without-units", "span": span([], [0])},
    }
    forged(instance, measure({"kind": "without-units", "span": span([])}), "not in the span")
    forged(instance, measure({"kind": "without-units", "span": span([0])}), "not in the span")
    forged(instance, measure({"kind": "without-units", "span": span([], [0], [0, 0])}), "measure")
    instance.proof["measure"] = {"kind": "rounding", "span": span([])}
    forged(instance, measure({"kind": "rounding", "span": span()}), "not in the span")


def test_measures_of_interpolation_and_of_last_digits() -> None:
    def measure(value: Any) -> Callable[[Document], None]:
        return lambda document: entry(document)["proof"].update(measure=value)

    # What is left of P is rounding, and larger than the measures of format 3 let pass.
    instance = Instance([[1.0], [2.0], [3.0], [5.0]], [1.0, 4.0, 9.0, 25.0], linear=True, intercept=True)
    set_matrix(instance, [[1.0 + 2.0**-25]])
    instance.proof |= {"span": span([], [0], [0, 0]), "free": True}
    instance.claim["tolerance"] = 1e-6
    instance.proof["measure"] = {"kind": "interpolation", "span": span([], [0])}
    forged(instance, measure({"kind": "interpolation", "span": span([])}), "not in the span")
    forged(instance, measure({"kind": "interpolation", "span": span([], [0], [0, 0])}), "measure")
    forged(instance, measure({"kind": "without-units", "span": span([], [0])}), "measure")
    forged(instance, measure({"kind": "last-digits", "span": span([])}), "measure")
    forged(instance, measure({"kind": "interpolation"}), "lacks the key")
    forged(instance, measure({"kind": "constant", "span": span([])}), "unknown measure")
    forged(instance, lambda d: entry(d)["facts"].update(measure=up(instance.measure())), "measure")
    set_matrix(instance, [[1.0 + 2.0**-48]])
    instance.proof["measure"] = {"kind": "last-digits", "span": span([])}
    forged(instance, measure({"kind": "last-digits", "span": span()}), "not in the span")
    forged(instance, measure({"kind": "rounding", "span": span([])}), "measure")
    forged(instance, lambda d: entry(d)["facts"].update(measure=up(instance.measure())), "measure")


def test_a_better_network_is_compared_with_the_largest_measure_of_its_kind() -> None:
    columns = {"without-units": span([], [0]), "interpolation": span([], [0]), "rounding": span([]), "last-digits": span([])}
    for kind, power, verdict in [
        ("without-units", -20, "fails"), ("interpolation", -25, "undecided"), ("interpolation", -10, "fails"),
        ("rounding", -40, "fails"), ("last-digits", -49, "undecided"), ("last-digits", -20, "fails"),
    ]:  # fmt: skip
        instance = Instance([[1.0], [2.0], [3.0], [5.0]], [1.0, 4.0, 9.0, 25.0], linear=True, intercept=True)
        if kind in ("rounding", "last-digits"):
            instance.y = [1.0, 2.0, 3.0, 5.0]
        set_matrix(instance, [[float(instance.y[1] == 4.0)]], [float(instance.y[1] == 2.0)], 0.0)
        better = copy.deepcopy(instance.network)
        instance.network["c"] = 2.0**power
        instance.proof |= {"measure": {"kind": kind, "span": columns[kind]}, "improvement": better}
        document = instance.document()
        entry(document)["facts"], entry(document)["verdict"] = {}, verdict
        assert judged(document, instance.table())[2], (kind, power, judged(document, instance.table()))
        if verdict == "undecided":
            entry(document)["verdict"] = "fails"
            assert not judged(document, instance.table())[2], (kind, power)


def test_the_function_of_a_proof_may_be_a_sum() -> None:
    instance = threshold()
    M, least = instance.proof["function"]["M"][0][0], 2.0**-80
    zero = {"M": [[0.0]], "b": [0.0], "c": 0.0}
    forged(instance, lambda d: entry(d)["proof"]["function"].update(low=zero | {"M": [[-0.1]]}), "semidefinite")
    forged(instance, lambda d: entry(d)["proof"]["function"].update(low=zero | {"low": zero}), "unknown key")
    forged(instance, lambda d: entry(d)["proof"]["function"].update(low={"M": [[0.0]], "b": [0.0]}), "lacks the key")
    forged(instance, lambda d: entry(d)["proof"]["function"].update(low=zero | {"M": [[0.0, 0.0]]}), "entries")
    document = instance.document()
    entry(document)["proof"]["function"]["low"] = zero
    assert judged(document, instance.table())[2]
    # Half in each, and what no single double holds.
    instance.proof["function"] = {"M": [[M / 2]], "b": [0.0], "c": 0.0, "low": zero | {"M": [[M / 2 + least]]}}
    assert judged(instance.document(), instance.table())[2]
    exact = Instance([[1.0], [2.0]], [1.0, 4.0 + 2.0**-50], decay=2.0**-80)
    set_matrix(exact, [[1.0]])
    # A = Σ½x²r, r = (M − 1, 4(M − 1) − 2⁻⁵⁰): only with more bits of M than a double has is it within 2⁻⁸⁰ of zero.
    M_best = Fraction(1) + Fraction(4 * 2.0**-50) / 17
    high = float(M_best)
    low = float(M_best - Fraction(high))
    exact.proof |= {"function": {"M": [[high]], "b": [0.0], "c": 0.0, "low": zero | {"M": [[low]]}}}
    exact.verdict = "undecided"
    document = exact.document()
    assert judged(document, exact.table())[2] and entry(document)["facts"]["lower_bound"] > 0
    del entry(document)["proof"]["function"]["low"]
    assert "not positive semidefinite" in judged(document, exact.table())[3]


def far() -> tuple[Instance, Document, list[list[Any]]]:
    """Years and seconds, of which the network sees the difference from 2000, from −5 and from 1.7e9."""
    instance = Instance(
        [[-10.0, -0.5], [-4.0, 0.25], [0.0, 1.0], [3.0, -2.0], [10.0, 0.0]], [50.0, 1.0, 0.5, -3.0, 60.0], decay=5000.0
    )
    table = [["year", "depth", "seconds"], *([2000 + a, b - 5, 1.7e9 + y] for (a, b), y in zip(instance.x, instance.y))]
    document = instance.document()
    names = ["year − 2000", "depth + 5"]
    centres = {"year": 2000.0, "depth": -5.0}
    document["rows"] |= {
        "inputs": names,
        "hash": digest(names, "seconds − 1700000000", instance.x, instance.y, None),
        "target": "seconds",
        "target_scale": {"centred": 1.7e9},
        "recipe": [
            {"name": name, "treatment": {"centred": {"centre": centre, "median": None, "gaps": "never"}}}
            for name, centre in centres.items()
        ],
    }
    document["format_version"] = 4
    return instance, document, table


def test_centres_are_taken_from_columns_and_target() -> None:
    instance, document, table = far()
    assert judged(document, table)[2], judged(document, table)

    def refused(change: Callable[[Document], Any], why: str, table: list[list[Any]] = table) -> None:
        other = copy.deepcopy(document)
        change(other)
        result = judged(other, table)
        assert not result[2] and why in result[3], (why, result)

    def treatment(rows: Document, at: int = 0) -> dict[str, Any]:
        return rows["rows"]["recipe"][at]["treatment"]["centred"]

    refused(lambda d: d.update(format_version=3), "")
    refused(lambda d: (d.update(format_version=3), d["rows"].update(target_scale="identity")), "unknown treatment")
    refused(lambda d: treatment(d).update(centre=2001.0), "inputs are not those")
    refused(lambda d: treatment(d).update(centre=None), "not a number")
    refused(lambda d: treatment(d).pop("centre"), "lacks the key")
    refused(lambda d: treatment(d).update(note=1), "unknown key")
    refused(lambda d: treatment(d).update(gaps="some"), "gaps")
    refused(lambda d: d["rows"].update(target_scale="identity"), "fingerprint")
    refused(lambda d: d["rows"].update(target_scale={"centred": 1.7e9 + 1}), "fingerprint")
    refused(lambda d: d["rows"].update(target_scale={"centred": None}), "not a number")
    refused(lambda d: d["rows"].update(target_scale={"centred": 1.7e9, "log": 1}), "unknown key")
    refused(lambda d: d["rows"].update(target_scale="centred"), "target_scale")
    refused(lambda d: d["rows"].update(inputs=["year - 2000", "depth + 5"]), "inputs are not those")
    # A number in a gap is less the centre as well, and a target cannot be an input.
    gap = [list(row) for row in table]
    gap[3][0] = ""
    other = copy.deepcopy(document)
    treatment(other).update(median=2000.0, gaps="shared")
    assert judged(other, gap)[2] and judged(other, table)[2]
    refused(lambda d: None, "not a number", gap)
    refused(lambda d: treatment(d).update(median=2001.0, gaps="shared"), "fingerprint", gap)
    refused(lambda d: d["rows"]["recipe"][0].update(name="seconds"), "cannot be an input")
    huge = [list(row) for row in table]
    huge[3][1] = 1.7e308
    refused(lambda d: treatment(d, 1).update(centre=-1.7e308), "", huge)
    # Differences are rounded to the nearest double.
    rounded = [list(row) for row in table]
    rounded[1][1], rounded[2][1] = -5.500000000000000001, -4.75 + 2.0**-55
    assert judged(document, rounded)[2]


def test_names_of_centred_columns() -> None:
    for centre, name in [
        (2000.0, "a − 2000"), (-5.0, "a + 5"), (0.0, "a − 0"), (-0.0, "a − 0"), (0.996, "a − 0.996"), (1.7e9, "a − 1700000000"),
        (-1e-7, "a + 0.0000001"), (1e22, "a − 1" + 22 * "0"), (0.1 + 0.2, "a − 0.30000000000000004"), (5e-324, "a − 0." + 323 * "0" + "5"),
        (1.7976931348623157e308, "a − 17976931348623157" + 292 * "0"),
    ]:  # fmt: skip
        assert less_centre("a", centre) == name, (centre, less_centre("a", centre))


def test_what_is_fitted_has_no_name_of_an_input() -> None:
    instance, document, table = far()
    for scale, fitted in [({"centred": 1.7e9}, "seconds − 1700000000"), ("log", "ln(seconds)")]:
        other = copy.deepcopy(document)
        changed = [[fitted if cell == "year" else cell for cell in row] for row in table]
        y = instance.y if scale != "log" else [math.log(row[2]) for row in table[1:]]
        x = [[row[0], depth] for row, (_, depth) in zip(table[1:], instance.x)]
        names = [fitted, "depth + 5"]
        other["rows"] |= {"inputs": names, "target_scale": scale, "hash": digest(names, fitted + "′", x, y, None)}
        other["rows"]["recipe"][0] = {"name": fitted, "treatment": {"number": {"median": None, "gaps": "never"}}}
        entry(other)["facts"], entry(other)["verdict"] = {}, "undecided"
        assert judged(other, changed)[2], judged(other, changed)
        other["rows"]["hash"] = digest(names, fitted, x, y, None)
        assert "fingerprint" in judged(other, changed)[3]


def test_rows() -> None:
    def rows(**change: Any) -> Callable[[Document], None]:
        return lambda document: document["rows"].update(change)

    forged(threshold(), rows(selected=[0, 1, 2, 2]), "different")
    forged(threshold(), rows(selected=[0, 1, 2]), "different")
    forged(threshold(), rows(selected=[0, 1, 2, 4]), "whole number")
    forged(threshold(), rows(selected=[1, 0, 2, 3]), "fingerprint")
    forged(threshold(), rows(count=3), "different")
    forged(threshold(), rows(table_rows=5, selected=[0, 1, 2, 3]), "instead of 5")
    forged(threshold(), rows(weight=None), "fingerprint")
    forged(threshold(), rows(target="x0"), "")
    forged(threshold(), rows(inputs=["z"]), "inputs are not those")
    forged(threshold(), rows(inputs=["x0", "x1"]), "inputs")
    forged(threshold(), rows(hash="0" * 64), "fingerprint")
    forged(threshold(), rows(hash="0"), "hexadecimal")
    forged(threshold(), rows(target_scale="log"), "fingerprint")
    forged(threshold(), lambda d: d["rows"]["recipe"][0].update(name="y"), "cannot be an input")
    forged(threshold(), lambda d: d["rows"]["recipe"][0].update(name="none"), "0 columns")


def test_documents() -> None:
    for path in ((), ("rows",), ("network",), ("certificates", 0), ("certificates", 0, "claim"), ("certificates", 0, "proof"),
                 ("certificates", 0, "facts"), ("certificates", 0, "claim", "class"), ("certificates", 0, "proof", "function"),
                 ("certificates", 0, "proof", "span"), ("certificates", 0, "proof", "measure"), ("rows", "recipe", 0),
                 ("rows", "recipe", 0, "treatment", "number")):  # fmt: skip

        def at(document: Document, place: tuple[Any, ...] = path) -> dict[str, Any]:
            for key in place:
                document = document[key]
            return document

        forged(parabola(), lambda d: at(d).update(note="x"), "unknown key")
        for key in at(parabola().document()) if path[-1:] != ("facts",) else []:
            forged(parabola(), lambda d, k=key: at(d).pop(k), "")
    forged(threshold(), lambda d: d.update(format_version=6), "format 3, 4 or 5")
    forged(threshold(), lambda d: d.update(certificates=[]), "no claims")
    forged(threshold(), lambda d: d["network"].update(v=[math.nan]), "finite")
    forged(threshold(), lambda d: entry(d)["facts"].update(lower_bound=-math.inf), "finite")
    forged(threshold(), lambda d: entry(d)["claim"].update(decay=True), "not a number")
    forged(threshold(), lambda d: entry(d)["claim"].update(tolerance=0.2), "out of range")
    forged(threshold(), lambda d: entry(d)["claim"].update(tolerance=0.0), "out of range")
    forged(threshold(), lambda d: entry(d)["claim"].update(decay=-0.25), "out of range")
    forged(threshold(), lambda d: entry(d)["claim"].update(exponents=[301]), "whole number")
    for value in (0.5, 0.0, False, None):
        forged(threshold(), lambda d, v=value: entry(d)["claim"].update(exponents=[v]), "whole number")
    forged(threshold(), lambda d: entry(d)["claim"].update(exponents=[0, 0]), "entries")
    forged(threshold(), lambda d: entry(d)["proof"]["function"].update(M=[[1.0, 2.0]]), "entries")
    forged(threshold(), lambda d: d["network"].update(W=[[1.0, 0.0]]), "entries")
    forged(threshold(), lambda d: d["network"].update(b=[]), "entries")
    for text in (
        '{"a": 1, "a": 1}',
        '{"a": [{"b": 1, "b": 2}]}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        "[1]",
        "{",
        '{"a": 1}}',
    ):
        try:
            read_document(text)
        except Refused:
            continue
        raise AssertionError(text)
    for text in ("1e400", "-1e400", "1" * 400):
        document = read_document('{"a": ' + text + "}")
        whole = threshold().document()
        whole["network"]["v"] = [document["a"]]
        assert "finite" in judged(whole, threshold().table())[3]
    assert number(read_document('{"a": 9007199254740993}')["a"], "a") == 9007199254740992
    try:
        check({"format": "shallows certificate", "format_version": 2})
        raise AssertionError("format 2 was judged")
    except NotJudged:
        pass


def test_recipes_and_tables() -> None:
    number = {"number": {"median": 2.0, "gaps": "input"}}
    category = {"category": {"reference": "a", "levels": ["1", "true"], "other": True, "gaps": "input"}}
    lines = ["p;q;r;price", '1,5;"1.0";;1', "?;+1;x;2,5", ' 3 ; true;"";3', "-2;b;NA;0,125", "0;a;y;7", "1e1;NULL;y;1"]
    x = [
        [1.5, 0, 1, 0, 0, 0, 1],
        [2, 1, 1, 0, 0, 0, 0],
        [3, 0, 0, 1, 0, 0, 1],
        [-2, 0, 0, 0, 1, 0, 1],
        [0, 0, 0, 0, 0, 0, 0],
        [10, 0, 0, 0, 0, 1, 0],
    ]
    y = [0.0, math.log(2.5), math.log(3), math.log(0.125), math.log(7), 0.0]
    instance = Instance([[float(e) for e in row] for row in x], y, decay=100.0)
    instance.verdict = "holds"
    document = instance.document()
    names = ["p", "p missing", "q=1", "q=true", "q=other", "q missing", "r missing"]
    document["rows"] |= {
        "inputs": names,
        "hash": digest(names, "ln(price)", instance.x, y, None),
        "target": "price",
        "target_scale": "log",
        "recipe": [
            {"name": "p", "treatment": number},
            {"name": "q", "treatment": category},
            {"name": "r", "treatment": "gaps-only"},
            {"name": "price", "treatment": {"dropped": "the target"}},
        ],
    }
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "t.csv")
        table.write_text("\ufeff" + "\r\n".join(lines) + "\r\n\r\n")
        # "1.0" in a category is a number with a point, so that commas would be no decimal points.
        assert "decimal point" in judged(document, table)[3]
        # Beside words "1,0" is one, too.
        table.write_text("\r\n".join(lines).replace('"1.0"', '"1,0"') + "\r\n\r\n")
        assert "other rows" in judged(document, table)[3]
        table.write_text("\r\n".join(lines).replace('"1.0"', "01e0") + "\r\n\r\n")
        result = judged(document, table)
        assert result[2], result
        # The same rows under other names.
        other = copy.deepcopy(document)
        other["rows"] |= {"inputs": ["P", *names[1:]], "hash": digest(["P", *names[1:]], "ln(price)", instance.x, y, None)}
        assert "inputs are not those" in judged(other, table)[3]
        document["rows"]["recipe"][0]["treatment"]["number"]["gaps"] = "never"
        assert "gap" in judged(document, table)[3]
        document["rows"]["recipe"][0]["treatment"]["number"] |= {"gaps": "input", "median": None}
        assert "not a number" in judged(document, table)[3]


def test_commas_mean_one_thing_in_a_table_also_beside_gaps() -> None:
    def first(text: str, gaps: list[str], row: int) -> float | None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "t.csv")
            path.write_text(text)
            table = read_table(path, gaps)
            cell = table.cells("a")[row]
            return table.value("a", cell) if cell else None

    for text, gaps, row, expected in [
        ("a;y\n1,234;0\n2,750;1\n", [], 0, None),
        ("a;b\n1,234;1,5\nk.A.;2,5\n", ["k.A."], 0, 1.234),
        ("a;b\n1,234;1,5\n-99,9;2,5\n", ["-99,9"], 1, None),
        ("a;b\n1,234;2.5\n", [], 0, 1234.0),
        ("a;b\n3,433,047;1\n671,590;2\n", [], 1, 671590.0),
        ("a;b\n3,433,047;0,3\n671,590;0,5\n", [], 1, None),
        ('a,b\n"1,234",0\n', [], 0, 1234.0),
    ]:
        assert first(text, gaps, row) == expected, text


def test_texts_as_programs_write_them() -> None:
    def read(content: str) -> tuple[list[str], list[list[str]]]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "t.csv")
            path.write_bytes(content.encode())
            table = read_table(path)
            return table.columns, table.rows

    for content, columns, rows in [
        (",,a,y\n0,u,1,2\n", ["index", "index1", "a", "y"], [["0", "u", "1", "2"]]),
        (",,index1,y\n0,u,1,2\n", ["index", "index2", "index1", "y"], [["0", "u", "1", "2"]]),
        (",\n0,1\n", ["index", ""], [["0", "1"]]),
        ("\ufeffsep=;\r\na,b;y\r\n1;2\r\n", ["a,b", "y"], [["1", "2"]]),
        ('"SEP=|"\na|y\n1|2\n', ["a", "y"], [["1", "2"]]),
        ("a,y,\n1,2,\n3,4, \n", ["a", "y"], [["1", "2"], ["3", "4"]]),
        ("a,y,\n1,2,\n3,4,NA\n", ["a", "y", ""], [["1", "2", ""], ["3", "4", "NA"]]),
    ]:
        assert read(content) == (columns, rows), content


def test_all_other_words_have_a_name_that_no_word_has() -> None:
    instance = Instance([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], [1.0, 2.0, 3.0], decay=10.0)
    document = instance.document()
    words = {"category": {"reference": "a", "levels": ["other"], "other": True, "gaps": "never"}}
    document["rows"]["recipe"] = [{"name": "c", "treatment": words}]
    names = ["c=other", "c=other′"]
    document["rows"] |= {"inputs": names, "hash": digest(names, "y", instance.x, instance.y, None)}
    table = [["c", "y"], ["other", 1.0], ["a", 2.0], ["b", 3.0]]
    result = judged(document | {"format_version": 5}, table)
    assert result[2], result
    try:
        check(document | {"format_version": 4}, table)
    except Refused as reason:
        assert "not those of the recipe" in str(reason), reason
    else:
        raise AssertionError("format 4 calls them both other")


def test_dates_of_which_nobody_knows_the_order_are_read_where_they_are_one() -> None:
    def inputs(cells: list[str], **changes: Any) -> list[list[float]]:
        details = {"order": "none", "offsets": "never", "origin": 0, "parts": ["days"], "median": None, "gaps": "never"}
        step = {"name": "d", "treatment": {"date": details | changes}}
        table = Table(["d"], [[cell] for cell in cells])
        return apply_step(step, table, list(range(len(cells))), set())[1]

    assert inputs(["1970-01-02", "13/1/1970", "1/13/1970", "3.1.1970", "Fri, 02 Jan 1970"]) == [[1, 12, 12, 2, 1]]
    assert inputs(["2/1/1970"], order="day-first") == [[1]]
    for cells, changes in [(["2/1/1970"], {}), (["1970-01-02"], {"offsets": "some"}), (["1970-01-02"], {"order": "unsaid"})]:
        try:
            inputs(cells, **changes)
        except Refused:
            continue
        raise AssertionError(cells, changes)


def test_words_of_a_recipe_are_those_that_cells_can_be() -> None:
    names = {1.0: "1", -0.0: "0", 0.1: "0.1", 1e15: "1e15", 123456789012345.0: "123456789012345", 1.5e-6: "1.5e-6", -2e20: "-2e20"}
    assert all(number_name(value) == name for value, name in names.items())
    table = Table([], [])
    assert [table.named_word(word) for word in ("a", "1", "true", "007", "1e15")] == ["a", 1.0, "true", "007", 1e15]
    for word in ("1.0", "True", "NA", "", " a", "1000000000000000", "+1"):
        try:
            table.named_word(word)
        except Refused:
            continue
        raise AssertionError(word)


def test_unknown_words_count_as_the_reference() -> None:
    instance = Instance([[1.0], [0.0], [0.0]], [1.0, 2.0, 3.0], decay=10.0)
    document = instance.document()
    treatment = {"category": {"reference": "a", "levels": ["b"], "other": False, "gaps": "never"}}
    document["rows"]["recipe"][0]["treatment"] = treatment
    document["rows"] |= {"inputs": ["x0=b"], "hash": digest(["x0=b"], "y", instance.x, instance.y, None)}
    result = judged(document, [["x0", "y"], ["b", 1.0], ["a", 2.0], ["c", 3.0]])
    assert result[2] and "1 unknown words" in result[3], result


def test_covered_monomials_are_in_the_span() -> None:
    """Random spans with true relations and groups: what they cover is in the span, as an exact projection confirms."""
    state = 7

    def draw(count: int) -> int:
        nonlocal state
        state = state * 6364136223846793005 + 1442695040888963407 & 2**64 - 1
        return (state >> 33) % count

    found = 0
    for _ in range(1500):
        n, p = 3 + draw(5), draw(3) - 1
        base = [[float(draw(3)), float(draw(2))] for _ in range(n)]
        x = [[a, b, a + 2 * b + p, (a + 2 * b + p) - a] for a, b in base]
        rows = exact_rows(x, [float(draw(5)) for _ in range(n)])
        monomials: list[list[int]] = [[], *([j] for j in range(4)), *([i, j] for j in range(4) for i in range(j + 1))]
        columns = [m for m in monomials if draw(3) == 0]
        relations = [relation(2, 1, [[0, 1], [1, 2]], p), relation(3, 2, [[0, -2], [2, 2]], 0)]
        groups = [[[0, 1]], [[1], [0]], [[0, 1, 2, 3]], [[1, 3]], []][draw(5)]
        try:
            made = Span(span(*columns, relations=relations, groups=groups), rows, rows.x, [Fraction(0)] * 4)
        except NotConfirmed:
            continue
        covered = [tuple(m) for m in monomials if made.covers(tuple(m))]
        made.need(covered)
        found += len(covered) > len(columns)
    assert found > 40, found


def test_bounds_hold_for_competitors() -> None:
    """No random competitor is below a confirmed lower bound."""
    state = 11

    def draw() -> float:
        nonlocal state
        state = state * 6364136223846793005 + 1442695040888963407 & 2**64 - 1
        return (state >> 11) / 2.0**52 - 1.0

    for name, make in INSTANCES.items():
        instance = make()
        d, claim, limits = instance.d, instance.claim, instance.claim["class"]
        bound = Fraction(entry(instance.document())["facts"]["lower_bound"])
        for trial in range(60):
            near = 10.0 ** -(trial % 6)
            v = [(value or 1.0) * (1 + near * draw()) for value in instance.network["v"]] or [draw()]
            v = [
                abs(value) if claim["signs"] == "positive" else -abs(value) if claim["signs"] == "negative" else value
                for value in v
            ]
            w = [[value + near * draw() for value in row] for row in instance.network["W"]] or [
                [draw() for _ in range(d)]
            ]
            b = [value + near * draw() for value in instance.network["b"] or [0.0] * d] if claim["linear"] else None
            c = (instance.network["c"] or 0.0) + near * draw() if claim["intercept"] else None
            if (
                limits["nuclear"] is not None
                and sum(abs(p) * sum(4.0**e * q * q for e, q in zip(claim["exponents"], row)) for p, row in zip(v, w))
                > limits["nuclear"]
            ):
                continue
            assert instance.objective({"v": v, "W": w, "b": b, "c": c}) >= bound, name


def exact_rows(x: Rows, y: list[float]) -> Any:
    """Rows as the checker reads them."""
    instance = Instance(x, y)
    return read_rows(instance.document()["rows"], instance.table(), 5)


def test_size() -> None:
    """Forty rows and four inputs, everything in the span: below two seconds."""
    seed, x, y = 1, [], []
    for _ in range(40):
        row = []
        for _ in range(5):
            seed = seed * 6364136223846793005 + 1442695040888963407 & 2**64 - 1
            row.append((seed >> 11) / 2.0**52 - 1.0)
        x.append(row[:4])
        y.append(row[4])
    instance = Instance(x, y, linear=True, intercept=True, tolerance=0.1)
    columns = [[], *([j] for j in range(4)), *([i, j] for j in range(4) for i in range(j + 1))]
    instance.proof |= {"span": span(*columns), "free": True}
    beta = [float(e) for e in fit(instance.columns(instance.proof["span"]), instance.omega(), instance.counted()[1])]
    instance.network |= {"c": beta[0], "b": beta[1:5]}
    for column, value in zip(columns[5:], beta[5:]):
        i, j = column
        for sign in (1.0, -1.0) if i != j else (1.0,):
            instance.network["W"].append(
                [float(k == i) + sign * (k == j) if i != j else float(k == i) for k in range(4)]
            )
            instance.network["v"].append(value * sign / 4 if i != j else value)
    document, table = instance.document(), instance.table()
    result = judged(document, table)
    assert result[2], result


if __name__ == "__main__":
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function()
            print(f"{name}: passed")
