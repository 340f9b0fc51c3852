"""The package end to end against scikit-learn: fit, predict, error on rows left out, and what a call costs.

Usage: python.py [--quick]

For each table and split every method is fitted on the training rows and judged on the test rows of the split; the methods
take turns, split after split, in one process. Prints Markdown.
"""

import argparse
import json
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
from shallows import QuadraticRegressor, ShallowsRegressor
from sklearn.linear_model import RidgeCV
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

DATA = Path(__file__).resolve().parent.parent / "examples" / "data"
DECAYS = np.logspace(-6, 3, 19)


class ScaledLabels:
    """An MLP on standardised inputs and labels, as its authors advise."""

    def __init__(self, **settings):
        network = MLPRegressor(hidden_layer_sizes=(100,), max_iter=2000, random_state=0, **settings)
        self.network, self.labels = make_pipeline(StandardScaler(), network), StandardScaler()

    def fit(self, X, y):
        self.network.fit(X, self.labels.fit_transform(y[:, None])[:, 0])
        return self

    def predict(self, X):
        return self.labels.inverse_transform(self.network.predict(X)[:, None])[:, 0]


METHODS = {
    "QuadraticRegressor": lambda: QuadraticRegressor(),
    "ShallowsRegressor, quick": lambda: ShallowsRegressor(effort="quick"),
    "PolynomialFeatures + RidgeCV": lambda: make_pipeline(
        StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(), RidgeCV(DECAYS)
    ),
    "MLPRegressor, Adam": lambda: ScaledLabels(),
    "MLPRegressor, L-BFGS": lambda: ScaledLabels(solver="lbfgs", alpha=1.0),
}


def measured(make, X, y, fresh, labels):
    """Seconds of the fit and of the prediction, and the error on rows left out."""
    model = make()
    since = time.perf_counter()
    model.fit(X, y)
    fit = time.perf_counter() - since
    since = time.perf_counter()
    predictions = model.predict(fresh)
    predict = time.perf_counter() - since
    return fit, predict, float(np.sqrt(np.mean((predictions - labels) ** 2)))


def compare(name, splits):
    numbers = np.loadtxt(DATA / f"{name}.csv", delimiter=",", skiprows=1)
    tests = json.loads((DATA / f"{name}.splits.json").read_text(encoding="utf-8"))["test"][:splits]
    found = {method: [] for method in METHODS}
    for test in tests:
        train = np.setdiff1d(np.arange(len(numbers)), test)
        rows = [np.ascontiguousarray(numbers[part]) for part in (train, test)]
        (X, y), (fresh, labels) = [(np.ascontiguousarray(part[:, :-1]), part[:, -1].copy()) for part in rows]
        for method, make in METHODS.items():
            found[method].append(measured(make, X, y, fresh, labels))
    print(f"\n{name}: {numbers.shape[0]} rows, {numbers.shape[1] - 1} inputs, {len(tests)} splits in turns, medians\n")
    print("| method | fit | × ours | predict | RMSE on rows left out | × ours |")
    print("|---|---|---|---|---|---|")
    ours = [statistics.median(column) for column in zip(*found["QuadraticRegressor"])]
    for method, results in found.items():
        fit, predict, rmse = (statistics.median(column) for column in zip(*results))
        print(
            f"| {method} | {1e3 * fit:.2f} ms | {fit / ours[0]:.2f} | {1e6 * predict:.0f} µs | {rmse:.4g} "
            f"| {rmse / ours[2]:.2f} |"
        )


def call(repetitions):
    """What a call costs beyond the library's own time, and what a tiny fit takes with each method."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = X[:, 0] * X[:, 1]
    model = QuadraticRegressor(decay=1e-3)
    peer = make_pipeline(PolynomialFeatures(2, include_bias=False), RidgeCV([1e-3]))
    whole, beyond, theirs = [], [], []
    for _ in range(repetitions):
        since = time.perf_counter()
        model.fit(X, y)
        whole.append(time.perf_counter() - since)
        beyond.append(whole[-1] - model.seconds_)
        since = time.perf_counter()
        peer.fit(X, y)
        theirs.append(time.perf_counter() - since)
    print(f"\na tiny fit, 20 rows of 2 inputs, {repetitions} calls in turns, best and median\n")
    print("| what | best | median |")
    print("|---|---|---|")
    names = ("QuadraticRegressor.fit", "of it beyond the library's own time", "PolynomialFeatures + RidgeCV, one decay")
    for name, seconds in zip(names, (whole, beyond, theirs)):
        print(f"| {name} | {1e6 * min(seconds):.0f} µs | {1e6 * statistics.median(seconds):.0f} µs |")
    print(f"\ntheirs/ours of the medians: {statistics.median(theirs) / statistics.median(whole):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("energy", "concrete"):
            compare(name, 2 if quick else 10)
        call(100 if quick else 1000)


if __name__ == "__main__":
    main()
