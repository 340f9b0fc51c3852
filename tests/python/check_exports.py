"""Run exported models in onnxruntime and open model files with the safetensors package.

Usage: check_exports.py TARGET    (cargo's target folder, after `cargo test --test fit exports`)

A graph takes the columns of a table as they are: numbers as doubles with NaN for a gap, words as strings; predictions are
doubles. An error is
measured against the sizes of all terms of the sum, which the case brings along: 1e-6 of that in single precision,
1e-13 in double, and besides the last digit of the prediction. Where `predict` refuses a row, the prediction must be NaN. Weights must be equal bit for bit.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from safetensors import safe_open
from safetensors.numpy import load_file

ALLOWED = {"f32": 1e-6, "f64": 1e-13}
TYPES = {"f32": np.float32, "f64": np.float64}


def fed(case, session):
    """The columns of a case, as the graph asks for them."""
    columns = {column["name"]: column["values"] for column in json.loads((case / "columns.json").read_text("utf-8"))}
    kinds = {entry.name: entry.type for entry in session.get_inputs()}
    assert list(columns) == list(kinds), f"{case}: {list(columns)} for {list(kinds)}"
    assert set(kinds.values()) <= {"tensor(double)", "tensor(string)"}, f"{case}: {kinds}"
    assert all(entry.shape == ["N"] for entry in session.get_inputs()), case
    types = {"tensor(double)": np.float64, "tensor(string)": object}
    return {name: np.array(values, dtype=types[kinds[name]]) for name, values in columns.items()}


def onnx_error(case, precision):
    """The largest error of a case, relative to the sizes of its terms."""
    path = case / f"{precision}.onnx"
    onnx.checker.check_model(onnx.load(path), full_check=True)
    expected, sizes = (np.load(case / f"{name}.npy") for name in ("expected", "sizes"))
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    feed = fed(case, session)
    [name] = [entry.name for entry in session.get_outputs()]
    assert name == ("prediction_" if "prediction" in feed else "prediction"), name
    floor, last_digit = np.finfo(TYPES[precision]).tiny, np.finfo(np.float64).eps

    def error(rows):
        (y,) = session.run([name], {column: values[rows] for column, values in feed.items()})
        assert y.dtype == np.float64 and y.shape == expected[rows].shape, (y.dtype, y.shape)
        assert (np.isnan(y) == np.isnan(expected[rows])).all(), f"{path}: NaN in other rows"
        assert not np.isinf(y).any(), f"{path}: not finite"
        known = ~np.isnan(y)
        beyond = np.abs(y - expected[rows]) - last_digit * np.abs(expected[rows])
        found = np.maximum(beyond, 0.0) / (sizes[rows] + floor / ALLOWED[precision])
        return found[known].max(initial=0.0)

    n = len(expected)
    return max([error(slice(0, n)), error(slice(0, 0))] + [error(slice(i, i + 1)) for i in range(0, n, 3)])


def check_weights(case):
    """The safetensors file and the JSON export hold the same bits; returns the activations."""
    path = case / "model.safetensors"
    model = onnx.load(case / "f64.onnx")
    about = {entry.key: entry.value for entry in model.metadata_props}
    if not path.exists():
        return about["activation"]
    weights = load_file(path)
    exported = json.loads((case / "model.json").read_text(encoding="utf-8"))
    groups = exported.get("groups", [exported] if "activation" in exported else [])
    suffixes = [f".{group['activation']}" if len(groups) > 1 else "" for group in groups]
    parts = [(group, letter, letter + suffix) for group, suffix in zip(groups, suffixes) for letter in "Wvu"]
    for at, member in enumerate(exported.get("wide", []), 1):
        parts += [(member, part, f"wide{at}.{part}") for part in ("centres", "alpha")]
    for group, letter, name in parts + [(exported, "c", "c"), (exported, "b", "b")]:
        if name in weights:
            assert weights[name].dtype == np.float64
            numbers = np.array(group[letter], dtype=np.float64).reshape(weights[name].shape)
            assert weights[name].tobytes() == numbers.tobytes(), f"{path}: {name}"
        else:
            assert letter not in group, f"{path}: {name}"
    with safe_open(path, framework="np") as file:
        described = json.loads(file.metadata()["shallows"])
    for name in ("recipe", "target", "seed", "version"):
        assert described[name] == exported[name], f"{path}: {name}"
    assert described["activations"] == [group["activation"] for group in groups], path
    found = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    columns = {entry.name for entry in model.graph.input}
    # Of a network without units only the affine part is in the graph.
    for name in [name for name in weights if not name.startswith(("wide", "calibration", "fold")) and weights[name].size]:
        assert found[name + "_" * (name in columns)].tobytes() == weights[name].tobytes(), f"{path}: {name}"
    assert json.loads(about["inputs"]) == exported["inputs"] and about["target"] == described["target"]
    assert json.loads(about["recipe"]) == exported["recipe"] and about["target_scale"] == exported["target_scale"]
    output = model.graph.output[0].name
    ends_with_exp = [node.op_type for node in model.graph.node if output in node.output] == ["Exp"]
    assert ends_with_exp == (exported["target_scale"] == "log"), path
    laws = [layer["law"] for member in exported.get("wide", []) for layer in member["layers"]]
    return " + ".join(described["activations"] + sorted(set(laws)))


def main(target):
    cases = sorted(path.parent for path in (Path(target) / "tmp").glob("exports*/*/f64.onnx"))
    if not any("exports-of-tables" in str(case) for case in cases):
        sys.exit(f"{target} holds no cases: run `cargo test --test fit exports` first")
    worst = defaultdict(float)
    for case in cases:
        activation = check_weights(case)
        for precision in ALLOWED:
            worst[activation, precision] = max(worst[activation, precision], onnx_error(case, precision))
    failed = 0
    for (activation, precision), error in worst.items():
        good = error <= ALLOWED[precision]
        failed += not good
        print(f"{activation:40} {precision}  {error:.1e}  {'ok' if good else 'TOO LARGE'}")
    print(f"{len(cases)} cases, {failed} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
