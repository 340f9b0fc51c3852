"""The theorems about gradient descent; activations lie in intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from exact_core import (
    Network,
    NotConfirmed,
    Refused,
    activation_parts,
    is_semidefinite,
    members,
    number,
    numbers,
    optional,
)
from exact_theorems import Case, Facts, Interval, at_least_zero, decided, gram_matrix, shifted, squares

# --- activations ------------------------------------------------------------------------------------------------------


def logarithm_between(value: Fraction) -> Interval:
    """ln of a positive number: `decimal` rounds correctly to 60 digits; the radius is much larger than its error."""
    context = Context(prec=60, Emin=-(10**6), Emax=10**6)
    digits = Fraction(context.ln(context.divide(Decimal(value.numerator), Decimal(value.denominator))))
    return Interval.of(digits) + Interval(Fraction(-1, 10**54), Fraction(1, 10**54)) * (1 + abs(digits))


def exponential_between(value: Interval) -> Interval:
    """e^x of any number between −1000 and 1000; what is below counts as between 0 and 10⁻⁴⁰⁰."""
    if value.high > 1000:
        raise NotConfirmed("an activation is too large for this checker")
    low, high = Interval.exponential(value.low), Interval.exponential(value.high)
    return Interval(low.low, high.high)


def series(first: Fraction, ratio: Callable[[int], Fraction]) -> Interval:
    """The sum of the terms that begin with ``first``, each ``ratio(r)`` times the last, where |ratio| falls.

    Terms are rounded to multiples of 2⁻⁴⁰⁰; ``slip`` bounds by how many of these a term is off, ``radius`` by how many
    the sum is. From |ratio| ≤ ½ on, what is left out is at most twice the next term.
    """
    unit = 2**400
    total, term, slip, radius, index = 0, round(first * unit), 1, 1, 0
    while True:
        total += term
        factor = ratio(index)
        term = round(term * factor)
        slip = math.ceil(slip * abs(factor)) + 1
        radius += slip
        index += 1
        if abs(factor) <= Fraction(1, 2) and abs(term) < 2**100:
            radius += 2 * (abs(term) + slip)
            return Interval(Fraction(total - radius, unit), Fraction(total + radius, unit))


def arctangent(inverse: int) -> Interval:
    """arctan(1/inverse) by its series."""
    total = sum(Fraction((-1) ** r, (2 * r + 1) * inverse ** (2 * r + 1)) for r in range(200))
    return Interval(total - Fraction(1, inverse**400), total + Fraction(1, inverse**400))


PI = arctangent(5) * 16 - arctangent(239) * 4


def root_between(value: Interval) -> Interval:
    """The square root of a number that is not negative."""
    return Interval(Interval.root(max(value.low, Fraction(0))).low, Interval.root(value.high).high)


def error_function(z: Fraction) -> Interval:
    """erf(z) = (2/√π) e^{−z²} Σ 2^r z^{2r+1}/(1·3·…·(2r+1)); beyond |z| = 20 it is ±1 up to 10⁻¹⁰⁰."""
    if abs(z) > 20:
        return Interval(Fraction(1) - Fraction(1, 10**100), Fraction(1)) * (1 if z > 0 else -1)
    total = series(z, lambda r: 2 * z * z / (2 * r + 3))
    return total * exponential_between(Interval.of(-z * z)) * 2 / root_between(PI)


def density(z: Fraction) -> Interval:
    """The standard normal density."""
    return exponential_between(Interval.of(-z * z / 2)) / root_between(PI * 2)


def cosine_between(z: Fraction) -> Interval:
    """cos(z) by its series, for |z| ≤ 60."""
    if abs(z) > 60:
        raise NotConfirmed("an activation is too large for this checker")
    return series(Fraction(1), lambda r: -z * z / ((2 * r + 1) * (2 * r + 2)))


def sine_between(z: Fraction) -> Interval:
    """sin(z) by its series, for |z| ≤ 60."""
    if abs(z) > 60:
        raise NotConfirmed("an activation is too large for this checker")
    return series(z, lambda r: -z * z / ((2 * r + 2) * (2 * r + 3)))


@dataclass
class Activation:
    """φ and φ' as intervals, sup|φ'| and sup|φ''| (None: infinite), and the jump of φ' for those with a kink."""

    value: Callable[[Fraction], Interval]
    slope: Callable[[Fraction], Interval]
    steepest: Interval | None
    bend: Interval | None
    jump: Fraction | None = None
    quadratic: tuple[Fraction, Fraction] | None = None


