"""The theorems about landscapes, recovery and rows, exactly; square roots and exponentials lie in intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from exact_core import (
    LEAST_MEASURE,
    Monomial,
    Network,
    NotConfirmed,
    Refused,
    Rows,
    Vector,
    combination,
    dot,
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
from exact_optimum import affine, difference, half_square

# --- what the further theorems share ----------------------------------------------------------------------------------


@dataclass
class Case:
    """What a claim is judged from."""

    claim: Any
    proof: Any
    facts: Any
    network: Network | None
    teacher: Network | None
    rows: Rows | None

    def quadratic(self, which: str = "network") -> Network:
        """The network or the teacher, which must be quadratic and without hidden biases."""
        network = self.network if which == "network" else self.teacher
        if network is None:
            raise Refused(f"the claim is about a {which}")
        if not network.is_quadratic():
            raise NotConfirmed(f"the {which} is not quadratic, or has hidden biases")
        return network

    def data(self) -> Rows:
        """The rows, which must be there."""
        if self.rows is None:
            raise Refused("the claim is about rows")
        return self.rows


class Facts:
    """The claimed facts; each method refuses one that does not follow, and lets those pass that are null."""

    def __init__(self, value: Any, names: str) -> None:
        self.claimed = read_facts(value, names)

    def _demand(self, name: str, follows: Callable[[Fraction], bool]) -> None:
        claimed = self.claimed[name]
        if claimed is not None and not follows(claimed):
            raise NotConfirmed(f"the fact `{name}` does not follow")

    def at_least(self, name: str, value: Fraction) -> None:
        """An upper bound of a rational number."""
        self._demand(name, lambda claimed: claimed >= value)

    def at_most(self, name: str, value: Fraction) -> None:
        """A lower bound of a rational number."""
        self._demand(name, lambda claimed: claimed <= value)

    def at_least_root(self, name: str, square: Fraction, more: Fraction = Fraction(0)) -> None:
        """An upper bound of ``more + √square``."""
        self._demand(name, lambda claimed: claimed >= more and (claimed - more) ** 2 >= square)

    def at_most_root(self, name: str, square: Fraction) -> None:
        """A lower bound of ``√square``."""
        self._demand(name, lambda claimed: claimed <= 0 or claimed**2 <= square)

    def equal(self, name: str, value: int) -> None:
        """A number that is claimed exactly."""
        self._demand(name, lambda claimed: claimed == value)

    def demand(self, name: str, follows: Callable[[Fraction], bool]) -> None:
        """A fact with a condition of its own."""
        self._demand(name, follows)

    def absent(self, *names: str) -> None:
        """Facts that nothing proves."""
        for name in names:
            self._demand(name, lambda _: False)


def is_definite(matrix: list[list[Fraction]]) -> bool:
    """Whether a symmetric matrix is positive definite: all pivots of an elimination are positive."""
    rest = [list(row) for row in matrix]
    while rest:
        pivot = rest[0][0]
        if pivot <= 0:
            return False
        rest = [[row[j] - row[0] * rest[0][j] / pivot for j in range(1, len(row))] for row in rest[1:]]
    return True


def shifted(matrix: list[list[Fraction]], factor: int, shift: Fraction) -> list[list[Fraction]]:
    """``factor`` times a matrix, plus ``shift`` times the identity."""
    return [[factor * entry + (shift if i == j else 0) for j, entry in enumerate(row)] for i, row in enumerate(matrix)]


def gram_matrix(vectors: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """The products of all pairs of vectors."""
    return [[sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0)) for b in vectors] for a in vectors]


def squares(vectors: Iterable[Sequence[Fraction]]) -> Fraction:
    """The sum of the squares of all entries."""
    return sum((entry * entry for vector in vectors for entry in vector), Fraction(0))


class Landscape:
    """P(W) = ½Σωr² + τΣ|v_l|‖w_l‖² of a quadratic network at its W."""

    def __init__(self, network: Network, rows: Rows, decay: Fraction) -> None:
        n, every = len(rows.y.numerators), range(rows.inputs)
        self.network, self.rows, self.decay = network, rows, decay
        values = quadratic_values(network.matrix(), network.b, network.c, rows.x, n)
        self.residual = difference(values, rows.y)
        alone = combination([*rows.x, Vector([1] * n, 1)], [*network.b, network.c], n)
        weighted = times(rows.omega, self.residual)
        self.S = [[dot(weighted, rows.x[i], rows.x[j]) for j in every] for i in every]
        self.penalty = decay * sum((abs(v) * squares([w]) for v, w in zip(network.v, network.W)), Fraction(0))
        self.loss = half_square(self.residual, rows)
        self.value = self.loss + self.penalty
        self.affine_alone = half_square(difference(alone, rows.y), rows)
        self.half_radial = dot(weighted, difference(values, alone)) + self.penalty
        self.gradient = [
            [
                2 * v * sum((s * q for s, q in zip(row, w)), Fraction(0)) + 2 * decay * abs(v) * p
                for row, p in zip(self.S, w)
            ]
            for v, w in zip(network.v, network.W)
        ]
        self.scale = max(self.value, self.affine_alone, LEAST_MEASURE)

    def along(self, U: list[list[Fraction]]) -> list[Fraction]:
        """c₁, …, c₄ of t ↦ P(W + tU)."""
        v, W, rows = self.network.v, self.network.W, self.rows
        n = len(rows.y.numerators)

        def form(first: list[list[Fraction]], second: list[list[Fraction]]) -> Vector:
            size = range(rows.inputs)
            mixed = [
                [
                    sum((o * (a[i] * b[j] + a[j] * b[i]) / 2 for o, a, b in zip(v, first, second)), Fraction(0))
                    for j in size
                ]
                for i in size
            ]
            return quadratic_values(mixed, [Fraction(0)] * rows.inputs, Fraction(0), rows.x, n)

        q, p, omega, r = form(W, U), form(U, U), rows.omega, self.residual
        cross = sum((abs(o) * a * b for o, w, u in zip(v, W, U) for a, b in zip(w, u)), Fraction(0))
        own = sum((abs(o) * squares([u]) for o, u in zip(v, U)), Fraction(0))
        return [
            2 * dot(omega, r, q) + 2 * self.decay * cross,
            2 * dot(omega, q, q) + dot(omega, r, p) + self.decay * own,
            2 * dot(omega, q, p),
            dot(omega, p, p) / 2,
        ]


def at_least_zero(value: Any, where: str) -> Fraction:
    """A number that is not negative."""
    exact = number(value, where)
    if exact < 0:
        raise Refused(f"{where} is negative")
    return exact


def tolerance(value: Any) -> Fraction:
    """A tolerance: positive, and at most the double 0.1."""
    exact = number(value, "tolerance")
    if not 0 < exact <= Fraction(0.1):
        raise Refused("the tolerance is out of range")
    return exact


def signs_of(v: list[Fraction]) -> tuple[int, int]:
    """How many entries are positive, and how many negative."""
    return sum(entry > 0 for entry in v), sum(entry < 0 for entry in v)


@dataclass
class Interval:
    """A real number between two fractions."""

    low: Fraction
    high: Fraction

    @staticmethod
    def of(value: Interval | Fraction | int) -> Interval:
        """A number that is known exactly."""
        return value if isinstance(value, Interval) else Interval(Fraction(value), Fraction(value))

    @staticmethod
    def root(value: Fraction | int) -> Interval:
        """A square root, to 256 binary digits."""
        exact = Fraction(value)
        scaled = math.isqrt((exact.numerator * exact.denominator) << 512)
        unit = Fraction(1, exact.denominator << 256)
        return Interval(scaled * unit, (scaled + (scaled**2 != (exact.numerator * exact.denominator) << 512)) * unit)

    @staticmethod
    def exponential(value: Fraction) -> Interval:
        """e^x for x ≤ 1000: `decimal` rounds correctly to 60 digits, and so is x rounded before."""
        if value < -1000:
            return Interval(Fraction(0), Fraction(1, 10**400))
        context = Context(prec=60, Emin=-(10**6), Emax=10**6)
        # |x| ≤ 1000 is off by less than 10⁻⁵⁶, so that e^x is off by less than 10⁻⁵⁴ of itself.
        digits = Fraction(context.exp(context.divide(Decimal(value.numerator), Decimal(value.denominator))))
        return Interval(digits * (1 - Fraction(1, 10**54)), digits * (1 + Fraction(1, 10**54)))

    def __add__(self, other: Interval | Fraction | int) -> Interval:
        second = Interval.of(other)
        return Interval(self.low + second.low, self.high + second.high)

    def __sub__(self, other: Interval | Fraction | int) -> Interval:
        second = Interval.of(other)
        return Interval(self.low - second.high, self.high - second.low)

    def __mul__(self, other: Interval | Fraction | int) -> Interval:
        second = Interval.of(other)
        products = [a * b for a in (self.low, self.high) for b in (second.low, second.high)]
        return Interval(min(products), max(products))

    def __truediv__(self, other: Interval | Fraction | int) -> Interval:
        second = Interval.of(other)
        if second.low <= 0 <= second.high:
            raise ZeroDivisionError
        return self * Interval(1 / second.high, 1 / second.low)

    def square(self) -> Interval:
        """x², which is not negative."""
        ends = sorted((self.low**2, self.high**2))
        return Interval(Fraction(0) if self.low <= 0 <= self.high else ends[0], ends[1])

    def size(self) -> Interval:
        """|x|."""
        ends = sorted((abs(self.low), abs(self.high)))
        return Interval(Fraction(0) if self.low <= 0 <= self.high else ends[0], ends[1])

    def exceeds(self, other: Interval | Fraction | int) -> bool | None:
        """Whether it is larger; None where that is not decided."""
        second = Interval.of(other)
        return True if self.low > second.high else False if self.high <= second.low else None


def decided(hypotheses: Iterable[bool | None]) -> str:
    """**holds** if all are true, **fails** if one is false, else **undecided**."""
    listed = list(hypotheses)
    return "fails" if False in listed else "undecided" if None in listed else "holds"


# --- landscapes of quadratic networks ---------------------------------------------------------------------------------


def judge_wide_quadratic(case: Case) -> str:
    """§10."""
    members(case.claim, "", "claim")
    members(case.proof, "", "proof")
    Facts(case.facts, "")
    network = case.quadratic()
    return decided([min(signs_of(network.v)) >= len(network.b)])


def judge_strict_saddle(case: Case) -> str:
    """§11."""
    decay = at_least_zero(*members(case.claim, "decay", "claim"), "decay")
    facts = Facts(case.facts, "gradient curvature decrease")
    network = case.quadratic()
    point = Landscape(network, case.data(), decay)
    facts.at_least_root("gradient", squares(point.gradient))
    down = members(case.proof, "down", "proof")[0]
    if down is None:
        facts.absent("curvature", "decrease")
        positive, negative = signs_of(network.v)
        convex = (not positive or is_definite(shifted(point.S, 1, decay))) and (
            not negative or is_definite(shifted(point.S, -1, decay))
        )
        return "fails" if convex else "undecided"
    direction, step = members(down, "direction step", "down")
    U = [numbers(row, "direction", len(network.b)) for row in items(direction, "direction", len(network.v))]
    step = number(step, "step")
    coefficients = point.along(U)
    change = sum((c * step ** (power + 1) for power, c in enumerate(coefficients)), Fraction(0))
    curvature = coefficients[1]
    facts.demand("curvature", lambda claimed: 2 * curvature / squares(U) <= claimed < 0 if any(map(any, U)) else False)
    facts.demand("decrease", lambda claimed: 0 < claimed <= -change)
    return "holds" if curvature < 0 and change < 0 else "undecided"


def judge_approximate_minimum(case: Case) -> str:
    """§12."""
    signs, decay, size, tol = members(case.claim, "signs decay size tolerance", "claim")
    if signs not in ("any", "positive", "negative"):
        raise Refused("unknown signs")
    decay, size, tol = at_least_zero(decay, "decay"), at_least_zero(size, "size"), tolerance(tol)
    excess = at_least_zero(*members(case.proof, "excess", "proof"), "excess")
    facts = Facts(case.facts, "sigma half_radial gradient objective bound planted_bound")
    network = case.quadratic()
    point = Landscape(network, case.data(), decay)
    facts.at_least("half_radial", point.half_radial)
    facts.at_least_root("gradient", squares(point.gradient))
    facts.at_least("objective", point.value)
    met = (signs == "negative" or is_definite(shifted(point.S, 1, decay + excess))) and (
        signs == "positive" or is_definite(shifted(point.S, -1, decay + excess))
    )
    bound = point.half_radial + excess * size
    if met:
        facts.at_least("sigma", excess)
        facts.at_least("bound", bound)
        facts.at_least("planted_bound", bound / 2)
    else:
        facts.absent("sigma", "bound", "planted_bound")
    if decay > 0:
        facts.absent("planted_bound")
    positive, negative = signs_of(network.v)
    forbidden = {"any": 0, "positive": negative, "negative": positive}[signs]
    if forbidden or point.half_radial > tol * point.scale or point.half_radial > point.value:
        return "fails"
    return "holds" if met and bound <= tol * point.scale and bound < point.value else "undecided"


def judge_full_rank_stationary(case: Case) -> str:
    """§13."""
    decay, size, tol = members(case.claim, "decay size tolerance", "claim")
    decay, size, tol = at_least_zero(decay, "decay"), at_least_zero(size, "size"), tolerance(tol)
    smallest = number(*members(case.proof, "smallest", "proof"), "smallest")
    facts = Facts(case.facts, "gradient objective least_singular_value slope bound")
    network = case.quadratic()
    point = Landscape(network, case.data(), decay)
    facts.at_least_root("gradient", squares(point.gradient))
    facts.at_least("objective", point.value)
    kept = [w for v, w in zip(network.v, network.W) if v != 0 and any(w)]
    slope = sum((squares([g]) / (2 * v) ** 2 for v, g in zip(network.v, point.gradient) if v != 0), Fraction(0))
    proved = smallest > 0 and is_definite(shifted(gram_matrix(columns_of(kept, len(network.b))), 1, -smallest))
    one_sided = decay == 0 or 0 in signs_of(network.v)
    if proved:
        facts.at_most_root("least_singular_value", smallest)
        facts.at_least_root("slope", slope)
    else:
        facts.absent("least_singular_value", "slope")
    more = size**2 * slope / smallest if proved else Fraction(0)
    if proved and one_sided:
        facts.at_least_root("bound", more, point.half_radial)
    else:
        facts.absent("bound")
    largest = tol * point.scale
    if not one_sided or len(kept) < len(network.b) or point.half_radial > min(largest, point.value):
        return "fails"
    within = more <= (largest - point.half_radial) ** 2
    below = point.half_radial < point.value and more < (point.value - point.half_radial) ** 2
    return "holds" if proved and within and below else "undecided"


def columns_of(matrix: list[list[Fraction]], count: int) -> list[list[Fraction]]:
    """The columns of a matrix with ``count`` of them."""
    return [[row[j] for row in matrix] for j in range(count)]


def judge_planted_quadratic(case: Case) -> str:
    """§14."""
    decay = at_least_zero(*members(case.claim, "decay", "claim"), "decay")
    members(case.proof, "", "proof")
    network, rows = case.quadratic(), case.data()
    positive, negative = signs_of(network.v)
    if case.teacher is None:
        Facts(case.facts, "")
        x = list(zip(*(column.fractions() for column in rows.x))) or [()] * len(rows.y.numerators)
        lines = {max(row, tuple(-entry for entry in row)) for row in x}
        if decay > 0 or min(positive, negative) < rows.inputs or len(lines) < len(x) or not all(map(any, x)):
            return "fails"
        if len(x) > rows.inputs * (rows.inputs + 1) // 2:
            return "fails"
        products = gram_matrix(x)
        return "holds" if is_definite([[entry**2 for entry in row] for row in products]) else "undecided"
    facts = Facts(case.facts, "loss")
    teacher = case.quadratic("teacher")
    facts.at_least("loss", Landscape(teacher, rows, Fraction(0)).loss)
    above, below = signs_of(teacher.v)
    same, other = (negative, positive) if below else (positive, negative)
    fixed = (teacher.c, teacher.b) == (network.c, network.b)
    return decided([decay == 0, not (above and below), same >= rows.inputs, other == 0, fixed])


# --- the population risk of quadratic networks ------------------------------------------------------------------------


@dataclass
class Barrier:
    """What a proof of §15 shows about a teacher."""

    right_form: bool
    proved: Fraction
    factor: Fraction
    ratio: Fraction | None
    matrix: list[list[Fraction]]


def is_plain(network: Network) -> bool:
    """Whether all output weights are 1 and there is no affine part."""
    return all(v == 1 for v in network.v) and network.c == 0 and not any(network.b)


def read_barrier(case: Case) -> Barrier:
    """Read the proof of §15 and check it."""
    members(case.claim, "", "claim")
    smallest, vector = members(case.proof, "smallest vector", "proof")
    smallest = number(smallest, "smallest")
    teacher = case.quadratic("teacher")
    d = len(teacher.b)
    x = optional(numbers, vector, "vector", d)
    if x is not None and not any(x):
        raise Refused("the vector is zero")
    matrix = gram_matrix(columns_of(teacher.W, d))
    proved = smallest if smallest > 0 and is_definite(shifted(matrix, 1, -smallest)) else Fraction(0)
    ratio = None
    if x is not None:
        ratio = sum((p * q * matrix[i][j] for i, p in enumerate(x) for j, q in enumerate(x)), Fraction(0)) / squares(
            [x]
        )
    return Barrier(is_plain(teacher) and len(teacher.v) >= d, proved, Fraction(d + 2, d + 1), ratio, matrix)


def judge_energy_barrier(case: Case) -> str:
    """§15."""
    barrier = read_barrier(case)
    facts = Facts(case.facts, "smallest_square barrier barrier_high")
    facts.at_most("smallest_square", barrier.proved)
    facts.at_most("barrier", barrier.factor * barrier.proved**2)
    if len(case.teacher.v) < len(case.teacher.b):
        facts.at_least("barrier_high", Fraction(0))
    elif barrier.ratio is not None:
        facts.at_least("barrier_high", barrier.factor * barrier.ratio**2)
    else:
        facts.absent("barrier_high")
    return "fails" if not barrier.right_form else "holds" if barrier.proved > 0 else "undecided"


def judge_safe_start(case: Case) -> str:
    """§16."""
    barrier = read_barrier(case)
    start = case.quadratic()
    facts = Facts(case.facts, "risk barrier")
    d = len(case.teacher.b)
    if len(start.b) != d:
        raise Refused("network and teacher have different inputs")
    own = gram_matrix(columns_of(start.W, d))
    A = [[p - q for p, q in zip(*rows)] for rows in zip(own, barrier.matrix)]
    risk = squares(A) + sum((A[i][i] for i in range(d)), Fraction(0)) ** 2 / 2
    if is_plain(start):
        facts.at_least("risk", risk)
    else:
        facts.absent("risk")
    facts.at_most("barrier", barrier.factor * barrier.proved**2)
    if not barrier.right_form or not is_plain(start) or len(start.v) < d:
        return "fails"
    if barrier.ratio is not None and risk >= barrier.factor * barrier.ratio**2:
        return "fails"
    return "holds" if barrier.proved > 0 and risk < barrier.factor * barrier.proved**2 else "undecided"


def judge_safe_start_gaussian(case: Case) -> str:
    """§17."""
    m, d, gamma, t = members(case.claim, "units inputs gamma deviation", "claim")
    m, d = whole(m, "units", 1, 2**26), whole(d, "inputs", 1, 2**26)
    gamma, t = at_least_zero(gamma, "gamma"), at_least_zero(t, "deviation")
    members(case.proof, "", "proof")
    facts = Facts(case.facts, "probability")
    rest = Interval.of(1) - Interval.exponential(-(t**2) / 2) * 4
    facts.at_most("probability", max(Fraction(0), rest.low))
    root = Interval.root(m) - Interval.root(d) - t
    low, high = root.square(), (Interval.root(m) + Interval.root(d) + t).square()
    trace = Interval.root(2 * m * d) * t + (abs(d * gamma - m * d) + t**2)
    first, second = (Interval.of(gamma) - low).size(), (high - gamma).size()
    spread = Interval(max(first.low, second.low), max(first.high, second.high)).square()
    return decided(
        [
            m >= d,
            root.exceeds(0),
            (low.square() * Fraction(d + 2, d + 1)).exceeds(spread * d + trace.square() * Fraction(1, 2)),
            rest.exceeds(0),
        ]
    )


# --- the designed objective -------------------------------------------------------------------------------------------


def judge_designed_landscape(case: Case) -> str:
    """§18."""
    fourth, mu, lam = [number(value, "claim") for value in members(case.claim, "fourth_coefficient mu lambda", "claim")]
    smallest = number(*members(case.proof, "smallest", "proof"), "smallest")
    facts = Facts(case.facts, "smallest_square least_lambda printed_mu")
    teacher = case.teacher
    if teacher is None or not teacher.v:
        raise Refused("the claim is about a teacher with at least one unit")
    proved = smallest > 0 and is_definite(shifted(gram_matrix(teacher.W), 1, -smallest))
    facts.at_most("smallest_square", smallest if proved else Fraction(0))
    least, largest = min(teacher.v), max(teacher.v)
    enough = None
    if least > 0:
        # μc₂/a_min has the sign of μ and the square below.
        square = (mu * fourth / least) ** 2 / 24
        if mu >= 0:
            facts.at_least_root("least_lambda", square)
            enough = lam > 0 and lam**2 > square
        else:
            facts.demand("least_lambda", lambda claimed: claimed >= 0 or claimed**2 <= square)
        facts.at_most("printed_mu", least / largest / 100)
    else:
        facts.absent("least_lambda", "printed_mu")
    if least <= 0 or fourth == 0 or not 0 < mu < 12 or not enough or len(teacher.v) > len(teacher.b):
        return "fails"
    return "holds" if proved else "undecided"


def recovery_conditions(
    k: int,
    c1: Interval,
    ends: tuple[Fraction, Fraction],
    mu: Fraction,
    lam: Fraction,
    eps: Fraction,
    tau: Fraction,
    delta: Fraction,
) -> tuple[list[bool | None], Interval]:
    """The last three hypotheses of §19 for one δ₀, and κ."""
    least, largest = ends
    alpha_low, alpha_high = c1 / largest, c1 / least
    beta_low, beta_high = alpha_low * (mu / 12), alpha_high * (mu / 12)
    a = alpha_high * (2 * (k - 1) * delta**2)
    try:
        xi = Interval.of(eps) / ((Interval.of(lam) - a) * 2)
        second = ((Interval.of(1) - xi.square() * 4) * (2 * lam)).exceeds(a * 2 + tau)
    except ZeroDivisionError:
        second = False if a.low == a.high == lam else None
    third = (alpha_low * (1 - mu / 12)).exceeds(a * 2 + (2 * eps + tau) * (1 + 4 * delta**2))
    length = Interval.of(1) - (a + eps) / (2 * lam) - (k - 1) * delta**2
    kappa = (alpha_low + beta_low) * length * 4 - a * 2 - 2 * eps - beta_high * (4 * delta**2)
    return [second, third, kappa.exceeds(0)], kappa


def judge_approximate_recovery(case: Case) -> str:
    """§19."""
    keys = "units least_output largest_output fourth_coefficient mu lambda gradient curvature"
    k, least, largest, fourth, mu, lam, eps, tau = members(case.claim, keys, "claim")
    k = whole(k, "units", 1, 2**26)
    least, largest, fourth, mu, lam = [number(value, "claim") for value in (least, largest, fourth, mu, lam)]
    eps, tau = at_least_zero(eps, "gradient"), at_least_zero(tau, "curvature")
    delta = at_least_zero(*members(case.proof, "first_delta", "proof"), "first_delta")
    facts = Facts(case.facts, "delta eta")
    verdict = "fails"
    if 0 < least <= largest and fourth != 0 and 0 < mu < 12:
        c1 = Interval.root(6 * fourth**2)
        beta_low, beta_high = c1 * (mu / 12 / largest), c1 * (mu / 12 / least)
        enough = Interval.of(lam).exceeds(beta_high)
        given = (k, c1, (least, largest), mu, lam, eps, tau)
        if enough:

            def suffices(value: Fraction) -> bool | None:
                short = Interval.of(tau * value + eps).exceeds(beta_low * (8 * value**3))
                return None if short is None else not short

            allowed = suffices(delta) if delta > 0 else eps == tau == 0
            conditions, kappa = recovery_conditions(*given, delta)
            verdict = "holds" if allowed and all(conditions) else "undecided"
            if verdict == "holds":
                first = Interval.of(eps) / kappa
                facts.at_least("delta", first.high)
                eta = first.square() * (k - 1) * (c1 / least / lam + 1) + eps / (2 * lam)
                facts.at_least("eta", eta.high)
            else:
                smaller = delta / 2 if suffices(delta / 2) is False else Fraction(0)
                verdict = "fails" if False in recovery_conditions(*given, smaller)[0] else "undecided"
        else:
            verdict = "undecided" if enough is None else "fails"
    if verdict != "holds":
        facts.absent("delta", "eta")
    return verdict


# --- rows -------------------------------------------------------------------------------------------------------------


def judge_separated_data(case: Case) -> str:
    """§20."""
    members(case.claim, "", "claim")
    parallel = members(case.proof, "parallel", "proof")[0]
    facts = Facts(case.facts, "separation eigenvalue")
    rows = case.data()
    if parallel is not None:
        for row in items(parallel, "parallel", 2):
            whole(row, "parallel", 0, rows.count - 1)
    x = list(zip(*(column.fractions() for column in rows.x))) or [()] * len(rows.y.numerators)
    n = len(x)
    products = gram_matrix(x)
    if n < 2 or any(products[i][i] == 0 for i in range(n)):
        facts.absent("separation", "eigenvalue")
        return "fails"
    cosine = max(products[i][j] ** 2 / (products[i][i] * products[j][j]) for i in range(n) for j in range(i))
    if cosine == 1:
        facts.absent("separation", "eigenvalue")
        return "fails"

    def separated(claimed: Fraction) -> bool:
        """δ² = 2 − 2√cosine, so that s ≤ δ exactly when √cosine ≤ 1 − s²/2."""
        return claimed <= 0 or (claimed**2 <= 2 and cosine <= (1 - claimed**2 / 2) ** 2)

    facts.demand("separation", separated)
    facts.demand("eigenvalue", lambda claimed: separated(claimed * 100 * n**2))
    return "holds"


def judge_determined(case: Case) -> str:
    """§21."""
    with_affine = truth(*members(case.claim, "affine", "claim"), "affine")
    independence, relations, groups, vanishing, rival = members(
        case.proof, "independence relations groups vanishing rival", "proof"
    )
    facts = Facts(case.facts, "needed distinct rank")
    rows = case.data()
    d, n = rows.inputs, len(rows.y.numerators)
    one = Vector([1] * n, 1)
    Z = affine(with_affine, with_affine, d) + [(a, b) for b in range(d) for a in range(b + 1)]

    def values(monomial: Monomial) -> Vector:
        result = one
        for j in monomial:
            result = times(result, rows.x[j])
        return result

    def kinds(inputs: Iterable[int]) -> int:
        """How many joint values inputs take; without the affine part up to sign, and without zero."""
        chosen = [rows.x[j].numerators for j in inputs]
        found = set(zip(*chosen)) if chosen else {()}
        return len(found) if with_affine else len({max(v, tuple(-e for e in v)) for v in found if any(v)})

    def monomial(value: Any) -> Monomial:
        entries = tuple(whole(j, "an input of a monomial", 0, d - 1) for j in items(value, "a monomial"))
        if entries not in Z:
            raise Refused(f"the monomial {list(entries)} does not belong to the functions of the claim")
        return entries

    related = set()
    for value in items(relations, "relations"):
        j, factor, terms, constant = members(value, "input factor terms constant", "a relation")
        j, factor, constant = whole(j, "input", 0, d - 1), number(factor, "factor"), number(constant, "constant")
        pairs = [items(term, "a term", 2) for term in items(terms, "terms")]
        read = [(whole(other, "an input of a term", 0, j - 1), number(p, "a factor of a term")) for other, p in pairs]
        if factor == 0 or (constant != 0 and not with_affine):
            raise Refused("the factor of a relation is zero, or it has a constant without the affine part")
        vectors = [rows.x[j], *(rows.x[other] for other, _ in read), one]
        if not any(combination(vectors, [-factor, *(p for _, p in read), constant], n).numerators):
            related.add(j)
    missing = sum(bool(related.intersection(z)) for z in Z)

    sets = [
        [whole(j, "an input of a group", 0, d - 1) for j in items(group, "a group")]
        for group in items(groups, "groups")
    ]
    flat = [j for group in sets for j in group]
    if len(set(flat)) != len(flat) or related.intersection(flat):
        raise Refused("an input is in two groups, or in a group and in a true relation")
    inside = {(a, b) for group in sets for a in group for b in group} | {(a,) for a in flat} | ({()} if sets else set())
    for group in sets:
        g = len(group)
        within = (g + 1) * (g + 2) // 2 if with_affine else g * (g + 1) // 2
        missing += max(0, within - kinds(group))

    functions = []
    for value in items(vanishing, "vanishing"):
        lead, terms = members(value, "lead terms", "a function")
        triples = [items(term, "a term", 3) for term in items(terms, "terms")]
        read = [(monomial(z), number(p, "a factor"), number(q, "a factor")) for z, p, q in triples]
        if any(p == 0 or q == 0 for _, p, q in read) or any(related.intersection(z) for z, _, _ in read):
            raise Refused("a factor is zero, or a monomial contains an input of a true relation")
        functions.append((monomial(lead), read))
    for place, (lead, read) in enumerate(functions):
        later = any(z == lead for _, terms in functions[place + 1 :] for z, _, _ in terms)
        if sum(z == lead for z, _, _ in read) != 1 or later or lead in inside:
            raise Refused("a leading monomial is not where it may stand")
        total = combination([values(z) for z, _, _ in read], [p * q for _, p, q in read], n)
        missing += not any(total.numerators)

    if rival is not None:
        first, second, point = members(rival, "first second point", "rival")
        pair = [read_network(value, d, "a rival") for value in (first, second)]
        at = [Vector.of([entry]) for entry in numbers(point, "point", d)]
        forms = [(network.matrix(), network.b, network.c) for network in pair]
        proper = all(net.is_quadratic() and (with_affine or (net.c == 0 and not any(net.b))) for net in pair)
        here, there = ([quadratic_values(*form, x, size) for form in forms] for x, size in ((rows.x, n), (at, 1)))
        if proper and not any(difference(*here).numerators) and any(difference(*there).numerators):
            missing = max(missing, 1)

    distinct = kinds(range(d))
    facts.equal("needed", len(Z))
    facts.equal("distinct", distinct)
    facts.at_least("rank", Fraction(min(distinct, len(Z) - missing)))
    if distinct < len(Z) or missing > 0:
        return "fails"
    if independence is None:
        return "undecided"
    shifts, count, passes = members(independence, "shifts rows passes", "independence")
    for h in items(shifts, "shifts", d):
        whole(h, "shifts")
    whole(passes, "passes", 0, 8)
    count = n if count is None else whole(count, "rows", 1, n)
    kept = [i * n // count for i in range(count)]
    chosen = [Vector([vector.numerators[i] for i in kept], vector.denominator) for vector in map(values, Z)]
    gram = [[dot(a, b) for b in chosen] for a in chosen]
    return "undecided" if solve_gram(gram, [Fraction(0)] * len(Z)) is None else "holds"
