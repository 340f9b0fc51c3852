"""The other side of `cargo xtask bench`: the same work in PyTorch, NumPy, SciPy and scikit-learn.

Usage: peers.py WORK FOLDER THREADS [--quick]

Reads the cases that the Rust side has written to FOLDER, prints times as JSON. Where a work can be done in
more than one way, each is timed, and the faster is what we are compared with.
"""

import json
import math
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from scipy.optimize import minimize

import fleet as fleets
import spectrum as spectra

BATCH = 0.01  # seconds: long enough for the clock


def times(seconds, call):
    """Seconds per call: batches long enough for the clock, as many as fit into the time."""
    call()
    since = time.perf_counter()
    call()
    calls = max(1, math.ceil(BATCH / (time.perf_counter() - since)))
    start = time.perf_counter()
    batches = []
    while len(batches) < 3 or time.perf_counter() - start < seconds:
        since = time.perf_counter()
        for _ in range(calls):
            call()
        batches.append((time.perf_counter() - since) / calls)
    return batches


def timed(call):
    since = time.perf_counter()
    call()
    return time.perf_counter() - since


def difference(ours, theirs):
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def problem(folder):
    return [torch.from_numpy(np.load(folder / f"{name}.npy")) for name in ("X", "y", "W", "v")]


# threshold: from there on torch replaces softplus by z; 40 makes the two equal in double precision.
def softplus(z):
    return F.softplus(z, threshold=40.0)


def by_hand(activation, X, y):
    """(W, v) ↦ loss and gradient in torch without autograd, in buffers that are reused."""
    n = len(y)
    buffers = {}

    def call(W, v):
        if not buffers:
            buffers["Z"], buffers["S"] = (torch.empty(n, len(v), dtype=torch.float64) for _ in range(2))
        Z, S = buffers["Z"], buffers["S"]
        torch.matmul(X, W.T, out=Z)
        if activation == "softplus":
            torch.sigmoid(Z, out=S)
            P = softplus(Z)
        else:
            torch.gt(Z, 0.0, out=S)
            P = Z.relu_()
        r = torch.mv(P, v).sub_(y)
        loss = 0.5 * torch.dot(r, r).item() / n
        r.div_(n)
        gradient_v = torch.mv(P.T, r)
        S.mul_(v).mul_(r[:, None])
        return loss, torch.matmul(S.T, X), gradient_v

    return call


def with_autograd(activation, X, y):
    phi = softplus if activation == "softplus" else torch.relu

    def call(W, v):
        W, v = W.requires_grad_(), v.requires_grad_()
        r = phi(X @ W.T) @ v - y
        loss = 0.5 * (r * r).mean()
        return loss.item(), *torch.autograd.grad(loss, (W, v))

    return call


def gradient(case, folder, quick):
    X, y, W, v = problem(folder / case["case"])
    ours = np.load(folder / case["case"] / "ours.npy")
    variants, worst = {}, 0.0
    for name, make in (("torch autograd", with_autograd), ("torch by hand", by_hand)):
        call = make(case["activation"], X, y)
        W1, v1 = W.clone(), v.clone()
        _, gW, gv = call(W1, v1)
        theirs = torch.cat([gW.flatten(), gv]).numpy()
        worst = max(worst, difference(ours, theirs))
        variants[name] = times(0.3 if quick else 1.0, lambda: call(W1, v1))
    return {"variants": variants, "difference": worst}


def numpy_gradient(X, y):
    X, y = X.numpy(), y.numpy()

    def call(W, v):
        Z = X @ W.T
        E = np.exp(-np.abs(Z))
        P = np.maximum(Z, 0.0) + np.log1p(E)
        S = np.where(Z > 0.0, 1.0, E) / (1.0 + E)
        r = P @ v - y
        loss = 0.5 * r @ r / len(y)
        r /= len(y)
        return loss, (S * v * r[:, None]).T @ X, P.T @ r

    return call


def lbfgs(case, folder, quick):
    X, y, W, v = problem(folder / case["folder"])
    k, d = W.shape
    start = torch.cat([W.flatten(), v]).numpy()
    torch_call = by_hand("softplus", X, y)
    numpy_call = numpy_gradient(X, y)

    def torch_function(theta):
        theta = torch.from_numpy(theta)
        loss, gW, gv = torch_call(theta[: k * d].reshape(k, d), theta[k * d :])
        return loss, torch.cat([gW.flatten(), gv]).numpy()

    def numpy_function(theta):
        loss, gW, gv = numpy_call(theta[: k * d].reshape(k, d), theta[k * d :])
        return loss, np.concatenate([gW.ravel(), gv])

    def train(function):
        norms = {}
        evaluations = 0

        def watched(theta):
            nonlocal evaluations
            evaluations += 1
            loss, g = function(theta)
            norms["last"] = float(np.linalg.norm(g))
            return loss, g

        # The point a line search accepts is the one it evaluated last.
        def stop(intermediate_result):
            if norms["last"] <= 1e-6:
                raise StopIteration

        options = {"maxiter": 100_000, "maxfun": 1_000_000, "maxcor": 20, "ftol": 0.0, "gtol": 0.0, "maxls": 50}
        result = minimize(watched, start, jac=True, method="L-BFGS-B", callback=stop, options=options)
        return result, evaluations

    # Torch's threads and those of SciPy's linear algebra wait for each other busily: one thread is faster.
    torch.set_num_threads(1)
    variants, about = {}, {}
    for name, function in (("scipy with torch", torch_function), ("scipy with numpy", numpy_function)):
        result, evaluations = train(function)
        loss, g = function(result.x)
        about[name] = {
            "iterations": int(result.nit),
            "evaluations": evaluations,
            "objective": float(loss),
            "gradient_norm": float(np.linalg.norm(g)),
        }
        variants[name] = [timed(lambda: train(function)) for _ in range(3)]
    return {"variants": variants, "about": about}