def read_activation(name: str) -> Activation:
    """The activation of a name."""
    kind, parameters = activation_parts(name)
    exact = Interval.of
    one, three = exact(1), Interval.root(3)
    if kind == "quadratic" and len(parameters) in (0, 3):
        a, b, c = parameters or [Fraction(1), Fraction(0), Fraction(0)]
        if a == 0:
            raise Refused(f"unknown activation {name!r}")
        return Activation(
            lambda z: exact(a * z * z + b * z + c),
            lambda z: exact(2 * a * z + b),
            None,
            exact(2 * abs(a)),
            None,
            (a, b),
        )
    if kind in ("softplus", "sigmoid") and len(parameters) <= 1:
        b = parameters[0] if parameters else Fraction(1)
        if b <= 0:
            raise Refused(f"unknown activation {name!r}")

        def logistic(z: Fraction) -> Interval:
            grown = exponential_between(exact(-abs(b * z)))
            return one / (grown + 1) if z >= 0 else grown / (grown + 1)

        def softplus(z: Fraction) -> Interval:
            grown = exponential_between(exact(-abs(b * z)))
            logs = Interval(logarithm_between(1 + grown.low).low, logarithm_between(1 + grown.high).high)
            return logs / b + max(z, Fraction(0))

        if kind == "softplus":
            return Activation(softplus, logistic, one, exact(b / 4))
        return Activation(logistic, lambda z: logistic(z) * logistic(-z) * b, exact(b / 4), exact(b * b) / (three * 6))
    if kind == "hermite" and 0 < len(parameters) <= 64:
        return hermite(parameters)
    if parameters and not (kind == "leaky-relu" and len(parameters) == 1):
        raise Refused(f"unknown activation {name!r}")
    if kind == "tanh":

        def hyperbolic(z: Fraction) -> Interval:
            grown = exponential_between(exact(-2 * abs(z)))
            return (one - grown) / (grown + 1) * (1 if z >= 0 else -1)

        return Activation(hyperbolic, lambda z: one - hyperbolic(z).square(), one, exact(4) / (three * 3))
    if kind == "erf":
        steepest = exact(2) / root_between(PI)
        bend = root_between(exact(8) / (PI * exponential_between(one)))
        return Activation(error_function, lambda z: exponential_between(exact(-z * z)) * steepest, steepest, bend)
    if kind == "gelu":

        def normal(z: Interval) -> Interval:
            """Φ, which rises."""
            low, high = (error_function_scaled(end) for end in (z.low, z.high))
            return Interval((low.low + 1) / 2, (high.high + 1) / 2)

        def error_function_scaled(z: Fraction) -> Interval:
            ends = Interval.root(2)
            first, second = error_function(z / ends.low), error_function(z / ends.high)
            return Interval(min(first.low, second.low), max(first.high, second.high))

        two = Interval.root(2)
        steepest = normal(two) + two * exponential_between(exact(-1)) / root_between(PI * 2)
        return Activation(
            lambda z: normal(exact(z)) * z,
            lambda z: normal(exact(z)) + density(z) * z,
            steepest,
            density(Fraction(0)) * 2,
        )
    if kind == "cos":
        return Activation(cosine_between, lambda z: sine_between(z) * -1, one, one)
    if kind in ("relu", "leaky-relu", "abs"):
        leak = {"relu": Fraction(0), "abs": Fraction(-1)}.get(kind, parameters[0] if parameters else Fraction(0.01))
        left = Fraction(0) if kind == "abs" else leak
        return Activation(
            lambda z: exact(z if z > 0 else leak * z),
            lambda z: exact(1 if z > 0 else leak if z < 0 else left),
            exact(max(Fraction(1), abs(leak))),
            None,
            abs(1 - leak),
        )
    raise Refused(f"unknown activation {name!r}")


