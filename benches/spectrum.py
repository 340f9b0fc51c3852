"""The peers of `spectrum`: kernels, extreme eigenvalues and separations in NumPy, SciPy, JAX, scikit-learn and GPyTorch."""

import time

import gpytorch
import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
import scipy.sparse.linalg
import torch
from scipy.spatial.distance import cdist, pdist
from sklearn.gaussian_process.kernels import Matern
from sklearn.metrics.pairwise import laplacian_kernel


def relu_kernel(X):
    """Σ of relu. The diagonal is set: arccos of 1 − 2e-16 would be off by 2e-8."""
    G = X @ X.T
    np.fill_diagonal(G, 1.0)
    np.clip(G, -1.0, 1.0, out=G)
    return G * (np.pi - np.arccos(G)) / (2.0 * np.pi)


jax.config.update("jax_enable_x64", True)


@jax.jit
def compiled_relu_kernel(X):
    G = jnp.clip(X @ X.T, -1.0, 1.0)
    G = jnp.fill_diagonal(G, 1.0, inplace=False)
    return G * (jnp.pi - jnp.arccos(G)) / (2.0 * jnp.pi)


def by_jax(X):
    """As a library of neural kernels on JAX does it; compiled by the first call, which is not counted."""
    return np.asarray(compiled_relu_kernel(X).block_until_ready())


def by_all_values(K):
    values = np.linalg.eigvalsh(K)
    return np.array([values[0], values[-1]])


def by_subset(K):
    """One call for each end; LAPACK reduces to tridiagonal form both times."""
    last = len(K) - 1
    ends = [scipy.linalg.eigh(K, eigvals_only=True, subset_by_index=[at, at])[0] for at in (0, last)]
    return np.array(ends)


def by_lanczos(K):
    """ARPACK, the lower end through the inverse: what we do too."""
    smallest = scipy.sparse.linalg.eigsh(K, k=1, sigma=0.0, which="LM", return_eigenvectors=False)[0]
    largest = scipy.sparse.linalg.eigsh(K, k=1, which="LA", return_eigenvectors=False)[0]
    return np.array([smallest, largest])


def by_pairs(X):
    return np.array([min(pdist(X).min(), cdist(X, -X).min())])


def by_gram(X):
    """Fast, and blind to rows closer than 1e-8."""
    G = np.abs(X @ X.T)
    np.fill_diagonal(G, 0.0)
    return np.array([np.sqrt(2.0 - 2.0 * G.max())])


def numpy_distances(X):
    """‖x − x'‖ by a product of matrices."""
    squares = (X * X).sum(axis=1)
    D = squares[:, None] + squares - 2.0 * (X @ X.T)
    np.maximum(D, 0.0, out=D)
    np.fill_diagonal(D, 0.0)
    return np.sqrt(D, out=D)


def numpy_wide(law, scale, bias):
    def rough_by_input(X):
        D = np.zeros((len(X), len(X)))
        for column in X.T:
            D += np.abs(column[:, None] - column)
        return np.exp(-D / scale)

    def rough(X):
        return np.exp(-numpy_distances(X / scale))

    def t3(X):
        D = np.sqrt(3.0) * numpy_distances(X / scale)
        return (1.0 + D) * np.exp(-D)

    def t5(X):
        D = np.sqrt(5.0) * numpy_distances(X / scale)
        return (1.0 + D + D * D / 3.0) * np.exp(-D)

    def relu(X):
        A = np.hstack([X / scale, np.full((len(X), 1), bias)])
        lengths = np.linalg.norm(A, axis=1)
        sizes = np.outer(lengths, lengths)
        C = np.clip(A @ A.T / sizes, -1.0, 1.0)
        np.fill_diagonal(C, 1.0)
        return sizes * (np.sqrt(1.0 - C * C) + (np.pi - np.arccos(C)) * C) / np.pi

    def erf(X):
        A = np.hstack([X / scale, np.full((len(X), 1), bias)])
        roots = np.sqrt(1.0 + 2.0 * (A * A).sum(axis=1))
        return 2.0 / np.pi * np.arcsin(2.0 * (A @ A.T) / np.outer(roots, roots))

    return {"rough-by-input": rough_by_input, "rough": rough, "t3": t3, "t5": t5, "relu": relu, "erf": erf}[law]


def gpytorch_matern(nu, scale):
    kernel = gpytorch.kernels.MaternKernel(nu=nu).double()
    kernel.lengthscale = scale

    def way(X):
        with torch.no_grad():
            return kernel(torch.from_numpy(X)).to_dense().numpy()

    return way


def wide_ways(case):
    law, scale = case["law"], case["scale"]
    ways = {"numpy": numpy_wide(law, scale, case["bias"])}
    if law == "rough-by-input":
        ways["scikit-learn"] = lambda X: laplacian_kernel(X, gamma=1.0 / scale)
    nu = {"rough": 0.5, "t3": 1.5, "t5": 2.5}.get(law)
    if nu is not None:
        ways |= {"scikit-learn": Matern(scale, nu=nu), "gpytorch": gpytorch_matern(nu, scale)}
    return ways


def measured(case, folder, seconds):
    place = folder / case["folder"]
    task = case["task"]
    if task == "tanh kernel":
        return {"variants": {}}
    if task == "relu kernel":
        subject, ours, ways = np.load(place / "X.npy"), np.load(place / "K.npy"), {"numpy": relu_kernel, "jax": by_jax}
    elif task == "wide kernel":
        subject, ours, ways = np.load(place / "X.npy"), np.load(place / "K.npy"), wide_ways(case)
    elif task == "extremes":
        subject, ours = np.load(place / "K.npy"), np.load(place / "extremes.npy")
        ways = {"numpy eigvalsh": by_all_values, "scipy eigh subset": by_subset, "scipy eigsh": by_lanczos}
    else:
        subject, ours = np.load(place / "X.npy"), np.load(place / "separation.npy")
        ways = {"scipy pdist": by_pairs, "numpy Gram": by_gram}
    variants, worst = {}, 0.0
    for name, way in ways.items():
        if way is by_jax:
            way(subject)
        times = []
        while not times or (sum(times) < seconds and len(times) < 5):
            since = time.perf_counter()
            theirs = way(subject)
            times.append(time.perf_counter() - since)
        variants[name] = times
        worst = max(worst, float(np.abs(ours - theirs).max() / np.abs(theirs).max()))
    return {"variants": variants, "difference": worst}
