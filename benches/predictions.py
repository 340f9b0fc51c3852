"""Errors on held-out rows of ordinary tables: the automatic fit beside what people use today.

Usage: predictions.py PROGRAM FOLDER [--quick] [--tables a,b] [--limit SECONDS] [--activation NAME]

The tables and their targets are those of certificates.py, by the same rule. A quarter of the rows, drawn with a fixed seed, is
held out; `shallows fit T.csv --target COLUMN --holdout ROWS` learns from the others, and `predict --interval 0.9` predicts the
rows held out, a file without the target, as a user would. The peers, on the same rows: an affine function (ridge, its decay by
leave-one-out), boosted trees and a forest. They get words as 0/1 inputs (an own one for words not seen, all but the 30 most
frequent together), the median for gaps and a 0/1 input that says so; rows whose target is missing are left out of all.

Prints Markdown: a line for each table with the error of each, ours divided by the best of the three, and the share of the
held-out rows that the 90 % intervals cover; then the medians, and every table where ours is more than twice the best.
The same as JSON is in FOLDER/results.json.
"""

import argparse
import io
import json
import os
import subprocess
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from certificates import QUICK, taken_tables, target_of
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

HELD_OUT = 0.25
LEVEL = 0.9
LIMIT = 300.0  # seconds for a fit
TWICE = 2.0  # more than so many times the best of the peers is reported
MOST_WORDS = 30
PEERS = ["affine", "boosting", "forest"]


def split(frame, target):
    """Rows to learn from and rows held out, by their place in the table."""
    known = np.flatnonzero(frame[target].notna())
    order = np.random.default_rng(0).permutation(known)
    held_out = np.sort(order[: int(HELD_OUT * len(known))])
    return np.setdiff1d(known, held_out), held_out


def peer(name, inputs):
    number = [at for at in inputs.columns if pd.api.types.is_numeric_dtype(inputs[at])]
    words = [at for at in inputs.columns if at not in number]
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), StandardScaler())
    categories = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_WORDS, sparse_output=False)
    columns = ColumnTransformer([("numbers", numbers, number), ("words", categories, words)])
    models = {
        "affine": RidgeCV(alphas=np.logspace(-6, 4, 21)),
        "boosting": HistGradientBoostingRegressor(max_iter=500, min_samples_leaf=5, random_state=0),
        "forest": RandomForestRegressor(n_estimators=300, n_jobs=-1, random_state=0),
    }
    return make_pipeline(columns, models[name])


def rmse(predictions, labels):
    return float(np.sqrt(np.mean((np.asarray(predictions) - labels) ** 2)))


def theirs(frame, target, learn, held_out):
    inputs, labels = frame.drop(columns=target), frame[target].to_numpy(float)
    words = [at for at in inputs.columns if not pd.api.types.is_numeric_dtype(inputs[at])]
    inputs = inputs.assign(**{str(at): inputs[at].astype(str) for at in words})
    inputs.columns = inputs.columns.astype(str)
    found = {}
    for name in PEERS:
        since = time.perf_counter()
        model = peer(name, inputs).fit(inputs.iloc[learn], labels[learn])
        seconds = time.perf_counter() - since
        found[name] = {"rmse": rmse(model.predict(inputs.iloc[held_out]), labels[held_out]), "seconds": seconds}
    return found


def ours(program, folder, frame, target, options, held_out, limit):
    data, rows, new, model = (folder / name for name in ["table.csv", "rows.txt", "new.csv", "model.safetensors"])
    frame.to_csv(data, index=False)
    rows.write_text("\n".join(map(str, held_out)) + "\n")
    frame.iloc[held_out].drop(columns=target).to_csv(new, index=False)
    call = [program, "fit", data, "--target", str(target), "--holdout", rows, *options, "--json", "--quiet", "-o", model]
    since = time.perf_counter()
    try:
        fit = subprocess.run(call, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"reason": "over the limit"}
    seconds = time.perf_counter() - since
    if fit.returncode != 0:
        return {"reason": next(iter(fit.stderr.splitlines()), f"exit status {fit.returncode}").removeprefix("error: ")}
    record, labels = json.loads(fit.stdout), frame[target].to_numpy(float)[held_out]
    result = {
        "rmse": record["test"]["rmse"],
        "seconds": seconds,
        "outcome": record["training"].get("outcome") or record["training"].get("set"),
        "claimed": record["training"].get("rmse"),
        "candidates": record["candidates"],
        "gaps": [one.get("relative_gap") for one in record["certificates"]],
    }
    call = [program, "predict", model, new, "--interval", str(LEVEL), "--quiet"]
    predicted = subprocess.run(call, capture_output=True, text=True)
    if predicted.returncode != 0:
        return {**result, "no_intervals": next(iter(predicted.stderr.splitlines()), "")}
    table = pd.read_csv(io.StringIO(predicted.stdout))
    covered = (table["lower"] <= labels) & (labels <= table["upper"])
    # The way by files must lead to the predictions that the fit itself reported.
    differs = abs(rmse(table["prediction"], labels) - result["rmse"]) > 1e-6 * result["rmse"]
    return {**result, "covered": float(covered.mean()), "differs": bool(differs)}