def hermite(coefficients: list[Fraction]) -> Activation:
    """Σ c_r h_r with h_r = He_r/√(r!)."""
    degree = max((r for r, c in enumerate(coefficients) if c), default=0)

    def polynomial(z: Fraction, order: int) -> Interval:
        """He_r(z)/√(r!)."""
        before, now = Fraction(0), Fraction(1)
        for r in range(order):
            before, now = now, z * now - r * before
        return Interval.of(now) / Interval.root(math.factorial(order))

    def value(z: Fraction) -> Interval:
        return sum((polynomial(z, r) * c for r, c in enumerate(coefficients)), Interval.of(0))

    def slope(z: Fraction) -> Interval:
        terms = (polynomial(z, r - 1) * Interval.root(r) * c for r, c in enumerate(coefficients) if r)
        return sum(terms, Interval.of(0))

    steepest = None if degree > 1 else Interval.of(abs(coefficients[1]) if degree == 1 else 0)
    bend = None if degree > 2 else Interval.root(2) * abs(coefficients[2]) if degree == 2 else Interval.of(0)
    return Activation(value, slope, steepest, bend)


# --- descent ----------------------------------------------------------------------------------------------------------

DESCENT_FACTS = "sigma jacobian_norm lipschitz residual ratio radius perturbation step rate decrease path iterations"


def proved_semidefinite(matrix: list[list[Interval]], factor: int, diagonal: list[Fraction]) -> bool:
    """Whether ``factor`` times a matrix plus a diagonal is semidefinite, whatever the entries within their intervals.

    The midpoints are taken, less the radii: a symmetric matrix with entries of at most ρ_ij is at most the diagonal
    matrix of its row sums of ρ.
    """
    size = range(len(matrix))
    middle = [[factor * (entry.low + entry.high) / 2 for entry in row] for row in matrix]
    for i in size:
        middle[i][i] += diagonal[i] - sum((entry.high - entry.low for entry in matrix[i]), Fraction(0)) / 2
    return is_semidefinite(middle)


@dataclass
class Start:
    """What is known about J₀, r₀ and X: σ̲ ≤ σ₀ ≤ σ̄, N ≥ ‖J₀‖, r̄ ≥ ‖r₀‖, X̄ ≥ ‖X‖, and bounds from the other side."""

    network: Network
    activation: Activation
    weights: list[Fraction]
    x: list[list[Fraction]]
    sigma: Fraction
    sigma_high: Fraction | None
    jacobian: Fraction
    jacobian_low: Fraction
    residual: Fraction
    residual_low: Fraction
    inputs: Fraction
    inputs_low: Fraction
    longest: Interval
    largest_output: Fraction


def total(intervals: Iterable[Interval]) -> Interval:
    """The sum."""
    return sum(intervals, Interval.of(0))


def rounded(value: Interval) -> Interval:
    """The same interval with short endpoints, outward."""
    unit = 2**220
    return Interval(Fraction(math.floor(value.low * unit), unit), Fraction(math.ceil(value.high * unit), unit))


