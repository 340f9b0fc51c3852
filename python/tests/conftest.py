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


#: What differs between two runs, or between arrays and files: the time, and where files are. Both documents have the key.
OTHERWISE = frozenset({"seconds", "path", "store", "files"})
#: What a document has only where a file is written.
WRITTEN = frozenset({"plan_path", "paths", "figures"})


def same(ours, theirs, otherwise=OTHERWISE):
    """Whether two documents have the same keys, and the same values but for times and places."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = [set(document) - WRITTEN for document in (ours, theirs)]
        return keys[0] == keys[1] and all(key in otherwise or same(ours[key], theirs[key], otherwise) for key in keys[0])
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(same(one, other, otherwise) for one, other in zip(ours, theirs, strict=True))
    # A file that was not written is not named.
    is_place = isinstance(theirs, dict) and set(theirs) == {"path"}
    return (ours is None and is_place) or (ours == theirs and type(ours) is type(theirs))


@pytest.fixture
def planted():
    """Samples of a quadratic network with a little noise."""
    random = np.random.default_rng(5)
    X = random.normal(size=(120, 4))
    return X, X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.01 * random.normal(size=120)
