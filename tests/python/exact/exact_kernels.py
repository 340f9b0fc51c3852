"""The theorems about kernels of rows of norm 1: ``wide-enough`` and ``sgd-converges``.

They rest on a_r = E φ'(g)h_r(g). For `quadratic`, `hermite`, `relu`, `leaky-relu`, `abs`, `cos`, `erf` and `gelu` these have
closed forms. For `softplus`, `sigmoid` and `tanh` they are integrals of an analytic function over the line, and the
trapezium rule with its classical bound encloses them to 30 digits or so, up to b = 32 (`tanh` counts as 2). Steeper ones
have their pole so near the line that the rule takes minutes; their a_r are not bounded here, and stay undecided.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from exact_core import Refused, Rows, activation_parts, is_semidefinite, members, number, optional, text, whole
from exact_descent import (
    exponential_between,
    logarithm_between,
    proved_semidefinite,
    read_activation,
    root_between,
    rounded,
)
from exact_descent import PI as WIDE_PI
from exact_theorems import Case, Facts, Interval, decided, gram_matrix, shifted

MOST_TERMS = 17
STEEPEST = 32
PI = rounded(WIDE_PI)
# Rows have norm 1 up to this; the double nearest to it.
NORM_TOLERANCE = Fraction(1e-9)

# --- a_r --------------------------------------------------------------------------------------------------------------


def hermite_at(x: Fraction, count: int) -> list[Fraction]:
    """He_0(x), …, He_{count−1}(x)."""
    values = [Fraction(1), x]
    for r in range(1, count - 1):
        values.append(x * values[r] - r * values[r - 1])
    return values[:count]


def odd_factorial(r: int) -> int:
    """1·3·…·(r − 1) for even r, which is E g^r."""
    return math.prod(range(1, r, 2))


def mean_of_hermite(variance: Fraction, r: int) -> Fraction:
    """E He_r(z) for a normal z of this variance and mean 0: (s² − 1)^{r/2} times 1·3·…·(r − 1)."""
    return Fraction(0) if r % 2 else (variance - 1) ** (r // 2) * odd_factorial(r)


@cache
def logistic_coefficients(b: Fraction) -> list[Interval]:
    """E σ(bg)h_m(g) for m ≤ 17, σ(z) = 1/(1 + e^{−z}) = ½ + ½tanh(z/2).

    ∫f over the line is hΣf(ih) up to 2M/(e^{2πa/h} − 1) where f is analytic in |Im z| ≤ a, vanishes at infinity there and
    ∫|f(x + iy)|dx ≤ M for |y| ≤ a (Trefethen and Weideman 2014, Theorem 5.1). Here f = ½tanh(bz/2)h_m(z)D(z). With
    ba ≤ 3/2 < π/2 the first factor is at most ½ in size. |D(x + iy)| = D(x)e^{y²/2}, and by He_m(x + iy) =
    ΣC(m,j)(iy)^{m−j}He_j(x) and Cauchy and Schwarz M = ½e^{a²/2}(ΣC(m,j)²a^{2(m−j)}j!/m!)^½. The sum is cut off beyond
    L ≥ 20: there 0 < He_m(x) ≤ x^m, and what is left out is below L^m e^{−L²/2} ≤ 20^m e^{−200} < 20^m·10^{−86}.
    """
    height = min(Fraction(3, 2) / b, Fraction(4))
    # 2πa/h > 100.
    step = Fraction(math.floor(6 * height / 100 * 2**24), 2**24)
    count = MOST_TERMS + 1
    sums = [Interval.of(0)] * count
    for i in range(1, math.ceil(20 / step) + 1):
        x = i * step
        grown = exponential_between(Interval.of(-b * x))
        value = rounded((Interval.of(1) - grown) / (grown + 1) * exponential_between(Interval.of(-x * x / 2)))
        for m, polynomial in enumerate(hermite_at(x, count)):
            if m % 2:
                sums[m] = sums[m] + value * polynomial
    error = exponential_between(Interval.of(height**2 / 2)).high / (exponential_between(Interval.of(100)).low - 1)
    found = [Interval.of(Fraction(1, 2))] + [Interval.of(0)] * MOST_TERMS
    for m in range(1, count, 2):
        norm = sum(math.comb(m, j) ** 2 * height ** (2 * (m - j)) * math.factorial(j) for j in range(m + 1))
        size = Interval.root(norm / math.factorial(m)).high * error + Fraction(20**m, 10**86)
        total = sums[m] * step / root_between(PI * 2 * math.factorial(m))
        found[m] = rounded(total + Interval(-size, size))
    return found


def squared_slopes(name: str) -> list[Interval] | None:
    """a_r² for r < 17, a_r = E φ'(g)h_r(g) and h_r = He_r/√(r!), or None where this checker cannot bound them."""
    kind, parameters = activation_parts(name)
    read_activation(name)
    factorials = [math.factorial(r) for r in range(MOST_TERMS)]
    if kind == "quadratic":
        a, b, _ = parameters or [Fraction(1), Fraction(0), Fraction(0)]
        means = [b, 2 * a] + [Fraction(0)] * (MOST_TERMS - 2)
        return [Interval.of(mean**2) for mean in means]
    if kind == "hermite":
        padded = parameters + [Fraction(0)] * (MOST_TERMS + 1)
        return [Interval.of((r + 1) * padded[r + 1] ** 2) for r in range(MOST_TERMS)]
    if kind in ("relu", "leaky-relu", "abs"):
        # φ' = s + (1 − s)·1{z > 0}, and E 1{g > 0}He_r(g) = D(0)He_{r−1}(0), D(0)² = 1/(2π).
        leak = {"relu": Fraction(0), "abs": Fraction(-1)}.get(kind, parameters[0] if parameters else Fraction(0.01))
        jumps = [value * (1 - leak) for value in hermite_at(Fraction(0), MOST_TERMS)]
        rest = [Interval.of(jumps[r - 1] ** 2 / factorials[r]) / (PI * 2) for r in range(1, MOST_TERMS)]
        return [Interval.of(((1 + leak) / 2) ** 2), *rest]
    if kind == "cos":
        # E φ^{(r+1)}(g) = E φ'(g)He_r(g), E cos(g) = e^{−½} and E sin(g) = 0.
        square = exponential_between(Interval.of(-1))
        return [square * Fraction(r % 2, factorials[r]) for r in range(MOST_TERMS)]
    if kind == "erf":
        # φ'D is 2/√(3π) times a normal density of variance ⅓.
        means = [mean_of_hermite(Fraction(1, 3), r) for r in range(MOST_TERMS)]
        return [Interval.of(mean**2 * 4 / factorials[r]) / (PI * 3) for r, mean in enumerate(means)]
    if kind == "gelu":
        # φ' = Φ + zD; EΦ(g)He_r(g) = E D(g)He_{r−1}(g), zHe_r = He_{r+1} + rHe_{r−1}, and D² is 1/(2√π) times a normal density
        # of variance ½.
        even = [mean_of_hermite(Fraction(1, 2), r) for r in range(MOST_TERMS + 1)]
        means = [(r + 1) * even[r - 1] + even[r + 1] for r in range(1, MOST_TERMS)]
        rest = [Interval.of(mean**2 / factorials[r]) / (PI * 4) for r, mean in enumerate(means, 1)]
        return [Interval.of(Fraction(1, 4)), *rest]
    b = Fraction(2) if kind == "tanh" else parameters[0] if parameters else Fraction(1)
    if b > STEEPEST:
        return None
    found = [entry.square() for entry in logistic_coefficients(b)]
    if kind == "softplus":
        return found[:MOST_TERMS]
    # E φ'(g)h_r(g) = √(r+1)·E φ(g)h_{r+1}(g), and tanh(z) = 2σ(2z) − 1.
    return [found[r + 1] * ((r + 1) * (4 if kind == "tanh" else 1)) for r in range(MOST_TERMS)]