def read_start(case: Case, spectrum: Any, layers: str) -> Start:
    """Check a spectrum (§ on what the theorems about descent share)."""
    network, rows = case.network, case.data()
    if network is None:
        raise Refused("the claim is about a network")
    if any(network.u) or any(network.b) or network.c:
        raise NotConfirmed("the network has hidden biases or an affine part")
    smallest, largest, inputs, direction = members(spectrum, "smallest largest inputs direction", "the spectrum")
    smallest, largest = at_least_zero(smallest, "smallest"), optional(number, largest, "largest")
    inputs = optional(number, inputs, "inputs")
    activation = read_activation(network.activation)
    x = [list(row) for row in zip(*(column.fractions() for column in rows.x))]
    y, w, n = rows.y.fractions(), rows.weights, len(rows.y.numerators)
    a = optional(numbers, direction, "direction", n)
    if a is not None and not any(a):
        raise Refused("the direction is zero")
    scores = [[sum((p * q for p, q in zip(unit, row)), Fraction(0)) for unit in network.W] for row in x]
    exactly = activation.value(Fraction(1)).low == activation.value(Fraction(1)).high
    keep = (lambda value: value) if exactly else rounded
    phi = [[keep(activation.value(z)) for z in row] for row in scores]
    slope = [[keep(activation.slope(z)) for z in row] for row in scores]
    gram = gram_matrix(x)
    kernel = []
    for i in range(n):
        kernel.append([])
        for j in range(n):
            entry = Interval.of(0)
            if layers != "output":
                entry += total(p * q * v * v for p, q, v in zip(slope[i], slope[j], network.v)) * gram[i][j]
            if layers != "hidden":
                entry += total(p * q for p, q in zip(phi[i], phi[j]))
            kernel[i].append(keep(entry))
    # √w K √w ⪰ μI exactly when K ⪰ μ Diag(1/w); likewise from above.
    proved = proved_semidefinite(kernel, 1, [-smallest / weight for weight in w])
    trace = sum((weight * kernel[i][i].high for i, weight in enumerate(w)), Fraction(0))
    if largest is None or not proved_semidefinite(kernel, -1, [largest / weight for weight in w]):
        largest = trace
    moments = [
        [sum((weight * row[i] * row[j] for weight, row in zip(w, x)), Fraction(0)) for j in range(rows.inputs)]
        for i in range(rows.inputs)
    ]
    if inputs is None or not is_semidefinite(shifted(moments, -1, inputs)):
        inputs = sum((moments[i][i] for i in range(rows.inputs)), Fraction(0))
    # ‖X‖² is at least what each column and each row has.
    lengths = [weight * gram[i][i] for i, weight in enumerate(w)]
    columns = len(network.v) * {"hidden": rows.inputs, "output": 1, "both": rows.inputs + 1}[layers]
    sigma_high = Fraction(0) if columns < n else None
    if a is not None:
        scaled = [Interval.root(weight) * entry for weight, entry in zip(w, a)]
        form = total(scaled[i] * scaled[j] * kernel[i][j] for i in range(n) for j in range(n)) / squares([a])
        above = Interval.root(max(form.high, Fraction(0))).high
        sigma_high = above if sigma_high is None else min(sigma_high, above)
    errors = [total(p * v for p, v in zip(row, network.v)) - label for row, label in zip(phi, y)]
    size = root_between(total(error.square() * weight for error, weight in zip(errors, w)))
    return Start(
        network, activation, w, x,
        Interval.root(smallest).low if proved else Fraction(0), sigma_high,
        Interval.root(largest).high,
        Interval.root(max((max(weight * kernel[i][i].low, Fraction(0)) for i, weight in enumerate(w)), default=Fraction(0))).low,
        size.high, size.low,
        Interval.root(inputs).high,
        Interval.root(max([Fraction(0), *(moments[i][i] for i in range(rows.inputs)), *lengths])).low,
        Interval.root(max(gram[i][i] for i in range(n))),
        max(map(abs, network.v), default=Fraction(0)),
    )  # fmt: skip


def read_descent(case: Case) -> tuple[Fraction, Fraction]:
    """The step and the tolerance of a claim about descent."""
    step, tol = (number(value, "claim") for value in members(case.claim, "step tolerance", "claim"))
    if step <= 0 or not 0 < tol <= 1:
        raise Refused("step or tolerance is out of range")
    return step, tol