def print_line(result):
    mine = result["ours"]
    errors = " | ".join(f"{result['peers'][name]['rmse']:.4g}" for name in PEERS)
    if "reason" in mine:
        print(f"| {result['table']} | {result['rows']} | {mine['reason']} | {errors} | – | – | – |", flush=True)
        return
    covered = f"{100 * mine['covered']:.0f} %" if "covered" in mine else "–"
    print(
        f"| {result['table']} | {result['rows']} | {mine['rmse']:.4g} ({mine['outcome']}) | {errors} | {result['ratio']:.3f} "
        f"| {covered} | {mine['seconds']:.1f} |",
        flush=True,
    )


def print_summary(results):
    fitted = [result for result in results if "ratio" in result]
    ratios = np.array([result["ratio"] for result in fitted])
    covered = [result["ours"]["covered"] for result in fitted if "covered" in result["ours"]]
    print(f"\n{len(results)} tables, {len(fitted)} can be fitted; error divided by that of the best of {', '.join(PEERS)}:")
    print(
        f"median {np.median(ratios):.3f}; best or within 2 %: {100 * np.mean(ratios <= 1.02):.0f} %; "
        f"more than 10 % worse: {100 * np.mean(ratios > 1.1):.0f} %; more than twice: {np.sum(ratios > TWICE)}"
    )
    for name in PEERS:
        alone = np.array([result["ours"]["rmse"] / result["peers"][name]["rmse"] for result in fitted if result["peers"][name]["rmse"] > 0])
        print(f"- divided by that of {name}: median {np.median(alone):.3f}")
    if covered:
        print(f"{100 * LEVEL:.0f} % intervals cover {100 * np.mean(covered):.1f} % on average over {len(covered)} tables")
    seconds = sorted(result["ours"]["seconds"] for result in fitted)
    print(f"seconds of a fit: median {np.median(seconds):.2f}, most {seconds[-1]:.1f}")
    for result in results:
        mine = result["ours"]
        if "reason" in mine:
            print(f"- {result['table']}: refused: {mine['reason']}")
        elif result["ratio"] > TWICE or mine.get("differs") or "no_intervals" in mine:
            what = "predictions differ from those of the fit; " if mine.get("differs") else ""
            print(f"- {result['table']}: {what}{result['ratio']:.2f} times the best; {mine.get('no_intervals', '')}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help=f"every {QUICK}th table")
    parser.add_argument("--tables", help="only these, separated by commas")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for a fit")
    parser.add_argument("--activation", help="of the fit [default: the automatic fit]")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    tables = list(taken_tables())[:: QUICK if given.quick else 1]
    if given.tables:
        wanted = given.tables.split(",")
        tables = [(name, frame) for name, frame in tables if name in wanted]
    options = ["--activation", given.activation] if given.activation else []
    print(f"errors on held-out rows of {len(tables)} tables")
    print("| table | rows | ours | " + " | ".join(PEERS) + " | ours / best | covered | seconds |")
    print("|---|---|---|" + "---|" * len(PEERS) + "---|---|---|")
    results = []
    for name, frame in tables:
        frame, target = frame.reset_index(drop=True), target_of(frame)
        learn, held_out = split(frame, target)
        frame = frame.iloc[np.sort(np.concatenate([learn, held_out]))].reset_index(drop=True)
        learn, held_out = split(frame, target)
        peers = theirs(frame, target, learn, held_out)
        mine = ours(given.program, given.folder, frame, target, options, held_out, given.limit)
        result = {"table": name, "rows": len(frame), "target": str(target), "peers": peers, "ours": mine}
        if "rmse" in mine:
            best = min(one["rmse"] for one in peers.values())
            # Where both are exact, they are alike.
            floor = 1e-9 * float(frame[target].std())
            result["ratio"] = max(mine["rmse"], floor) / max(best, floor)
        results.append(result)
        print_line(result)
    print_summary(results)
    written = given.folder / "results.json.new"
    written.write_text(json.dumps({"work": "predictions", "tables": results}, indent=1) + "\n")
    os.replace(written, given.folder / "results.json")


if __name__ == "__main__":
    main()