def has_parity(name: str) -> bool:
    """Whether φ' is even or odd, so that rows x and −x cannot both count."""
    kind, parameters = activation_parts(name)
    if kind == "hermite":
        return not any(parameters[1::2]) or not any(parameters[2::2])
    if kind == "quadratic" and parameters:
        return not all(parameters[:2])
    return kind in ("quadratic", "sigmoid", "tanh", "erf", "cos", "abs")


# --- rows of norm 1 ---------------------------------------------------------------------------------------------------


@dataclass
class UnitRows:
    """The rows that count, and what is known of them divided by their norms."""

    rows: list[list[Fraction]]
    y: list[Fraction]
    norms: list[Fraction]
    weights: list[Fraction]
    inputs: int
    of_norm_one: bool

    @staticmethod
    def of(data: Rows) -> UnitRows:
        """Whether each norm is 1 up to 10⁻⁹ is decided by squares."""
        rows = [list(row) for row in zip(*(column.fractions() for column in data.x))]
        norms = [sum((entry * entry for entry in row), Fraction(0)) for row in rows]
        low, high = (1 - NORM_TOLERANCE) ** 2, (1 + NORM_TOLERANCE) ** 2
        unit = all(low <= square <= high for square in norms)
        return UnitRows(rows, data.y.fractions(), norms, data.weights, data.inputs, unit)

    def cosines(self) -> list[list[Interval]]:
        """x̄_i·x̄_j."""
        gram, roots = gram_matrix(self.rows), [Interval.root(square) for square in self.norms]
        one = Interval.of(1)
        return [
            [one if i == j else rounded(Interval.of(entry) / (roots[i] * roots[j])) for j, entry in enumerate(row)]
            for i, row in enumerate(gram)
        ]

    def parallel(self, opposite: bool) -> bool:
        """Whether two rows have the same direction, or opposite ones where these count too."""
        gram = gram_matrix(self.rows)
        return any(
            gram[i][j] ** 2 == gram[i][i] * gram[j][j] and (opposite or gram[i][j] > 0)
            for i in range(len(gram))
            for j in range(i)
        )

    def norm(self, bound: Fraction | None) -> Interval:
        """‖X‖ of the divided rows, from what Λ or the trace says of the rows as they are."""
        every = range(self.inputs)
        pairs = list(zip(self.weights, self.rows))
        moments = [[sum((w * row[i] * row[j] for w, row in pairs), Fraction(0)) for j in every] for i in every]
        trace = sum((moments[i][i] for i in every), Fraction(0))
        if bound is None or not is_semidefinite(shifted(moments, -1, bound)):
            bound = trace
        least = max([trace / self.inputs, *(moments[i][i] for i in every), *(w for w in self.weights)])
        return root_between(Interval(least / max(1, *self.norms), bound / min(1, *self.norms)))