def conclude(
    facts: Facts,
    hypotheses: list[bool | None],
    step: Fraction,
    tol: Fraction,
    delta: Interval | None,
    path: Interval | None,
) -> str:
    """The verdict, and the facts that follow only where the theorem holds."""
    facts.demand("step", lambda claimed: claimed == step)
    verdict = decided(hypotheses)
    if verdict != "holds" or delta is None or path is None:
        facts.absent("rate", "decrease", "path", "iterations")
        return verdict
    facts.at_least("rate", 1 - delta.low)
    facts.at_most("decrease", delta.low)
    facts.at_least("path", path.high)

    def enough(claimed: Fraction) -> bool:
        """(1 − δ)^claimed ≤ t, by logarithms."""
        if tol == 1 or delta.low >= 1:
            return claimed >= 0
        if delta.low <= 0:
            return False
        needed = (logarithm_between(tol) / logarithm_between(1 - delta.low)).high
        return claimed >= math.ceil(needed)

    facts.demand("iterations", enough)
    return verdict


def smooth_facts(facts: Facts, start: Start, lipschitz: Interval | None) -> None:
    """The facts that do not depend on the verdict."""
    facts.at_most("sigma", start.sigma)
    facts.at_least("jacobian_norm", start.jacobian)
    facts.at_least("residual", start.residual)
    if lipschitz is None:
        facts.absent("lipschitz", "ratio")
        return
    facts.at_least("lipschitz", lipschitz.high)
    if start.sigma > 0:
        facts.at_least("ratio", (lipschitz * 2 * start.residual / start.sigma**2).high)
    else:
        facts.absent("ratio")


def at_most(first: Interval, second: Interval) -> bool:
    """Whether the first number is proved to be at most the second."""
    return first.high <= second.low


def hypotheses_of_descent(
    start: Start, step: Fraction, lip: tuple[Interval, Interval]
) -> tuple[list[bool | None], Interval | None, Interval | None, Interval]:
    """§21 of the chapter: what is proved and refuted, δ, s* and β. ``lip`` has a bound from above and one from below."""
    exact, sigma, r = Interval.of, Interval.of(start.sigma), Interval.of(start.residual)
    upper, lower = lip
    beta = exact(start.jacobian) + sigma * Fraction(17, 16)
    gamma = exact(1) - beta.square() * (step / 2) - upper * r * (step / 2)
    load = upper * 2 * r
    proved = [
        start.sigma > 0,
        at_most(load, sigma.square()),
        gamma.low > 0 and at_most(load, gamma * sigma.square()),
        at_most(exact(step), exact(1) / (beta.square() * 2)) if beta.low > 0 else None,
    ]
    above = start.sigma_high
    beta_low = exact(start.jacobian_low + start.sigma * Fraction(17, 16))
    gamma_high = exact(1) - beta_low.square() * (step / 2) - lower * start.residual_low * (step / 2)
    load_low = lower * 2 * start.residual_low
    refuted = [
        above == 0,
        above is not None and load_low.low > above**2,
        gamma_high.high <= 0 or (above is not None and load_low.low > gamma_high.high * above**2),
        beta_low.low > 0 and step > (exact(1) / (beta_low.square() * 2)).high,
    ]
    hypotheses = [True if yes else False if no else None for yes, no in zip(proved, refuted)]
    if not all(proved):
        return hypotheses, None, None, beta
    rest = exact(1) - load / (gamma * sigma.square())
    rest = Interval(max(rest.low, Fraction(0)), max(rest.high, Fraction(0)))
    return hypotheses, gamma * step * sigma.square() * rest, r * 2 / (gamma * sigma * (root_between(rest) + 1)), beta


def lipschitz_of(start: Start) -> tuple[Interval, Interval] | None:
    """Lip from above and from below; None where sup|φ''| is infinite."""
    if start.activation.bend is None:
        return None
    common = start.activation.bend * start.largest_output * start.longest
    return common * start.inputs, common * start.inputs_low


