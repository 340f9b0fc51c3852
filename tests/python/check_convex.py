"""Solve the small convex programs that the tests have written with CVXPY, and compare the optima.

Usage: check_convex.py TARGET    (cargo's target folder, after `cargo test --test fixtures`)

Each program is: minimise ½ Σ ω (xᵀMx + b·x + c − y)² + τ R(M), ω the weights divided by their sum, over symmetric M
with R = ‖·‖_* or over M ⪰ 0 with R = tr. Objectives, ours and theirs, are evaluated here from M, b and c. With
the scale E = ½ Σ ω y², the objective of M = 0, they must agree to

    |ours − theirs| ≤ 1e-6 · max(theirs, 1e-3 · E)

that is to 1e-6 relative, and to 1e-9 of what there was to explain where nearly all of it is explained: a residual
of 1e-16 is no more right than one of 1e-17, and an interior-point solver stops at some 1e-10 of E. Where labels are
zero, E and the optimum are, and ours must be below 1e-300. For M ⪰ 0 the lowest eigenvalue is at least −1e-9 of the
largest. Minimisers need not be unique, so M itself is not compared.

Clarabel solves the program in units in which inputs and labels have mean square 1 (congruence leaves the cone alone,
and the nuclear norm is the least tr P + tr N with M = P − N). Where its answer is not as good as ours, it tries again
without that scaling, then SCS does; the best answer counts.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import cvxpy as cp
import numpy as np

RELATIVE = 1e-6
FLOOR = 1e-3
LOWEST_EIGENVALUE = -1e-9
ZERO = 1e-300
CLARABEL = {"tol_gap_abs": 1e-13, "tol_gap_rel": 1e-12, "tol_feas": 1e-12, "max_iter": 200}
SCS = {"eps_abs": 1e-11, "eps_rel": 1e-11, "max_iters": 20_000}


class Program:
    """One program, without the rows of weight zero."""

    def __init__(self, case, positive):
        X, y = np.array(case["X"]), np.array(case["y"])
        weights = np.ones(len(y)) if case["weights"] is None else np.array(case["weights"])
        kept = weights > 0
        self.X, self.y, self.omega = X[kept], y[kept], (weights / weights.sum())[kept]
        self.decay, self.positive = case["decay"], positive
        self.linear, self.intercept = case["linear"], case["intercept"]

    def objective(self, M, b, c):
        r = np.einsum("ij,jk,ik->i", self.X, M, self.X) + self.X @ b + c - self.y
        return 0.5 * self.omega @ r**2 + self.decay * np.abs(np.linalg.eigvalsh(M)).sum()

    def scale(self):
        return 0.5 * self.omega @ self.y**2

    def optimum(self, solver, options, scaled):
        """The objective of the point that a solver of CVXPY ends at."""
        d = self.X.shape[1]
        size = np.sqrt(self.omega @ self.X**2) if scaled else np.ones(d)
        size[size == 0] = 1
        target = np.sqrt(2 * self.scale()) or 1.0
        X, y, root = self.X / size, self.y / target, np.sqrt(self.omega)
        P = cp.Variable((d, d), symmetric=True) if not (self.positive or self.decay) else cp.Variable((d, d), PSD=True)
        N = cp.Variable((d, d), PSD=True) if self.decay and not self.positive else None
        b, c = cp.Variable(d), cp.Variable()
        products = (X[:, :, None] * X[:, None, :]).reshape(len(X), d * d)
        M = P if N is None else P - N
        f = products @ cp.reshape(M, (d * d,), order="C")
        if self.linear:
            f = f + X @ b
        if self.intercept:
            f = f + c
        trace = 0 if not self.decay else cp.sum(cp.multiply(1 / size**2, cp.diag(P if N is None else P + N)))
        loss = 0.5 * cp.sum_squares(cp.multiply(root, f - y))
        try:
            cp.Problem(cp.Minimize(loss + self.decay / target * trace)).solve(solver=solver, **options)
        except cp.SolverError:
            return np.inf
        if M.value is None:
            return np.inf
        found = target * M.value / np.outer(size, size)
        if self.positive:
            values, Q = np.linalg.eigh(found)
            found = (Q * np.maximum(values, 0)) @ Q.T
        slopes = target * b.value / size if self.linear else np.zeros(d)
        constant = target * c.value if self.intercept else 0.0
        return self.objective(found, slopes, constant)


ATTEMPTS = [("CLARABEL", CLARABEL, True), ("CLARABEL", CLARABEL, False), ("SCS", SCS, True), ("SCS", SCS, False)]


def compare(case, positive):
    """(ours − theirs) relative to the measure above, and how many attempts theirs took."""
    program = Program(case, positive)
    M = np.array(case["M"])
    d = M.shape[0]
    assert np.array_equal(M, M.T), "M is not symmetric"
    assert (case["b"] is not None) == program.linear and (case["c"] is not None) == program.intercept
    ours = program.objective(M, np.zeros(d) if case["b"] is None else np.array(case["b"]), case["c"] or 0.0)
    assert np.isfinite(ours)
    if positive:
        values = np.linalg.eigvalsh(M)
        assert values[0] >= LOWEST_EIGENVALUE * max(abs(values[-1]), 1e-300), f"not positive: {values}"
    scale = program.scale()
    if scale == 0:
        assert ours <= ZERO, f"labels are zero, our objective is {ours}"
        return 0.0, 0
    theirs = np.inf
    for at, attempt in enumerate(ATTEMPTS):
        theirs = min(theirs, program.optimum(*attempt))
        difference = (ours - theirs) / max(theirs, FLOOR * scale) if np.isfinite(theirs) else -np.inf
        if difference >= -RELATIVE:
            break
    return difference, at + 1


def main(target):
    folder = Path(target) / "tmp" / "convex"
    files = sorted(folder.glob("*.json"))
    if not files:
        sys.exit(f"{folder} holds no cases: run `cargo test --test fixtures` first")
    # Every answer is evaluated, and the best one counts, whatever the solver thinks of it.
    warnings.filterwarnings("ignore", message="Solution may be inaccurate")
    failed = 0
    for path in files:
        since = time.time()
        group = json.loads(path.read_text(encoding="utf-8"))
        worst, retried = [0.0, 0.0], 0
        for at, case in enumerate(group["cases"]):
            try:
                difference, attempts = compare(case, group["positive"])
            except AssertionError as error:
                print(f"{group['class']} {at}: {error}")
                failed += 1
                continue
            retried += attempts > 1
            worst = [max(worst[0], difference), max(worst[1], -difference)]
            if not abs(difference) <= RELATIVE:
                failed += 1
                n, d = np.shape(case["X"])
                print(f"{group['class']} {at}: n {n} d {d} ours − theirs is {difference:.1e} after {attempts} attempts")
        print(
            f"{group['class']:16} {len(group['cases'])} cases, worse by at most {worst[0]:.1e}, better by {worst[1]:.1e}"
            f", {retried} solved again, {time.time() - since:.1f} s"
        )
    print(f"{failed} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