def kernel(cosines: list[list[Interval]], squares: list[Interval]) -> list[list[Interval]]:
    """Σ a_r² (XXᵀ)^{∘(r+1)}, powers entry by entry."""
    total = [[Interval.of(0)] * len(cosines) for _ in cosines]
    power = [[Interval.of(1)] * len(cosines) for _ in cosines]
    for square in squares:
        power = [[rounded(p * q) for p, q in zip(a, b)] for a, b in zip(power, cosines)]
        total = [[p + q * square for p, q in zip(a, b)] for a, b in zip(total, power)]
    return total


def proved_above(matrix: list[list[Interval]], smallest: Fraction) -> bool:
    """Whether a matrix is ⪰ μI, whatever its entries within their intervals."""
    return proved_semidefinite(matrix, 1, [-smallest] * len(matrix))


# --- the theorems -----------------------------------------------------------------------------------------------------


def read_kernel_claim(case: Case, keys: str) -> list[Any]:
    """The activation, the width and what else a claim says."""
    name, width, *more = members(case.claim, keys, "claim")
    return [text(name, "activation"), whole(width, "width", 1, 10**15), *(number(value, "claim") for value in more)]


def size_of_slopes(name: str) -> Interval | None:
    """B: the larger of sup|φ'| and sup|φ''|; None where it is infinite."""
    activation = read_activation(name)
    if activation.steepest is None or activation.bend is None:
        return None
    first, second = activation.steepest, activation.bend
    return Interval(max(first.low, second.low), max(first.high, second.high))


