"""The peers of `fleet`: gradient descent on the hidden weights of tiny networks in PyTorch, one core.

One iteration is W ← W − η ∂L/∂W, L = (1/2n)Σr², written in each of the ways one would: eager with autograd, the
gradient by hand in buffers that are reused, the same compiled, and 64 networks at once by batched products, by hand
and compiled. Times are per network and iteration.
"""

import math
import time

import numpy as np
import torch
import torch.nn.functional as F

BATCH = 64
# So many iterations are compared with ours.
COMPARED = 5


def phi(activation, z):
    # From threshold/β on torch replaces softplus by z; 40 makes the two equal in double precision.
    return F.softplus(z, beta=10.0, threshold=40.0) if activation == "softplus:10" else torch.relu(z)


def eager(activation, X, y, W, v, eta):
    W = W.clone().requires_grad_()
    n = len(y)

    def step():
        r = phi(activation, X @ W.T) @ v - y
        loss = (r * r).sum() * (0.5 / n)
        (g,) = torch.autograd.grad(loss, W)
        with torch.no_grad():
            W.sub_(g, alpha=eta)

    return step, W, 1


def by_hand(activation, X, y, W, v, eta):
    W = W.clone()
    n, k = len(y), len(v)
    Z, S = (torch.empty(n, k, dtype=X.dtype) for _ in range(2))
    G, r = torch.empty_like(W), torch.empty_like(y)
    alpha = -eta / n

    def step():
        torch.matmul(X, W.T, out=Z)
        if activation == "relu":
            torch.gt(Z, 0.0, out=S)
            P = Z.relu_()
        else:
            P = phi(activation, Z)
            torch.sigmoid(Z.mul_(10.0), out=S)
        torch.mv(P, v, out=r)
        r.sub_(y)
        S.mul_(v).mul_(r[:, None])
        W.addmm_(S.T, X, alpha=alpha)

    return step, W, 1


def compiled(activation, X, y, W, v, eta):
    W = W.clone()
    n = len(y)

    @torch.compile(dynamic=False)
    def pure(W):
        Z = X @ W.T
        r = phi(activation, Z) @ v - y
        S = (Z > 0.0).to(Z.dtype) if activation == "relu" else torch.sigmoid(10.0 * Z)
        return W - (eta / n) * ((S * v * r[:, None]).T @ X)

    def step():
        W.copy_(pure(W))

    return step, W, 1


def batched(activation, X, y, W, v, eta):
    n, k = len(y), len(v)
    X, y, W, v = (t.expand(BATCH, *t.shape).contiguous() for t in (X, y, W, v))
    Z, S = (torch.empty(BATCH, n, k, dtype=X.dtype) for _ in range(2))
    r = torch.empty(BATCH, n, 1, dtype=X.dtype)
    v_row, v_column, y = v[:, None, :], v[:, :, None], y[:, :, None]
    alpha = -eta / n

    def step():
        torch.bmm(X, W.mT, out=Z)
        if activation == "relu":
            torch.gt(Z, 0.0, out=S)
            P = Z.relu_()
        else:
            P = phi(activation, Z)
            torch.sigmoid(Z.mul_(10.0), out=S)
        torch.bmm(P, v_column, out=r)
        r.sub_(y)
        S.mul_(v_row).mul_(r)
        W.baddbmm_(S.mT, X, alpha=alpha)

    return step, W, BATCH


def compiled_batch(activation, X, y, W, v, eta):
    n = len(y)
    X, y, W, v = (t.expand(BATCH, *t.shape).contiguous() for t in (X, y, W, v))
    v_row, v_column, y = v[:, None, :], v[:, :, None], y[:, :, None]

    @torch.compile(dynamic=False)
    def pure(W):
        Z = torch.bmm(X, W.mT)
        r = torch.bmm(phi(activation, Z), v_column) - y
        S = (Z > 0.0).to(Z.dtype) if activation == "relu" else torch.sigmoid(10.0 * Z)
        return W - (eta / n) * torch.bmm((S * v_row * r).mT, X)

    def step():
        W.copy_(pure(W))

    return step, W, BATCH


WAYS = {
    "eager": eager,
    "by hand": by_hand,
    "compiled": compiled,
    "batched": batched,
    "compiled batch": compiled_batch,
}


def timed(step, seconds):
    """Seconds per call: runs long enough for the clock, as many as fit into the time."""
    step()
    since = time.perf_counter()
    step()
    calls = max(1, math.ceil(0.01 / (time.perf_counter() - since)))
    start = time.perf_counter()
    runs = []
    while len(runs) < 3 or time.perf_counter() - start < seconds:
        since = time.perf_counter()
        for _ in range(calls):
            step()
        runs.append((time.perf_counter() - since) / calls)
    return runs


def measured(case, folder, quick):
    """All ways in turns after ours; a way that does not work on this machine is left out and said."""
    torch.set_num_threads(1)
    if "activation" not in case:
        return {"variants": {}}
    place = folder / case["folder"]
    dtype = torch.float64 if case["precision"] == "double" else torch.float32
    problem = [torch.from_numpy(np.load(place / f"{name}.npy")).to(dtype) for name in ("X", "y", "W", "v")]
    ours = np.load(place / "ours.npy")
    variants, failed, worst = {}, {}, 0.0
    for name, make in WAYS.items():
        torch._dynamo.reset()  # or the ninth shape would silently run uncompiled
        try:
            step, W, networks = make(case["activation"], *problem, case["step"])
            for _ in range(COMPARED):
                step()
            theirs = W.detach().double().numpy().copy()
            theirs = theirs[0] if networks > 1 else theirs
            seconds = timed(step, 0.2 if quick else 0.5)
        except Exception as error:  # torch.compile needs a C++ compiler, which need not be there
            failed[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:100]}"
            continue
        worst = max(worst, float(np.abs(ours - theirs.ravel()).max() / np.abs(theirs).max()))
        variants[name] = [case["units"] * s / networks for s in seconds]
    about = {"failed": failed} if failed else None
    return {"variants": variants, "difference": worst, "about": about}
