"""Run exported models in onnxruntime and open model files with the safetensors package.

Usage: check_exports.py TARGET    (cargo's target folder, after `cargo test --test fit model_files::`)

An error is measured against the sizes of all terms of the sum, which the case brings along: 1e-6 of that in
single precision, 1e-12 in double. Weights must be equal bit for bit.
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

ALLOWED = {"f32": 1e-6, "f64": 1e-12}
TYPES = {"f32": np.float32, "f64": np.float64}


def onnx_error(case, precision):
    """The largest error of a case, relative to the sizes of its terms."""
    path = case / f"{precision}.onnx"
    onnx.checker.check_model(onnx.load(path), full_check=True)
    X, expected, sizes = (np.load(case / f"{name}.npy") for name in ("inputs", "expected", "sizes"))
    X = X.astype(TYPES[precision])
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (y,) = session.run(["prediction"], {"inputs": X})
    assert y.dtype == TYPES[precision] and y.shape == (len(X),), (y.dtype, y.shape)
    assert np.isfinite(y).all(), f"{path}: not finite"
    floor = np.finfo(TYPES[precision]).tiny
    error = np.abs(y - expected) / (sizes + floor / ALLOWED[precision])
    for i in range(0, len(X), 17):
        (one,) = session.run(["prediction"], {"inputs": X[i : i + 1]})
        assert one.shape == (1,), one.shape
        single = abs(one[0] - expected[i]) / (sizes[i] + floor / ALLOWED[precision])
        error[i] = max(error[i], single)
    (none,) = session.run(["prediction"], {"inputs": X[:0]})
    assert none.shape == (0,), none.shape
    return error.max()


def check_weights(case):
    """The safetensors file and the JSON export hold the same bits; returns the activations."""
    path = case / "model.safetensors"
    weights = load_file(path)
    exported = json.loads((case / "model.json").read_text(encoding="utf-8"))
    groups = exported.get("groups", [exported])
    suffixes = [f".{group['activation']}" if len(groups) > 1 else "" for group in groups]
    parts = [(group, letter, letter + suffix) for group, suffix in zip(groups, suffixes) for letter in "Wvu"]
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
    model = onnx.load(case / "f64.onnx")
    for tensor in model.graph.initializer:
        if tensor.name in weights:
            assert onnx.numpy_helper.to_array(tensor).tobytes() == weights[tensor.name].tobytes(), tensor.name
    about = {entry.key: entry.value for entry in model.metadata_props}
    assert json.loads(about["inputs"]) == exported["inputs"] and about["target"] == described["target"]
    assert json.loads(about["recipe"]) == exported["recipe"] and about["target_scale"] == exported["target_scale"]
    ends_with_exp = [node.op_type for node in model.graph.node if "prediction" in node.output] == ["Exp"]
    assert ends_with_exp == (exported["target_scale"] == "log"), path
    return " + ".join(described["activations"])


def main(target):
    folder = Path(target) / "tmp" / "exports"
    cases = sorted(path.parent for path in folder.glob("*/f64.onnx"))
    if not cases:
        sys.exit(f"{folder} holds no cases: run `cargo test --test fit model_files::` first")
    worst = defaultdict(float)
    for case in cases:
        activation = check_weights(case)
        for precision in ALLOWED:
            worst[activation, precision] = max(worst[activation, precision], onnx_error(case, precision))
    failed = 0
    for (activation, precision), error in worst.items():
        good = error <= ALLOWED[precision]
        failed += not good
        print(f"{activation:28} {precision}  {error:.1e}  {'ok' if good else 'TOO LARGE'}")
    print(f"{len(cases)} cases, {failed} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