def judge_wide_enough(case: Case) -> str:
    """Descent from a random start at a given width."""
    name, width, step = read_kernel_claim(case, "activation width step")
    smallest, terms, bound = members(case.proof, "smallest terms inputs", "proof")
    smallest, terms = number(smallest, "smallest"), whole(terms, "terms", 0, MOST_TERMS)
    bound = optional(number, bound, "inputs")
    if step <= 0:
        raise Refused("the step is not positive")
    facts = Facts(case.facts, "eigenvalue width probability decrease")
    unit, B, squares = UnitRows.of(case.data()), size_of_slopes(name), squared_slopes(name)
    if not unit.of_norm_one:
        facts.at_most("eigenvalue", Fraction(0))
        facts.absent("width", "probability", "decrease")
        return "fails"
    proved = squares is not None and proved_above(kernel(unit.cosines(), squares[:terms]), smallest)
    least = max(smallest, Fraction(0)) if proved else Fraction(0)
    facts.at_most("eigenvalue", least)
    if B is None:
        facts.absent("width", "probability", "decrease")
        return "fails"
    # A diagonal entry is E φ'(g)².
    most = Fraction(0) if unit.parallel(has_parity(name)) else read_activation(name).steepest.high ** 2
    n, X = len(unit.rows), unit.norm(bound)
    labels = sum((label * label for label in unit.y), Fraction(0))
    first = B * 32 * (B * 2 + 1) * Interval.root(n) * X
    second = B.square() * X.square() * 20 * logarithm_between(Fraction(n))
    fastest = B.square() * X.square() * labels * 2

    def reaches(factor: Interval, wanted: Interval) -> bool | None:
        """Whether λ(X) times the factor is at least what is wanted."""
        if least > 0 and (factor * least).low >= wanted.high:
            return True
        return False if (factor * most).high < wanted.low else None

    verdict = decided([
        width % 2 == 0,
        True if least > 0 else False if most == 0 else None,
        reaches(Interval.root(width), first),
        reaches(Interval.of(width), second),
        True if step * fastest.high <= n else False if step * fastest.low > n else None,
        all(weight == 1 for weight in unit.weights),
    ])  # fmt: skip
    if least > 0:
        facts.at_least("width", max((first / least).square().high, (second / least).high))
    else:
        facts.absent("width")
    if verdict == "holds":
        failure = exponential_between(Interval.of(Fraction(-n, 2)) / X.square())
        facts.at_most("probability", max(Fraction(0), 1 - Fraction(1, n) - failure.high))
        facts.at_most("decrease", step * least * labels / (16 * n))
    else:
        facts.absent("probability", "decrease")
    return verdict


def judge_sgd_converges(case: Case) -> str:
    """Stochastic descent; one hypothesis has a constant that was never published, so that it never holds."""
    name, _ = read_kernel_claim(case, "activation width")
    (smallest,) = members(case.proof, "smallest", "proof")
    smallest = number(smallest, "smallest")
    facts = Facts(case.facts, "sigma_khatri_rao")
    unit, B, squares = UnitRows.of(case.data()), size_of_slopes(name), squared_slopes(name)
    if not unit.of_norm_one:
        facts.at_most("sigma_khatri_rao", Fraction(0))
        return "fails"
    proved = proved_above(kernel(unit.cosines(), [Interval.of(0), Interval.of(1)]), smallest)
    facts.at_most_root("sigma_khatri_rao", max(smallest, Fraction(0)) if proved else Fraction(0))
    n, d = len(unit.rows), unit.inputs
    return decided([
        B is not None,
        squares is None or squares[1].high > 0,
        not (n > d * (d + 1) // 2 or unit.parallel(opposite=True)),
        all(weight == 1 for weight in unit.weights),
        None,
    ])  # fmt: skip
