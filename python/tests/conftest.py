"""What the tests share."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

# Before SciPy is imported: without it scikit-learn skips one of its checks.
os.environ["SCIPY_ARRAY_API"] = "1"

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def energy():
    """The table of the README, as a frame."""
    import pandas

    return pandas.read_csv(ROOT / "examples" / "data" / "energy.csv")


@pytest.fixture
def command(tmp_path):
    """Run the command that was built from the same sources."""
    program = os.environ.get("SHALLOWS_COMMAND", str(ROOT / "target" / "debug" / "shallows"))

    def run(*arguments, succeeds=True):
        words = [program, *map(str, arguments)]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
        assert (done.returncode != 2) == succeeds, done.stderr
        return done.stdout if succeeds else done.stderr

    return run


#: What the command adds to a document: where files are and what it took.
ADDED = frozenset({"seconds", "path", "paths", "plan_path", "model", "figures", "store", "files", "certificate"})


def same(ours, theirs, added=ADDED):
    """Equal key by key, but for what only the command knows."""
    if isinstance(ours, dict):
        keys = (set(ours) | set(theirs)) - added
        return all(key in ours and key in theirs and same(ours[key], theirs[key], added) for key in keys)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(same(one, other, added) for one, other in zip(ours, theirs, strict=True))
    return ours == theirs and type(ours) is type(theirs)


@pytest.fixture
def planted():
    """Samples of a quadratic network with a little noise."""
    random = np.random.default_rng(5)
    X = random.normal(size=(120, 4))
    return X, X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.01 * random.normal(size=120)