def hermite(coefficients, z):
    """Σ c_r h_r(z) and its derivative by the recurrence."""
    h, before = torch.ones_like(z), torch.zeros_like(z)
    total, slope = torch.zeros_like(z), torch.zeros_like(z)
    for r, c in enumerate(coefficients):
        if c:
            total += c * h
            slope += c * math.sqrt(r) * before
        h, before = (z * h - math.sqrt(r) * before) / math.sqrt(r + 1), h
    return total, slope


def torch_activation(name):
    """φ, and φ with φ', as one would write them in eager torch."""
    head, _, tail = name.partition(":")
    p = [float(x) for x in tail.split(",")] if tail else []
    if head == "quadratic":
        a, b, c = p or (1.0, 0.0, 0.0)
        if not p:
            return lambda z: z * z, lambda z: (z * z, 2.0 * z)
        return lambda z: (a * z + b) * z + c, lambda z: ((a * z + b) * z + c, 2 * a * z + b)
    if head == "softplus":
        s = p[0] if p else 1.0
        phi = lambda z: F.softplus(z, beta=s, threshold=40.0)
        return phi, lambda z: (phi(z), torch.sigmoid(z if s == 1.0 else s * z))
    if head == "sigmoid":
        s = p[0] if p else 1.0
        phi = lambda z: torch.sigmoid(z if s == 1.0 else s * z)

        def sigmoid_slope(z):
            f = phi(z)
            return f, f * (1.0 - f) * s

        return phi, sigmoid_slope
    if head == "tanh":

        def tanh_slope(z):
            f = torch.tanh(z)
            return f, 1.0 - f * f

        return torch.tanh, tanh_slope
    if head == "erf":
        return torch.erf, lambda z: (torch.erf(z), torch.exp(-z * z) * (2.0 / math.sqrt(math.pi)))
    if head == "gelu":

        def gelu_slope(z):
            cdf = 0.5 * torch.erfc(z * -math.sqrt(0.5))
            return z * cdf, cdf + z * torch.exp(-0.5 * z * z) * (1.0 / math.sqrt(2.0 * math.pi))

        return F.gelu, gelu_slope
    if head == "cos":
        return torch.cos, lambda z: (torch.cos(z), -torch.sin(z))
    if head == "relu":
        return torch.relu, lambda z: (torch.relu(z), (z > 0.0).double())
    if head == "leaky-relu":
        s = p[0] if p else 0.01
        return lambda z: F.leaky_relu(z, s), lambda z: (F.leaky_relu(z, s), torch.where(z > 0.0, 1.0, s))
    if head == "abs":
        return torch.abs, lambda z: (torch.abs(z), torch.sign(z))
    if head == "hermite":
        return lambda z: hermite(p, z)[0], lambda z: hermite(p, z)
    return None


def activations(case, folder, quick):
    torch.set_num_threads(1)
    z = torch.from_numpy(np.load(folder / case["folder"] / "z.npy"))
    ours = np.load(folder / case["folder"] / "ours.npy")
    pair = torch_activation(case["activation"])
    if pair is None:
        return {"variants": {}}
    call = pair[case["derivative"]]
    theirs = call(z)
    theirs = torch.cat([part.double() for part in theirs]) if case["derivative"] else theirs
    seconds = times(0.1 if quick else 0.3, lambda: call(z))
    return {"variants": {"torch": seconds}, "difference": difference(ours, theirs.numpy())}


def quadratic(case, folder, quick):
    """In a process of its own, whose memory does not hold torch."""
    program = [sys.executable, Path(__file__).with_name("quadratic.py"), folder / case["case"]]
    return json.loads(subprocess.run(program, check=True, stdout=subprocess.PIPE).stdout)


def spectrum(case, folder, quick):
    return spectra.measured(case, folder, 0.3 if quick else 1.0)


def fleet(case, folder, quick):
    return fleets.measured(case, folder, quick)


def main():
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    work, folder, threads = arguments[0], Path(arguments[1]), int(arguments[2])
    torch.set_num_threads(threads)
    torch.set_default_dtype(torch.float64)
    works = {
        "gradient": gradient,
        "lbfgs": lbfgs,
        "activations": activations,
        "quadratic": quadratic,
        "spectrum": spectrum,
        "fleet": fleet,
    }
    measure = works[work]
    cases = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
    quick = "--quick" in sys.argv
    print(json.dumps([{"case": case["case"], **measure(case, folder, quick)} for case in cases]))


if __name__ == "__main__":
    main()
