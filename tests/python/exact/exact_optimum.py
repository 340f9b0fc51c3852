"""``global-optimum``: the dual bound of §8, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exact_core import (
    AFFINE_PART,
    LEAST_MEASURE,
    Monomial,
    Network,
    NotConfirmed,
    Refused,
    Rows,
    Vector,
    combination,
    dot,
    is_semidefinite,
    items,
    members,
    number,
    numbers,
    optional,
    quadratic_values,
    read_facts,
    read_network,
    solve_gram,
    times,
    truth,
    whole,
)


@dataclass
class QuadraticClass:
    """The competitors of a claim about quadratic networks."""

    signs: str
    decay: Fraction
    linear: bool
    intercept: bool
    exponents: list[int]
    tolerance: Fraction
    nuclear_limit: Fraction | None
    linear_limit: Fraction | None
    intercept_limit: Fraction | None

    def penalty(self, network: Network) -> Fraction:
        """Σ_l |v_l| ‖S w_l‖²."""
        squares = [Fraction(4) ** e for e in self.exponents]
        return sum(
            (
                abs(v) * sum((s * w * w for s, w in zip(squares, row)), Fraction(0))
                for v, row in zip(network.v, network.W)
            ),
            Fraction(0),
        )

    def has(self, network: Network) -> bool:
        """Whether a network has the signs and the affine part of the class."""
        signs = {"any": True, "positive": all(v >= 0 for v in network.v), "negative": all(v <= 0 for v in network.v)}
        return signs[self.signs] and (self.linear or not any(network.b)) and (self.intercept or network.c == 0)

    def within_limits(self, network: Network) -> bool:
        """Whether a network keeps to the limits R_M, R_b and R_c."""
        squared = sum((Fraction(4) ** e * b * b for e, b in zip(self.exponents, network.b)), Fraction(0))
        return (
            (self.nuclear_limit is None or self.penalty(network) <= self.nuclear_limit)
            and (self.linear_limit is None or squared <= self.linear_limit**2)
            and (self.intercept_limit is None or abs(network.c) <= self.intercept_limit)
        )

    def objective(self, network: Network, rows: Rows) -> Fraction:
        """P(network)."""
        values = quadratic_values(network.matrix(), network.b, network.c, rows.x, len(rows.y.numerators))
        return half_square(difference(values, rows.y), rows) + self.decay * self.penalty(network)


def difference(first: Vector, second: Vector) -> Vector:
    """The difference of two vectors."""
    return combination([first, second], [Fraction(1), Fraction(-1)], len(first.numerators))


def half_square(residual: Vector, rows: Rows) -> Fraction:
    """½ Σ ω r²."""
    return dot(rows.omega, residual, residual) / 2


def read_class(claim: Any, inputs: int) -> QuadraticClass:
    """Read the claim of ``global-optimum``."""
    keys = "signs decay linear intercept exponents tolerance class"
    signs, decay, linear, intercept, exponents, tolerance, limits = members(claim, keys, "claim")
    if signs not in ("any", "positive", "negative"):
        raise Refused("unknown signs")
    exponents = [whole(e, "exponents", -300, 300) for e in items(exponents, "exponents", inputs)]
    bounds = [optional(number, value, "a limit") for value in members(limits, "nuclear linear intercept", "class")]
    decay, tolerance = number(decay, "decay"), number(tolerance, "tolerance")
    if decay < 0 or not 0 < tolerance <= Fraction(0.1) or any(bound is not None and bound < 0 for bound in bounds):
        raise Refused("decay, tolerance or a limit is out of range")
    return QuadraticClass(
        signs, decay, truth(linear, "linear"), truth(intercept, "intercept"), exponents, tolerance, *bounds
    )


def centred(rows: Rows, centre: list[Fraction], shifts: list[int]) -> list[Vector]:
    """x̂_j = (x_j − m_j)·2^{h_j} on the rows that count; every entry of every row must be a double."""
    for column, m, h in zip(rows.doubles, centre, shifts):
        for value in column:
            exact = (Fraction(value) - m) * Fraction(2) ** h
            try:
                double = float(exact)
            except OverflowError:
                double = math.inf
            if not math.isfinite(double) or Fraction(double) != exact:
                raise NotConfirmed("a centred input is not a double")
    return [
        Vector.of((value - m) * Fraction(2) ** h for value in column.fractions())
        for column, m, h in zip(rows.x, centre, shifts)
    ]


class Span:
    """Functions that are projected away: monomials of x̂, and reasons why other monomials are in their span.

    ``covers`` follows the page. A monomial of x̂ is covered when it is a column, when its inputs lie in one group whose
    functions are all in the span, or when a relation of one of its inputs turns it into monomials that are covered.
    Where the centre is not zero, the constant and all inputs have to be in the span; then monomials of x and of x̂ span
    the same functions.
    """

    def __init__(self, value: Any, rows: Rows, hat: list[Vector], centre: list[Fraction]) -> None:
        columns, relations, groups, passes = members(value, "columns relations groups passes", "a span")
        whole(passes, "passes", 1, 8)
        self.rows, self.centre = rows, centre
        self.size = len(rows.y.numerators)
        inputs = rows.inputs
        self.columns = [self._monomial(column, inputs) for column in items(columns, "columns")]
        self.vectors = [self._values(monomial, hat) for monomial in self.columns]
        self.groups = [
            frozenset(whole(j, "an input of a group", 0, inputs - 1) for j in items(group, "a group"))
            for group in items(groups, "groups")
        ]
        if sum(map(len, self.groups)) != len(frozenset().union(*self.groups)) or any(
            len(group) != len(listed) for group, listed in zip(self.groups, groups)
        ):
            raise Refused("an input is in two groups")
        self.relations = [self._relation(relation, inputs) for relation in items(relations, "relations")]
        self.gram = [[dot(rows.omega, a, b) for b in self.vectors] for a in self.vectors]
        if solve_gram(self.gram, [Fraction(0)] * len(self.vectors)) is None:
            raise NotConfirmed("the columns of a span are not linearly independent")
        self.full = [group for group in self.groups if self._is_full(group)]
        self._known: dict[Monomial, bool] = {}

    @staticmethod
    def _monomial(value: Any, inputs: int) -> Monomial:
        entries = tuple(whole(j, "an input of a column", 0, inputs - 1) for j in items(value, "a column"))
        if len(entries) > 2 or list(entries) != sorted(entries):
            raise Refused("a column is not a monomial")
        return entries

    def _values(self, monomial: Monomial, inputs: list[Vector]) -> Vector:
        result = Vector([1] * self.size, 1)
        for j in monomial:
            result = times(result, inputs[j])
        return result

    def _relation(self, value: Any, inputs: int) -> tuple[int, list[int], bool]:
        """Check a relation; what is left of it: the input, those that it depends on, and whether on 1 too."""
        j, factor, terms, constant = members(value, "input factor terms constant", "a relation")
        j, factor, constant = whole(j, "input", 0, inputs - 1), whole(factor, "factor"), whole(constant, "constant")
        pairs = [items(term, "a term", 2) for term in items(terms, "terms")]
        read = [(whole(other, "an input of a term", 0, j - 1), whole(p, "a factor of a term")) for other, p in pairs]
        if factor == 0:
            raise Refused("the factor of a relation is zero")
        x = self.rows.x
        vectors = [x[j], *(x[other] for other, _ in read), Vector([1] * self.size, 1)]
        factors = [Fraction(p) for p in (-factor, *(p for _, p in read), constant)]
        if any(combination(vectors, factors, self.size).numerators):
            raise NotConfirmed(f"the relation of input {j} does not hold in every row")
        used = [other for other, p in read if p]
        return j, used, constant != 0 or any(self.centre[other] for other in (j, *used))

    def _is_full(self, group: frozenset[int]) -> bool:
        """Whether every function of the inputs of a group is in the span."""
        x = [self.rows.x[j].numerators for j in sorted(group)]
        values = len(set(zip(*x))) if x else 1
        return sum(group.issuperset(column) for column in self.columns) >= values

    def covers(self, monomial: Monomial) -> bool:
        """Whether a monomial of the inputs is in the span, for a reason that the page allows."""
        monomial = tuple(sorted(monomial))
        if monomial not in self._known:
            self._known[monomial] = (
                monomial in self.columns
                or any(group.issuperset(monomial) for group in self.full)
                or any(
                    all(self.covers((*rest, other)) for other in used) and (not constant or self.covers(rest))
                    for place, j in enumerate(monomial)
                    for rest in [monomial[:place] + monomial[place + 1 :]]
                    for related, used, constant in self.relations
                    if related == j
                )
            )
        return self._known[monomial]

    def need(self, monomials: Iterable[Monomial]) -> None:
        """Refuse the span unless it covers all of these, and verify that it does by exact projection."""
        for monomial in monomials:
            if not self.covers(monomial):
                raise NotConfirmed(f"the monomial {list(monomial)} is not in the span")
            residual = self.residual(self._values(monomial, self.rows.x))
            assert not any(residual.numerators), "covered, but not in the span: the page would be wrong"

    def residual(self, values: Vector) -> Vector:
        """Values less their projection onto the span, in the norm of the rows."""
        solution = solve_gram(self.gram, [dot(self.rows.omega, column, values) for column in self.vectors])
        assert solution is not None
        return difference(values, combination(self.vectors, solution, self.size))


def affine(constant: bool, linear: bool, inputs: int) -> list[Monomial]:
    """The monomials 1 and x_j, as far as they are wanted."""
    return ([()] if constant else []) + ([(j,) for j in range(inputs)] if linear else [])


@dataclass
class Bound:
    """The lower bound C − R√Q, to be compared without a square root."""

    rational: Fraction
    limit: Fraction
    squared: Fraction

    def proves(self, claimed: Fraction) -> bool:
        """Whether ``claimed`` is at most the larger of the bound and 0."""
        room = self.rational - claimed
        return claimed <= 0 or (room >= 0 and self.limit**2 * self.squared <= room**2)


def function_values(value: Any, hat: list[Vector], n: int, may_have_low: bool = True) -> Vector:
    """The values of f̃ in every row: those of one function, or of the sum of two where there is the key ``low``."""
    has_low = may_have_low and isinstance(value, dict) and "low" in value
    triangle, b, c, *low = members(value, "M b c low" if has_low else "M b c", "function")
    every = range(len(hat))
    lower = [numbers(row, "a row of M", i + 1) for i, row in enumerate(items(triangle, "M", len(hat)))]
    matrix = [[lower[max(i, j)][min(i, j)] for j in every] for i in every]
    values = quadratic_values(matrix, numbers(b, "b", len(hat)), number(c, "c"), hat, n)
    for second in low:
        if second is not None:
            return combination([values, function_values(second, hat, n, False)], [Fraction(1), Fraction(1)], n)
    return values


def dual_bound(
    proof: dict[str, Any], members_: QuadraticClass, rows: Rows, hat: list[Vector], centre: list[Fraction]
) -> Bound:
    """The bound of the dual point, after all that the proof has to satisfy has been checked."""
    inputs, n = rows.inputs, len(rows.y.numerators)
    every = range(inputs)
    values = function_values(proof["function"], hat, n)
    scale, excess = number(proof["scale"], "scale"), number(proof["excess"], "excess")
    if excess < 0 or (excess > 0 and members_.nuclear_limit is None):
        raise Refused("excess is negative, or not zero without a limit")
    free = truth(proof["free"], "free")
    needed = affine(
        members_.intercept and members_.intercept_limit is None,
        members_.linear and members_.linear_limit is None,
        inputs,
    )
    needed += [(i, j) for j in every for i in range(j + 1)] if free else []
    residual = difference(values, rows.y)
    if proof["span"] is not None:
        span = Span(proof["span"], rows, hat, centre)
        span.need(needed)
        residual = span.residual(residual)
    elif needed:
        raise NotConfirmed("functions have to be projected away, and there is no span")
    theta = times(rows.omega, Vector(residual.numerators, residual.denominator))
    theta = combination([theta], [scale], n)
    if not free:
        A = [[dot(theta, hat[i], hat[j]) for j in every] for i in every]
        T = [
            (members_.decay + excess) * Fraction(4) ** (members_.exponents[j] + h)
            for j, h in enumerate(proof["shifts"])
        ]
        # Where all signs are negative, −f and −y have the dual point −θ: its matrix is −A and its bound the same.
        for sign in {"any": (1, -1), "positive": (1,), "negative": (-1,)}[members_.signs]:
            if not is_semidefinite([[sign * A[i][j] + (T[i] if i == j else 0) for j in every] for i in every]):
                raise NotConfirmed(f"Diag(T) {'+' if sign > 0 else '−'} A is not positive semidefinite")
    rational = -dot(theta, rows.y) - scale**2 * half_square(residual, rows)
    if excess > 0:
        rational -= members_.nuclear_limit * excess
    one = Vector([1] * n, 1)
    if members_.intercept and members_.intercept_limit is not None:
        rational -= members_.intercept_limit * abs(dot(theta, one))
    if members_.linear and members_.linear_limit is not None:
        moments = [dot(theta, rows.x[j]) * Fraction(2) ** -members_.exponents[j] for j in every]
        return Bound(rational, members_.linear_limit, sum((m * m for m in moments), Fraction(0)))
    return Bound(rational, Fraction(0), Fraction(0))


def measure_limit(
    measure: Any, members_: QuadraticClass, objective: Fraction, rows: Rows, hat: list[Vector], centre: list[Fraction]
) -> Fraction:
    """The largest measure that a proof may use."""
    kind = measure.get("kind") if isinstance(measure, dict) else None
    if kind in ("objective", "least"):
        members(measure, "kind", "measure")
        return objective if kind == "objective" else LEAST_MEASURE
    if kind not in ("without-units", "interpolation", "rounding", "last-digits"):
        raise Refused("unknown measure")
    span = Span(members(measure, "kind span", "measure")[1], rows, hat, centre)
    of_labels = kind in ("rounding", "last-digits")
    span.need(affine(members_.intercept, members_.linear and not of_labels, rows.inputs))
    limit = affine_share(kind) * half_square(span.residual(rows.y), rows)
    return min(limit, rounding_floor(kind, members_, rows)) if of_labels else limit


def affine_share(kind: str) -> Fraction:
    """The share of P₁ that a measure may be."""
    return Fraction(1e-7) if kind == "interpolation" else AFFINE_PART


def rounding_floor(kind: str, members_: QuadraticClass, rows: Rows) -> Fraction:
    """min(10⁻²⁴, 10⁻³⁰/t)·P₀; min(10⁻²², 10⁻²⁸/t)·P₀ for ``last-digits``."""
    largest, gap = (1e-22, 1e-28) if kind == "last-digits" else (1e-24, 1e-30)
    return min(Fraction(largest), Fraction(gap) / members_.tolerance) * half_square(rows.y, rows)


def without_units(members_: QuadraticClass, rows: Rows) -> Fraction:
    """P₁ of the best function without units that ``intercept`` and ``linear`` allow."""
    vectors: list[Vector] = []
    gram: list[list[Fraction]] = []
    n = len(rows.y.numerators)
    for name in affine(members_.intercept, members_.linear, rows.inputs):
        more = [*vectors, rows.x[name[0]] if name else Vector([1] * n, 1)]
        bigger = [[dot(rows.omega, a, b) for b in more] for a in more]
        if solve_gram(bigger, [Fraction(0)] * len(more)) is not None:
            vectors, gram = more, bigger
    solution = solve_gram(gram, [dot(rows.omega, column, rows.y) for column in vectors])
    assert solution is not None
    return half_square(difference(combination(vectors, solution, n), rows.y), rows)


def judge_global_optimum(claim: Any, proof: Any, facts: Any, network: Network | None, rows: Rows | None) -> str:
    """The verdict on ``global-optimum``; raises where a claimed fact does not follow."""
    if network is None or rows is None:
        raise Refused("global-optimum is about a network and rows")
    members_ = read_class(claim, rows.inputs)
    keys = "centre shifts span free function scale excess measure improvement"
    proof = dict(zip(keys.split(), members(proof, keys, "proof")))
    names = "objective lower_bound measure relative_gap"
    objective, lower_bound, measure, gap = read_facts(facts, names).values()
    if not network.is_quadratic():
        raise NotConfirmed("the network is not quadratic, or has hidden biases")
    centre = numbers(proof["centre"], "centre", rows.inputs)
    proof["shifts"] = [whole(h, "shifts", -1000, 1000) for h in items(proof["shifts"], "shifts", rows.inputs)]
    limited = members_.linear_limit is not None or members_.intercept_limit is not None
    if any(centre) and (limited or not (members_.linear and members_.intercept)):
        raise NotConfirmed("a centre other than zero needs an affine part without limits")
    hat = centred(rows, centre, proof["shifts"])

    exact = members_.objective(network, rows)
    if objective is not None and objective < exact:
        raise NotConfirmed("the objective of the network is larger than claimed")
    try:
        bound, lack = dual_bound(proof, members_, rows, hat, centre), "the lower bound is smaller than claimed"
    except NotConfirmed as reason:
        bound, lack = Bound(Fraction(0), Fraction(0), Fraction(0)), str(reason)
    if lower_bound is not None and not bound.proves(lower_bound):
        raise NotConfirmed(lack)
    largest = measure_limit(proof["measure"], members_, exact, rows, hat, centre)
    if measure is not None and not 0 < measure <= largest:
        raise NotConfirmed("the measure is not positive, or larger than the proof allows")
    complete = None not in (objective, lower_bound, measure)
    if gap is not None and (not complete or gap * measure < objective - lower_bound):
        raise NotConfirmed("the relative gap is larger than claimed")

    if not members_.has(network):
        return "fails"
    better = optional(read_network, proof["improvement"], rows.inputs, "improvement")
    if better is not None and better.is_quadratic() and members_.has(better) and members_.within_limits(better):
        kind = proof["measure"]["kind"]
        left = affine_share(kind) * without_units(members_, rows)
        floor = max(exact, left, rounding_floor(kind, members_, rows), LEAST_MEASURE)
        if exact - members_.objective(better, rows) > members_.tolerance * floor:
            return "fails"
    if complete and objective - lower_bound <= members_.tolerance * measure:
        return "holds"
    return "undecided"