def judge_descent_converges(case: Case) -> str:
    """Gradient descent on the hidden layer."""
    step, tol = read_descent(case)
    facts = Facts(case.facts, DESCENT_FACTS)
    start = read_start(case, case.proof, "hidden")
    lip = lipschitz_of(start)
    smooth_facts(facts, start, lip and lip[0])
    facts.absent("radius", "perturbation")
    if lip is None:
        return conclude(facts, [False], step, tol, None, None)
    hypotheses, delta, path, _ = hypotheses_of_descent(start, step, lip)
    return conclude(facts, hypotheses, step, tol, delta, path)


def judge_descent_converges_printed(case: Case) -> str:
    """Gradient descent on the hidden layer, as published."""
    step, tol = read_descent(case)
    facts = Facts(case.facts, DESCENT_FACTS)
    start = read_start(case, case.proof, "hidden")
    lip = lipschitz_of(start)
    smooth_facts(facts, start, lip and lip[0])
    facts.absent("radius", "perturbation")
    if lip is None:
        return conclude(facts, [False], step, tol, None, None)
    above = start.sigma_high
    too_much = above is not None and (lip[1] * (16 * start.residual_low)).low > above**2
    low = Interval.of(start.jacobian_low) + (lip[1] * (8 * start.residual_low / above) if above else 0)
    too_fast = low.low > 0 and step * 2 * low.low**2 > 1
    refuted = above == 0 or too_much or too_fast
    if start.sigma == 0 or refuted:
        return conclude(facts, [False if refuted else None], step, tol, None, None)
    alpha, r = start.sigma / 2, start.residual
    beta = lip[0] * (4 * r / alpha) + start.jacobian
    load = at_most(lip[0] * (16 * r), Interval.of(start.sigma**2)) or None
    slow = at_most(Interval.of(step), Interval.of(1) / (beta.square() * 2)) or None
    return conclude(facts, [load, slow], step, tol, Interval.of(step * alpha**2 / 4), Interval.of(4 * r / alpha))


def judge_both_layers_converge(case: Case) -> str:
    """Gradient descent on both layers."""
    step, tol = read_descent(case)
    facts = Facts(case.facts, DESCENT_FACTS)
    spectrum, radius = members(case.proof, "spectrum radius", "proof")
    radius = at_least_zero(radius, "radius")
    start = read_start(case, spectrum, "both")
    facts.absent("perturbation")
    facts.demand("radius", lambda claimed: claimed == radius)
    activation, steepest = start.activation, start.activation.steepest
    if activation.quadratic is not None:
        norm = Interval.root(max((squares([w]) for w in start.network.W), default=Fraction(0)))
        steepest = (norm + radius) * start.longest * (2 * abs(activation.quadratic[0])) + abs(activation.quadratic[1])
    lip = None
    if activation.bend is not None and steepest is not None:
        p = activation.bend * (start.largest_output + radius) * start.longest
        lip = (p + root_between(p.square() + steepest.square() * 4)) * (start.inputs / 2)
    smooth_facts(facts, start, lip)
    if activation.bend is None or start.sigma_high == 0:
        return conclude(facts, [False], step, tol, None, None)
    if lip is None:
        return conclude(facts, [None], step, tol, None, None)
    hypotheses, delta, path, beta = hypotheses_of_descent(start, step, (lip, lip))
    stays = at_most(path + Interval.of(start.residual) / (beta * 2), Interval.of(radius)) if path is not None else None
    return conclude(facts, [True if known else None for known in [*hypotheses, stays]], step, tol, delta, path)


