"""Accuracy and time on public tables: one certified network, Shallows at three efforts and scikit-learn, on the same splits in the same run.

Usage: tables.py SHALLOWS FOLDER [--splits N] [--tables a,b] [--methods a,b]

For each table and split every method is fitted on the training rows and judged on the test rows of the split; the
methods take turns, split after split. Every result is appended to FOLDER/results.jsonl at once, and what is there
already is not measured again: an interrupted run goes on where it was. Prints Markdown.
"""

import argparse
import json
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

DATA = Path(__file__).resolve().parent.parent / "examples" / "data"
EFFORTS = ["quick", "normal", "best"]
OURS = ["wide", *EFFORTS]
PEERS = ["mlp", "polynomial", "boosting"]
NAMES = {
    "wide": "Shallows, --activation wide",
    "quick": "Shallows, --effort quick",
    "normal": "Shallows, defaults",
    "best": "Shallows, --effort best",
    "mlp": "MLPRegressor, L-BFGS, 4 decays",
    "polynomial": "PolynomialFeatures + RidgeCV",
    "boosting": "HistGradientBoosting, 500 trees",
}


def mlp(X, y):
    """100 relu units by L-BFGS; the decay from four values by a hold-out of a quarter, then all rows."""
    scale_y = StandardScaler().fit(y[:, None])
    z = scale_y.transform(y[:, None])[:, 0]

    def fitted(alpha, rows, labels):
        network = MLPRegressor(
            hidden_layer_sizes=(100,), solver="lbfgs", alpha=alpha, max_iter=2000, random_state=0
        )
        return make_pipeline(StandardScaler(), network).fit(rows, labels)

    A, B, a, b = train_test_split(X, z, test_size=0.25, random_state=0)
    alphas = [1e-4, 1e-3, 1e-2, 1e-1]
    errors = [np.mean((fitted(alpha, A, a).predict(B) - b) ** 2) for alpha in alphas]
    model = fitted(alphas[int(np.argmin(errors))], X, z)
    return lambda rows: scale_y.inverse_transform(model.predict(rows)[:, None])[:, 0]


def polynomial(X, y):
    alphas = np.logspace(-6, 3, 19)
    steps = [StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(), RidgeCV(alphas=alphas)]
    return make_pipeline(*steps).fit(X, y).predict


def boosting(X, y):
    # The default of 20 rows per leaf cannot follow tables of a few hundred rows.
    model = HistGradientBoostingRegressor(max_iter=500, min_samples_leaf=5, random_state=0)
    return model.fit(X, y).predict


def peer(method, X, y, test):
    since = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predict = {"mlp": mlp, "polynomial": polynomial, "boosting": boosting}[method](X, y)
    seconds = time.perf_counter() - since
    inputs, labels = test
    return {"rmse": float(np.sqrt(np.mean((predict(inputs) - labels) ** 2))), "seconds": seconds}


def ours(shallows, method, table, test_rows, names, test):
    """Through the command line, as a user would, from the file to the saved model."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        rows = folder / "rows.txt"
        rows.write_text("\n".join(str(row) for row in test_rows) + "\n", encoding="utf-8")
        model = folder / "model.safetensors"
        certificate = folder / "certificate.json"
        kind = ["--activation", "wide"] if method == "wide" else ["--effort", method]
        flags = [*kind, "--holdout", rows, "-o", model, "--certificate", certificate, "--json"]
        since = time.perf_counter()
        run = subprocess.run([shallows, "fit", table, *flags], capture_output=True, check=True, text=True)
        seconds = time.perf_counter() - since
        record = json.loads(run.stdout)
        inputs, labels = test
        fresh = folder / "fresh.csv"
        np.savetxt(fresh, inputs, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
        run = subprocess.run(
            [shallows, "predict", model, fresh, "--interval", "0.9", "--json"], capture_output=True, check=True, text=True
        )
        answer = json.loads(run.stdout)
        low, high = np.array(answer["lower"]), np.array(answer["upper"])
        return {
            "rmse": record["test"]["rmse"],
            "seconds": seconds,
            "covered": int(np.sum((low <= labels) & (labels <= high))),
            "fresh": len(labels),
            "width": float(np.median(high - low)),
            "gaps": [one["relative_gap"] for one in record["certificates"] if one["theorem"] == "wide-optimum"],
        }


def results_of(path):
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {(line["table"], line["split"], line["method"]): line for line in lines}


def print_table(name, results, methods, splits):
    print(f"\n| {name} | splits | test RMSE | ± s.e. | seconds (median) | MLP = 1 | covered by 90 % intervals | largest gap |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    chosen = {m: [results[name, s, m] for s in range(splits) if (name, s, m) in results] for m in methods}
    base = np.median([line["seconds"] for line in chosen.get("mlp", [])]) if chosen.get("mlp") else float("nan")
    for method, lines in chosen.items():
        if not lines:
            continue
        rmse = np.array([line["rmse"] for line in lines])
        error = rmse.std(ddof=1) / np.sqrt(len(rmse)) if len(rmse) > 1 else float("nan")
        seconds = np.median([line["seconds"] for line in lines])
        fresh = sum(line.get("fresh", 0) for line in lines)
        gaps = [gap for line in lines for gap in line.get("gaps", [])]
        covered = f"{100 * sum(line['covered'] for line in lines) / fresh:.1f} %" if fresh else "–"
        print(
            f"| {NAMES[method]} | {len(lines)} | {rmse.mean():.4g} | {error:.2g} | {seconds:.2f} "
            f"| {seconds / base:.2g} | {covered} | {f'{max(gaps):.1e}' if gaps else '–'} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shallows")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--tables", default="yacht,energy,concrete")
    parser.add_argument("--methods", default=",".join(OURS + PEERS))
    args = parser.parse_args()
    tables, methods = args.tables.split(","), args.methods.split(",")
    args.folder.mkdir(parents=True, exist_ok=True)
    path = args.folder / "results.jsonl"
    results = results_of(path)
    for split in range(args.splits):
        for name in tables:
            table = DATA / f"{name}.csv"
            names = table.read_text(encoding="utf-8").splitlines()[0].split(",")[:-1]
            numbers = np.loadtxt(table, delimiter=",", skiprows=1)
            test_rows = json.loads((DATA / f"{name}.splits.json").read_text(encoding="utf-8"))["test"][split]
            train_rows = np.setdiff1d(np.arange(len(numbers)), test_rows)
            X, y = numbers[train_rows, :-1], numbers[train_rows, -1]
            test = numbers[test_rows, :-1], numbers[test_rows, -1]
            for method in methods:
                if (name, split, method) in results:
                    continue
                if method in OURS:
                    found = ours(args.shallows, method, table, test_rows, names, test)
                else:
                    found = peer(method, X, y, test)
                line = {"table": name, "split": split, "method": method, **found}
                results[name, split, method] = line
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        for name in tables:
            print(f"split {split}, {name}: " + ", ".join(
                f"{m} {results[name, split, m]['rmse']:.4g}" for m in methods), flush=True)
    for name in tables:
        print_table(name, results, methods, args.splits)


if __name__ == "__main__":
    main()
