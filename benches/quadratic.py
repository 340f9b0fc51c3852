"""The peer of `quadratic`, one case in one process: its peak of the resident memory belongs to the case.

Usage: quadratic.py FOLDER

Reads X.npy and y.npy, fits scikit-learn's pipeline, compares with our predictions and coefficients, prints JSON.
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

SECONDS = 1.0  # fits are repeated for about as long


def peak_memory():
    """The most bytes of this process that were in memory at a time.

    From /proc where it exists: what getrusage reports outlives exec, so that it may be the caller's peak.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def difference(ours, theirs):
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def main():
    folder = Path(sys.argv[1])
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    before = peak_memory()
    # The intercept is Ridge's own; a penalty far below rounding only keeps the Cholesky solver willing.
    model = make_pipeline(PolynomialFeatures(2, include_bias=False), Ridge(alpha=1e-9, solver="cholesky"))
    seconds = []
    while not seconds or sum(seconds) < SECONDS:
        since = time.perf_counter()
        model.fit(X, y)
        seconds.append(time.perf_counter() - since)
    memory = peak_memory()
    theirs = model.predict(X)
    coefficients = np.concatenate([[model[-1].intercept_], model[-1].coef_])
    about = {
        "rmse": float(np.sqrt(np.mean((theirs - y) ** 2))),
        "memory": memory,
        "memory_before": before,
        "coefficient_difference": difference(np.load(folder / "coefficients.npy"), coefficients),
    }
    distance = difference(np.load(folder / "ours.npy"), theirs)
    print(json.dumps({"variants": {"scikit-learn": seconds}, "difference": distance, "about": {"scikit-learn": about}}))


if __name__ == "__main__":
    main()