def perturbation(start: Start, radius: Fraction) -> Interval:
    """ε(R): how far J can be from J₀ within a ball of radius R."""
    counts = []
    for row in start.x:
        limit, used, count = radius**2 * squares([row]), Fraction(0), 0
        for size in sorted(sum((p * q for p, q in zip(unit, row)), Fraction(0)) ** 2 for unit in start.network.W):
            used += size
            if used > limit:
                break
            count += 1
        counts.append(count)
    first = Interval.root(max(counts, default=0)) * start.inputs
    second = Interval.root(
        sum(
            (weight * count * squares([row]) for weight, count, row in zip(start.weights, counts, start.x)), Fraction(0)
        )
    )
    smaller = Interval(min(first.low, second.low), min(first.high, second.high))
    return smaller * start.activation.jump * start.largest_output


def judge_relu_descent_converges(case: Case) -> str:
    """Gradient descent on the hidden layer of a network with kinks."""
    step, tol = read_descent(case)
    facts = Facts(case.facts, DESCENT_FACTS)
    spectrum, radius = members(case.proof, "spectrum radius", "proof")
    radius = at_least_zero(radius, "radius")
    start = read_start(case, spectrum, "hidden")
    smooth_facts(facts, start, None)
    facts.demand("radius", lambda claimed: claimed == radius)
    if start.activation.jump is None:
        facts.absent("perturbation")
        return conclude(facts, [False], step, tol, None, None)
    epsilon = perturbation(start, radius)
    facts.at_least("perturbation", epsilon.high)
    if start.sigma == 0:
        return conclude(facts, [False if start.sigma_high == 0 else None], step, tol, None, None)
    room = Interval.of(start.sigma) - epsilon
    kappa = room * Fraction(5, 6) - epsilon * 2
    beta = epsilon + start.jacobian
    reaches = kappa.low > 0 and at_most(Interval.of(start.residual), kappa * radius)
    slow = at_most(Interval.of(step), Interval.of(1) / (beta.square() * 3))
    if not (reaches and slow):
        return conclude(facts, [None], step, tol, None, None)
    return conclude(facts, [True], step, tol, kappa * room * step, Interval.of(start.residual) / kappa)


def judge_relu_descent_converges_printed(case: Case) -> str:
    """Gradient descent on the hidden layer of a network with kinks, as published."""
    step, tol = read_descent(case)
    facts = Facts(case.facts, DESCENT_FACTS)
    start = read_start(case, case.proof, "hidden")
    smooth_facts(facts, start, None)
    facts.absent("radius")
    if start.activation.jump is None or start.sigma == 0:
        facts.absent("perturbation")
        refuted = start.activation.jump is None or start.sigma_high == 0
        return conclude(facts, [False if refuted else None], step, tol, None, None)
    alpha = start.sigma / 2
    epsilon = perturbation(start, 3 * start.residual / alpha)
    facts.at_least("perturbation", epsilon.high)
    beta = start.activation.steepest * Interval.root(squares([start.network.v])) * start.inputs
    small = at_most(epsilon, Interval.of(alpha / 3))
    slow = at_most(Interval.of(step), Interval.of(1) / (beta.square() * 3))
    if not (small and slow):
        return conclude(facts, [None], step, tol, None, None)
    return conclude(facts, [True], step, tol, Interval.of(step * alpha**2), Interval.of(3 * start.residual / alpha))


def judge_random_features(case: Case) -> str:
    """Whether some output layer fits every vector of labels."""
    members(case.claim, "", "claim")
    smallest, direction = members(case.proof, "smallest direction", "proof")
    facts = Facts(case.facts, "sigma sigma_at_most")
    network, rows = case.network, case.data()
    plain = replace(rows, weights=[Fraction(1)] * len(rows.weights))
    spectrum = {"smallest": smallest, "largest": None, "inputs": None, "direction": direction}
    start = read_start(replace(case, rows=plain), spectrum, "output")
    facts.at_most("sigma", start.sigma)
    if start.sigma_high is None:
        facts.absent("sigma_at_most")
    else:
        facts.at_least("sigma_at_most", start.sigma_high)
    if len(network.v) < len(rows.weights) or start.sigma_high == 0:
        return "fails"
    return "holds" if start.sigma > 0 else "undecided"
