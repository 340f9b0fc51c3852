"""The peers of `spectrum`: kernels, extreme eigenvalues and separations in NumPy, SciPy and JAX."""

import time

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
import scipy.sparse.linalg
from scipy.spatial.distance import cdist, pdist


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


def measured(case, folder, seconds):
    place = folder / case["folder"]
    task = case["task"]
    if task == "tanh kernel":
        return {"variants": {}}
    if task == "relu kernel":
        subject, ours, ways = np.load(place / "X.npy"), np.load(place / "K.npy"), {"numpy": relu_kernel, "jax": by_jax}
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
