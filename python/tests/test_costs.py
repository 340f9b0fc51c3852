"""What the way through Python costs: no copy of X."""

import os
import subprocess
import sys

import pytest

MEMORY = """
import re, sys
import numpy as np
import shallows

def peak():
    with open("/proc/self/status") as status:
        return 1024 * int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read())[1])

n, d = 600_000, 24
X = np.empty((n, d), order=sys.argv[2])
X[:] = np.random.default_rng(0).normal(size=d)
X[:, 0] += np.arange(n) / n
for j in range(1, d):
    X[j :: d + j, j] += 1.0
y = X[:, 0] ** 2
network = shallows.from_weights(np.ones((3, d)), np.ones(3), activation="relu")
before = peak()
if sys.argv[1] == "predict":
    network.predict(X)
elif sys.argv[1] == "certify":
    shallows.certify(shallows.from_weights(np.eye(d)[:2], np.ones(2), activation="quadratic"), X, y)
else:
    model = shallows.QuadraticRegressor(decay=0.0, scaling=False)
    model.fit(X, y)
print((peak() - before) / X.nbytes)
"""


def added(work, order):
    """The growth of the memory as a share of an X of 115 MB."""
    if not os.path.exists("/proc/self/status"):
        pytest.skip("the memory is looked at where the system tells")
    words = [sys.executable, "-c", MEMORY, work, order]
    return float(subprocess.run(words, capture_output=True, text=True, timeout=300, check=True).stdout)


@pytest.mark.parametrize("work", ["predict", "fit", "certify"])
def test_only_an_X_that_is_not_row_after_row_is_copied(work):
    # What the work needs for itself is the same for both.
    assert added(work, "F") - added(work, "C") > 0.8
