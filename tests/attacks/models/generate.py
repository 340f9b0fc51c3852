"""Write the hostile model files of this folder, and expected.tsv: file, what the error must say.

Usage: python3 generate.py
"""

import json
import struct
from pathlib import Path

HERE = Path(__file__).parent
OURS = {"format": 1, "activation": "tanh", "inputs": ["a", "b"], "target": "y", "seed": 1, "version": "0.1.0"}
W = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
V = [1.0, -1.0, 0.5]
EXPECTED = []


def tensor(dtype, shape, start, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


def doubles(numbers):
    return struct.pack(f"<{len(numbers)}d", *numbers)


def sound(**changes):
    """The header of a sound model with changes (None: without that entry)."""
    header = {
        "__metadata__": {"shallows": json.dumps(OURS)},
        "W": tensor("F64", [3, 2], 0, 48),
        "v": tensor("F64", [3], 48, 72),
    }
    header.update(changes)
    return {name: entry for name, entry in header.items() if entry is not None}


def described(**changes):
    return sound(__metadata__={"shallows": json.dumps(OURS | changes)})


def raw(name, content, reason):
    (HERE / f"{name}.safetensors").write_bytes(content)
    EXPECTED.append(f"{name}.safetensors\t{reason}")


def write(name, header, reason, data=doubles(W + V)):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    raw(name, struct.pack("<Q", len(text)) + text + data, reason)


raw("empty", b"", "empty")
raw("a-csv", b"area,height,y\n1,2,3\n4,5,6\n7,8,9\n", "not a safetensors file")
raw("seven-bytes", b"\0" * 7, "not a safetensors file")
raw("control-characters", b"\x1b[31m\x07\n\r" * 9, "not a safetensors file")
raw("header-length-huge", b"\xff" * 8 + b"{}", "not a safetensors file")
raw("header-length-beyond-the-file", struct.pack("<Q", 99_999_999) + b"{}", "cut off")
raw("header-not-utf8", struct.pack("<Q", 4) + b'{"\xff"', "not a safetensors file")
raw("header-of-length-0", struct.pack("<Q", 0), "not a safetensors file")
write("header-a-number", b"42", "not a safetensors file")
write("header-a-list", b"[1, 2]", "not a safetensors file")
write("header-deep", b'{"W":' + b"[" * 100_000, "not a safetensors file")
write("header-unclosed", json.dumps(sound()).encode()[:-1], "not a safetensors file")

write("shape-huge", sound(W=tensor("F64", [1 << 30, 1 << 30], 0, 48)), "not a safetensors file")
write("shape-overflows", sound(W=tensor("F64", [1 << 40, 1 << 40], 0, 48)), "not a safetensors file")
write("shape-negative", sound(W=tensor("F64", [-3, 2], 0, 48)), "not a safetensors file")
write("shape-fractional", sound(W=tensor("F64", [3.5, 2], 0, 48)), "not a safetensors file")
write("shape-huge-and-offsets-agree", sound(W=tensor("F64", [1 << 40, 1], 0, 1 << 43), v=None), "more than a model file")
write("offsets-overlap", sound(v=tensor("F64", [3], 40, 64)), "not a safetensors file")
write("offsets-beyond-the-end", sound(v=tensor("F64", [300], 48, 2448)), "bytes of weights")
write("offsets-backwards", sound(v=tensor("F64", [3], 72, 48)), "not a safetensors file")
write("offsets-with-a-gap", sound(v=tensor("F64", [3], 56, 80)), "not a safetensors file")
# Eight tensors whose sizes add up to just under 2^64: adding the length of the header overflows.
EIGHTH = (1 << 61) - 1
write(
    "offsets-to-the-end-of-the-numbers",
    {f"t{i}": tensor("U8", [EIGHTH], i * EIGHTH, (i + 1) * EIGHTH) for i in range(8)}
    | {"u": tensor("U8", [7], 8 * EIGHTH, 8 * EIGHTH + 7)},
    "more than a model file",
)
write("bytes-left-over", sound(), "bytes of weights", doubles(W + V + [0.0]))
write("bytes-missing", sound(), "bytes of weights", doubles(W + V)[:-1])

write("type-integer", sound(W=tensor("I64", [3, 2], 0, 48)), "I64, not f64 or f32")
write("type-half", sound(W=tensor("BF16", [12, 2], 0, 48), v=tensor("F64", [3], 48, 72)), "shape")
write("type-half-weights", sound(W=tensor("F16", [3, 8], 0, 48)), "F16, not f64 or f32")
write("type-unknown", sound(W=tensor("F65", [3, 2], 0, 48)), "not a safetensors file")
write("nan", sound(), '"W" holds a NaN', doubles([float("nan")] + W[1:] + V))
write("infinity", sound(), '"v" holds a NaN or an infinity', doubles(W + [1.0, float("-inf"), 1.0]))

write("no-w", sound(W=None, v=tensor("F64", [9], 0, 72)), 'no tensor "W"')
write("no-v", sound(W=tensor("F64", [3, 3], 0, 72), v=None), 'no tensor "v"')
write("no-tensors", sound(W=None, v=None), 'no tensor "W"', b"")
write("unknown-tensor", sound(v=None, Z=tensor("F64", [3], 48, 72)), '"Z" is not part')
write("calibration-unasked", sound(v=tensor("F64", [2], 48, 64), calibration=tensor("F64", [1], 64, 72)), "is not part")
write("unknown-tensor-with-a-long-name", {"\n\x1b" * 5000: tensor("F64", [9], 0, 72)}, "is not part")
write("w-a-vector", sound(W=tensor("F64", [6], 0, 48)), "k×d")
write("w-of-three-dimensions", sound(W=tensor("F64", [3, 2, 1], 0, 48)), "k×d")
write("w-of-many-dimensions", sound(W=tensor("F64", [6] + [1] * 5000, 0, 48)), "k×d")
write("v-too-long", sound(W=tensor("F64", [2, 3], 0, 48)), 'tensor "v" has the shape [3], expected [2]')
write("v-a-square", sound(W=tensor("F64", [5, 1], 0, 40), v=tensor("F64", [2, 2], 40, 72)), "expected [5]")
write(
    "bias-too-short",
    sound(u=tensor("F64", [2], 72, 88)),
    'tensor "u" has the shape [2], expected [3]',
    doubles(W + V + V[:2]),
)
write("two-intercepts", sound(c=tensor("F64", [2], 72, 88)), 'tensor "c"', doubles(W + V + V[:2]))
write("linear-too-long", sound(b=tensor("F64", [3], 72, 96)), 'tensor "b"', doubles(W + V + V))
write(
    "columns-out-of-nothing",
    sound(W=tensor("F64", [0, 1 << 60], 0, 0), v=tensor("F64", [0], 0, 0)),
    "at least one row",
    b"",
)
write(
    "rows-out-of-nothing",
    sound(W=tensor("F64", [1 << 60, 0], 0, 0), v=tensor("F64", [0], 0, 0)),
    'tensor "v"',
    b"",
)

write("metadata-not-json", sound(__metadata__={"shallows": "\x1b]0;title\x07{{{"}), "metadata cannot be read")
write("metadata-a-list", sound(__metadata__={"shallows": "[1,2,3]"}), "metadata cannot be read")
write("metadata-deep", sound(__metadata__={"shallows": "[" * 100_000}), "metadata cannot be read")
write("metadata-without-activation", sound(__metadata__={"shallows": '{"format":1}'}), "metadata cannot be read")
write("metadata-not-strings", sound(__metadata__={"shallows": 7}), "not a safetensors file")
def number(name, **changes):
    return {"name": name, "treatment": {"number": {"median": 1.0, "gaps": "never"} | changes}}


def category(name, **changes):
    words = {"reference": "red", "levels": ["blue"], "other": False, "gaps": "never"}
    return {"name": name, "treatment": {"category": words | changes}}


SECOND = {key: value for key, value in OURS.items() if key not in ("activation", "inputs")} | {
    "format": 2,
    "recipe": [number("a"), number("b")],
    "activations": ["tanh"],
    "calibration": None,
}


def second(reason, name, tensors=None, data=doubles(W + V), **changes):
    header = sound(**(tensors or {}))
    write(name, header | {"__metadata__": {"shallows": json.dumps(SECOND | changes)}}, reason, data)


SCORES = {"v": tensor("F64", [3], 48, 72), "calibration": tensor("F64", [2], 72, 88)}
second("metadata cannot be read", "activations-none", activations=[])
second("metadata cannot be read", "activations-repeated", activations=["softplus", "softplus:1"])
second("metadata cannot be read", "unknown-field", extra=1)
second("is not part", "activations-of-other-tensors", activations=["tanh", "relu"])
second('no tensor "calibration"', "calibration-missing", calibration="split")
second("is invalid", "calibration-negative", SCORES, doubles(W + V + [1.0, -1.0]), calibration="split")
second('"calibration" holds a NaN', "calibration-nan", SCORES, doubles(W + V + [1.0, float("nan")]), calibration="split")
second('no tensor "fold1.W"', "calibration-without-folds", calibration={"cross": [["tanh"], ["tanh"]]})
second("metadata cannot be read", "calibration-of-another-kind", calibration="jackknife")
second("is invalid", "calibration-of-no-folds", calibration={"cross": []})
second("is not part", "calibration-twice", SCORES, doubles(W + V + [1.0, 1.0]), calibration={"cross": []})
second("names 1 inputs, but W has 2", "recipe-too-short", recipe=[number("a")])
second("names 3 inputs, but W has 2", "recipe-too-long", recipe=[number("a"), number("b", gaps="input")])
second("names 0 inputs, but W has 2", "recipe-empty", recipe=[])
second("recipe cannot be applied", "recipe-repeats-a-column", recipe=[number("a"), number("a")])
second("recipe cannot be applied", "recipe-repeats-an-input", recipe=[number("a=blue"), category("a")])
second("recipe cannot be applied", "recipe-repeats-a-level", recipe=[category("a", levels=["blue", "blue"])])
second("recipe cannot be applied", "recipe-level-is-reference", recipe=[category("a", levels=["blue", "red"])])
second("metadata cannot be read", "recipe-median-infinite", recipe=[number("a"), number("b", median=float("inf"))])
second("metadata cannot be read", "recipe-median-a-word", recipe=[number("a"), number("b", median="1")])
second("metadata cannot be read", "recipe-unknown-field", recipe=[number("a"), number("b", mean=1.0)])
second("metadata cannot be read", "recipe-unknown-treatment", recipe=[number("a"), {"name": "b", "treatment": "log"}])
second("two of its columns", "recipe-uses-the-target", recipe=[number("a"), number("y")])
write("format-of-the-future", described(format=4), "format 4")

# Infinitely wide networks: three rows of two inputs, a rough layer and an affine one.
WIDE = {
    "weight": 1.0,
    "set": "rough-relu",
    "kept": [0, 1],
    "input_mean": [0.0, 0.0],
    "input_deviation": [1.0, 1.0],
    "curves": None,
    "target_mean": 0.0,
    "target_deviation": 1.0,
    "unit": 1.0,
    "noise": 0.1,
    "left_out_error": 0.5,
    "layers": [
        {"law": "rough-by-input", "signal": 1.0, "scales": [1.0, 2.0], "bias": 0.0},
        {"law": "affine", "signal": 1.0, "scales": [], "bias": 0.0},
    ],
}
WIDE_TENSORS = {"centres": W, "weights": [1.0, 1.0, 1.0], "alpha": V, "left_out": [0.1, 0.2, 0.3]}


def wide(reason, name, tensors=None, calibration=None, **changes):
    tensors = WIDE_TENSORS | (tensors or {})
    members = [WIDE | changes]
    ours = SECOND | {"format": 3, "activations": [], "calibration": calibration, "wide": members}
    header = {"__metadata__": {"shallows": json.dumps(ours)}}
    data, prefix = b"", "wide1."
    for part, numbers in tensors.items():
        if numbers is not None:
            shape = [len(numbers) // 2, 2] if part == "centres" else [len(numbers)]
            header[prefix + part] = tensor("F64", shape, len(data), len(data) + 8 * len(numbers))
            data += doubles(numbers)
    write(f"wide-{name}", header, reason, data)


NAN, INFINITY = float("nan"), float("inf")
ROUGH = {"law": "rough-by-input", "signal": 1.0, "scales": [1.0, 2.0], "bias": 0.0}
wide("unknown layer", "unknown-law", layers=[ROUGH | {"law": "smooth"}])
wide("unknown set of layers", "unknown-set", set="all")
wide("at least one layer", "no-layers", layers=[])
wide("scales of a wide layer", "scales-missing", layers=[ROUGH | {"scales": [1.0]}])
wide("positive numbers", "scale-zero", layers=[ROUGH | {"scales": [1.0, 0.0]}])
wide("positive numbers", "signal-negative", layers=[ROUGH | {"signal": -1.0}])
wide("metadata cannot be read", "signal-infinite", layers=[ROUGH | {"signal": INFINITY}])
wide("metadata cannot be read", "noise-not-a-number", noise=NAN)
wide("NaN", "noise-zero", noise=0.0)
wide("NaN", "unit-zero", unit=0.0)
wide("alpha", "alpha-not-a-number", {"alpha": [1.0, NAN, 1.0]})
wide("coefficients of centres", "alpha-short", {"alpha": [1.0, 1.0]})
wide("weights of centres", "weights-short", {"weights": [1.0, 1.0]})
wide("NaN", "weights-negative", {"weights": [1.0, -1.0, 1.0]})
wide("centres", "centres-infinite", {"centres": [1.0, 2.0, 3.0, 4.0, 5.0, INFINITY]})
wide("centres", "centres-missing", {"centres": None})
wide("wide1.more", "tensor-of-no-use", {"more": [1.0]})
wide("wide1.values", "curves-unasked", {"values": [1.0], "ranks": [0.5]})
wide("curves of ranks", "curves-of-other-lengths", {"values": [1.0], "ranks": [0.5]}, curves=[1, 1])
wide("curves of ranks", "curves-endless", {"values": [1.0], "ranks": [0.5]}, curves=[2**63, 2**63])
wide("inputs of a wide network", "curves-empty", {"values": [], "ranks": []}, curves=[0, 0])
wide("inputs of a wide network", "curves-falling", {"values": [2.0, 1.0, 1.0], "ranks": [0.2, 0.4, 0.5]}, curves=[2, 1])
wide("inputs of a wide network", "kept-twice", kept=[1, 1])
wide("inputs of a wide network", "kept-of-no-column", kept=[0, 7])
wide("deviation", "deviations-missing", input_deviation=[1.0])
wide("deviation", "deviation-zero", input_deviation=[1.0, 0.0])
wide("metadata cannot be read", "weight-infinite", weight=INFINITY)
wide("jackknife.centres", "jackknife-of-nothing", calibration={"jackknife": {"network": WIDE, "doubt": None}})
write("seed-negative", described(seed=-1), "metadata cannot be read")
write("seed-enormous", sound(__metadata__={"shallows": json.dumps(OURS).replace('"seed": 1', '"seed": 1e999')}), "metadata")
write("activation-unknown", described(activation="swish\n\x1b[31m"), "is not one we know")
write("activation-empty", described(activation=""), "is not one we know")
write("activation-infinite", described(activation="softplus:inf"), "is not one we know")
write("activation-nan", described(activation="softplus:NaN"), "is not one we know")
write("activation-beyond-f64", described(activation="softplus:1e999"), "is not one we know")
write("activation-negative-sharpness", described(activation="softplus:-1"), "is not one we know")
write("activation-enormous", described(activation="hermite:" + "1," * 100_000 + "1"), "is not one we know")
write("names-too-few", described(inputs=["a"]), "names 1 inputs, but W has 2 columns")
write("names-too-many", described(inputs=["x"] * 10_000), "names 10000 inputs")
write("names-repeated", described(inputs=["a\x07", "a\x07"]), "two columns or inputs")
write("target-among-the-inputs", described(target="b"), "two of its columns")

(HERE / "expected.tsv").write_text("".join(line + "\n" for line in EXPECTED), encoding="utf-8")
