"""What the functions refuse, what they say on the way, and how they show what they found."""

import json
import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pandas
import pytest

import shallows
from shallows import _samples

X = np.random.default_rng(0).normal(size=(40, 3))
Y = X[:, 0] * X[:, 1]
WIDE = shallows.WideRegressor(sets=["rough-erf"]).fit(X, Y).network_
QUADRATIC = shallows.from_weights(np.eye(3), np.ones(3), activation="quadratic")
SMALL_SWEEP = {
    "trials": 2, "grid": {"n": 10, "k": 2, "d": 2}, "student": {"activation": "relu"},
    "training": {"step": "adaptive", "iterations": 20},
}  # fmt: skip

REFUSED = [
    (lambda: shallows.check(X, Y, activation="sofplus"), ValueError, 'no activation called "sofplus"'),
    (lambda: shallows.check(X, Y, width=3), ValueError, "even and at least 2, not 3"),
    (lambda: shallows.check(X, Y, radius=-1), ValueError, "the radius must be a positive number, not -1"),
    (lambda: shallows.check(X, Y, tolerance=2), ValueError, "the tolerance must be between 0 and 1"),
    (lambda: shallows.check(X, Y, rival=True), ValueError, "quadratic networks"),
    (lambda: shallows.check(X, Y, activation="relu", both_layers=True), ValueError, "smooth"),
    (lambda: shallows.check(X, Y, find_scale=True, start="random"), ValueError, "start at f = 0"),
    (lambda: shallows.check(X, Y, find_scale=True, scale=1.0), ValueError, "can be searched for"),
    (lambda: shallows.check(X, Y, find_scale=True, find_width=True), ValueError, "only one of them can be searched for"),
    (lambda: shallows.check(X, Y, rows="raw", radius=20.0), ValueError, "the radius applies only"),
    (lambda: shallows.check(X, Y, affine=True), ValueError, "the affine part applies only"),
    (lambda: shallows.explain(QUADRATIC, repeats=10), ValueError, "the number of repeats applies only"),
    (lambda: shallows.explain(QUADRATIC, X, seed=0), ValueError, "the seed of the shuffles applies only"),
    (lambda: shallows.export(QUADRATIC, "m.json", precision="f64"), ValueError, "the precision applies only"),
    (lambda: shallows.export(QUADRATIC, "m.txt"), ValueError, "does not say which format"),
    (lambda: shallows.landscape(spectrum=[3, 2], start="zero", samples=10), ValueError, "the number of samples .* applies only"),
    (lambda: shallows.landscape(QUADRATIC, X=X, y=Y, samples=10), ValueError, "the number of samples .* applies only"),
    (lambda: shallows.execute("missing.json", X, Y), FileNotFoundError, "missing.json"),
    (lambda: shallows.plot("missing.db"), FileNotFoundError, "missing.db"),
    (lambda: shallows.replay("missing.db", 1), FileNotFoundError, "missing.db"),
    (lambda: shallows.check(X, Y, theorems=["nothing"]), ValueError, 'no theorem called "nothing"'),
    (lambda: shallows.check(X, Y, rows="other"), ValueError, "rows must be auto, raw, unit or scaled, not other"),
    (lambda: shallows.check(X, Y, seed="zero"), TypeError, "seed must be a whole number of at least 0 .*, not 'zero'"),
    (lambda: shallows.check(X, Y, seed=-1), ValueError, "seed must be a whole number of at least 0"),
    (lambda: shallows.check(X, Y, radius="far"), TypeError, "radius must be a number, not 'far'"),
    (lambda: shallows.check(X, Y, affine="no"), TypeError, "affine must be True or False, not 'no'"),
    (lambda: shallows.check(X, Y, drop="x1"), TypeError, "drop must be a list, not 'x1'"),
    (lambda: shallows.check(X, Y[:-1]), ValueError, "y has 39 entries, but X has 40 rows"),
    (lambda: shallows.check(X[:, 0], Y), ValueError, "two dimensions, not 1"),
    (lambda: shallows.check(X, Y[:, None]), ValueError, "one dimension, not 2"),
    (lambda: shallows.check(X), TypeError, "y must be an array"),
    (lambda: shallows.check([["a", "b"]], [1.0]), TypeError, "X must hold numbers"),
    (lambda: shallows.check(X * np.inf, Y), ValueError, "inf|NaN"),
    (lambda: shallows.check(X, np.full(40, np.nan)), ValueError, "missing in every row|finite"),
    (lambda: shallows.check(X, np.ones(40)), ValueError, "."),
    (lambda: shallows.check(np.empty((0, 3)), []), ValueError, "."),
    (lambda: shallows.check("missing.csv"), FileNotFoundError, "missing.csv"),
    (lambda: shallows.certify(QUADRATIC, X[:, :2], Y), ValueError, "expects 3 inputs, but X has 2 columns"),
    (lambda: shallows.certify(QUADRATIC, X, Y, theorems=["nothing"]), ValueError, 'no theorem called "nothing"'),
    (lambda: shallows.certify(QUADRATIC, X, Y, decay=-1), ValueError, "decay"),
    (lambda: shallows.certify(QUADRATIC, X, Y, signs="both"), ValueError, "signs must be any, positive or negative, not both"),
    (lambda: shallows.certify(3, X, Y), TypeError, "must be a Network"),
    (lambda: shallows.verify({"format": "other"}, X, Y), ValueError, "not a certificate"),
    (lambda: shallows.verify("missing.json", X, Y), FileNotFoundError, "missing.json"),
    (lambda: shallows.predict(QUADRATIC, X[:, :2]), ValueError, "expects 3 inputs, but X has 2 columns"),
    (lambda: shallows.predict(QUADRATIC, X, coverage=0.9), ValueError, "hint: fit it with calibrate="),
    (lambda: shallows.predict(QUADRATIC, X, deviation=True), ValueError, "not one infinitely wide network.*\nhint: fit it with activation=\"wide\""),
    (lambda: shallows.landscape(WIDE), ValueError, "must be quadratic without an affine part, not wide"),
    (lambda: WIDE.to_weights(), ValueError, "infinitely wide network has no weights"),
    (lambda: shallows.predict("missing.safetensors", X), FileNotFoundError, "missing.safetensors"),
    (lambda: shallows.explain(QUADRATIC, X, Y, repeats=1), ValueError, "the number of repeats must be at least 2, not 1"),
    (lambda: shallows.explain(QUADRATIC, y=Y), ValueError, "y is given without X"),
    (lambda: shallows.explain(QUADRATIC, "missing.csv", Y), TypeError, "leave it out"),
    (lambda: shallows.QuadraticRegressor(budget="soon").fit(X, Y), ValueError, "budget must be a positive number of seconds or a time such as 60s, 5m or 2h, not soon"),
    (lambda: shallows.teach(samples=0), ValueError, "cannot make 0 samples"),
    (lambda: shallows.teach(samples=10**12), ValueError, "cannot make"),
    (lambda: shallows.teach(width=0), ValueError, "the width must be at least 1"),
    (lambda: shallows.teach(noise=-1), ValueError, "the noise must be"),
    (lambda: shallows.teach(outputs="twos"), ValueError, '"twos" does not name output weights'),
    (lambda: shallows.teach(design="square"), ValueError, '"square" is not a law of inputs'),
    (lambda: shallows.teach(inputs=2, design=[[1.0, 2.0], [0.0, 1.0]]), ValueError, "symmetric positive semidefinite"),
    (lambda: shallows.teach(orthogonal=True, rank=2), ValueError, "only one of"),
    (lambda: shallows.teach(orthogonal=True, inputs=2, width=3), ValueError, "."),
    (lambda: shallows.recover(X, Y, units=0), ValueError, "positive whole number, not 0"),
    (lambda: shallows.recover(X, Y, teacher=shallows.from_weights([[1.0]], [1.0], activation="relu")), ValueError, "the teacher has 1 inputs, but the table has 3"),
    (lambda: shallows.recover(X, Y, inputs="other"), ValueError, "auto, standard or whiten, not other"),
    (lambda: shallows.landscape(), ValueError, "no teacher is given"),
    (lambda: shallows.landscape(spectrum=[3, -1]), ValueError, "at least 0"),
    (lambda: shallows.landscape(spectrum=[3, 2], start="nowhere"), ValueError, '"nowhere" is not a start'),
    (lambda: shallows.landscape(spectrum=[3, 2], student_width=0), ValueError, "has no units"),
    (lambda: shallows.landscape(inputs=100000), ValueError, "too large"),
    (lambda: shallows.landscape(spectrum=[3, 2], X=X, y=Y), ValueError, "2 inputs, but the table has 3"),
    (lambda: shallows.landscape(shallows.from_weights(np.eye(2), [1, 1], activation="relu")), ValueError, "must be quadratic"),
    (lambda: shallows.landscape(QUADRATIC, inputs=3), ValueError, "give either these or teacher"),
    (lambda: shallows.sweep({"grid": {"n": 10, "k": 2}}), ValueError, "hint: "),
    (lambda: shallows.sweep({"grid": {"n": object()}}), TypeError, "not object"),
    (lambda: shallows.sweep("missing.toml"), FileNotFoundError, "missing.toml"),
    (lambda: shallows.figure("sjl-9"), ValueError, 'no figure "sjl-9"'),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_bad_requests_are_refused_in_words(case):
    call, kind, words = REFUSED[case]
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize(
    ("call", "options"),
    [
        (lambda: shallows.landscape(), "landscape"),
        (lambda: shallows.landscape(spectrum=[3, 2], start="nowhere"), "landscape --spectrum 3,2 --start nowhere"),
        (lambda: shallows.teach(samples=0), "teach -n 0"),
        (lambda: shallows.teach(outputs="twos"), "teach --outputs twos"),
        (lambda: shallows.figure("sjl-9"), "figure sjl-9"),
    ],
)
def test_refusals_are_those_of_the_command_and_hints_name_no_option_of_it(call, options, command):
    with pytest.raises(ValueError) as refusal:
        call()
    refused, *hint = str(refusal.value).splitlines()
    assert refused == command(*options.split(), succeeds=False).splitlines()[0].removeprefix("error: ")
    assert len(hint) == 1 and hint[0].startswith("hint: ")
    assert "--" not in hint[0] and "`" not in hint[0]


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.uint8, bool])
def test_other_numbers_are_converted_with_a_word(kind):
    inputs = (X > 0).astype(kind)
    with pytest.warns(UserWarning, match=f"X was converted from {np.dtype(kind)} to float64"):
        found = shallows.check(inputs, Y, activation="quadratic")
    assert found.to_dict()["data"]["hash"] == shallows.check(inputs.astype(float), Y, activation="quadratic").to_dict()["data"]["hash"]


def test_arrays_in_order_are_not_copied_and_others_are():
    assert _samples.samples(X, Y).X is X
    assert _samples.samples(np.asfortranarray(X), Y).X is not X
    with np.errstate(all="raise"):
        assert _samples.samples(X.tolist(), Y.tolist()).X.tolist() == X.tolist()


def test_frames_give_their_columns_by_name():
    frame = pandas.DataFrame({"y": Y, "c": X[:, 2], "a": X[:, 0], "b": X[:, 1]})
    network = shallows.from_weights(np.eye(3), np.ones(3), activation="quadratic", names=["a", "b", "c"])
    by_name = shallows.certify(network, frame, "y")
    assert by_name == shallows.certify(network, X, Y) == shallows.certify(network, frame[["c", "a", "b"]], Y)


def test_everything_found_shows_itself():
    lesson = shallows.teach(activation="quadratic", inputs=3, width=3, samples=60)
    shown = [
        lesson,
        shallows.check(X, Y, activation="quadratic"),
        shallows.certify(QUADRATIC, X, Y),
        shallows.verify(shallows.certify(QUADRATIC, X, Y), X, Y),
        shallows.recover(X, Y),
        shallows.landscape(lesson.network),
        shallows.sweep(SMALL_SWEEP),
        shallows.predict(QUADRATIC, X),
        shallows.predict(WIDE, X, deviation=True),
        shallows.explain(QUADRATIC, X, Y),
        shallows.explain(QUADRATIC),
        shallows.explain(WIDE, X, Y),
        shallows.certify(WIDE, X, Y),
    ]
    for found in shown:
        assert len(repr(found).splitlines()) == 1 and type(found).__name__ in repr(found)
        assert found._repr_html_().startswith("<table>") and "</table>" in found._repr_html_()
        assert isinstance(found.to_dict(), dict)
    picture = shown[5].figures["levels"]
    assert picture._repr_svg_().startswith("<svg") and picture._repr_png_().startswith(b"\x89PNG")
    figure = shallows.figure("barrier")
    assert "<svg" in figure._repr_html_() and figure._repr_png_().startswith(b"\x89PNG")


def test_html_shows_names_and_does_not_obey_them():
    network = shallows.from_weights(np.eye(3), np.ones(3), activation="quadratic", target="<b>y</b>")
    lesson = shallows.Teaching(X, Y, network, 0, "", {})
    assert "<b>" not in lesson._repr_html_() and "&lt;b&gt;" in lesson._repr_html_()


def test_an_exception_in_a_callback_ends_the_work_and_is_raised():
    def stop(report):
        raise RuntimeError(report["stage"])

    lesson = shallows.teach(inputs=8, width=4, samples=3000)
    with pytest.raises(RuntimeError, match="inputs"):
        shallows.recover(lesson.X, lesson.y, progress=stop)


INTERRUPTED = """
import json, os, signal, sys, threading
import shallows

LESSON = shallows.teach(activation="softplus", inputs=24, width=20, samples=12000, noise=0.5)
reports = []
WORK = {
    "sweep": lambda: shallows.sweep(
        {"trials": 400, "grid": {"n": 200, "k": [10, 20, 30], "d": 20}, "student": {"activation": "softplus:10"},
         "training": {"step": "adaptive", "iterations": 200000, "tolerance": 1e-9}},
        store=sys.argv[2], progress=reports.append),
    "recover": lambda: shallows.recover(
        LESSON.X, LESSON.y, activation="softplus", biases=True, progress=reports.append),
}
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    WORK[sys.argv[1]]()
    print("finished")
except KeyboardInterrupt:
    print(json.dumps(reports[-1] if reports else {"stage": "none"}))
"""


@pytest.mark.parametrize("work", ["sweep", "recover"])
def test_long_work_ends_on_ctrl_c_before_it_is_done(work, tmp_path):
    words = [sys.executable, "-c", INTERRUPTED, work, tmp_path / "s.db"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    last = json.loads(done.stdout)
    assert last["stage"] in ("none", "inputs", "moments", "start", "runs")
    assert last.get("done", 0) < last.get("total", 1) / 2


def test_a_sweep_that_was_stopped_goes_on_where_it_was(tmp_path):
    specification = {
        "trials": 40, "grid": {"n": 20, "k": [2, 4], "d": 3}, "student": {"activation": "softplus:10"},
        "training": {"step": "adaptive", "iterations": 300},
    }  # fmt: skip
    expected = shallows.sweep(specification)

    def stop(report):
        if report["done"] >= 3:
            os.kill(os.getpid(), signal.SIGINT)

    try:
        shallows.sweep(specification, store=tmp_path / "s.db", progress=stop)
    except KeyboardInterrupt:
        pass
    found = shallows.sweep(specification, store=tmp_path / "s.db")
    assert found.new < found.total == 80
    assert found.cells.tolist() == expected.cells.tolist()


def test_what_is_found_can_be_pickled(tmp_path):
    lesson = shallows.teach(inputs=4, width=2, samples=300, orthogonal=True)
    again = pickle.loads(pickle.dumps(lesson))
    assert (again.X == lesson.X).all() and (again.network.predict(X @ np.eye(3, 4)) == lesson.network.predict(X @ np.eye(3, 4))).all()
    for found in (
        shallows.recover(lesson.X, lesson.y, teacher=lesson.network),
        shallows.check(X[:4], Y[:4], activation="quadratic", rival=True),
        shallows.verify(shallows.certify(QUADRATIC, X, Y), X, Y),
        shallows.landscape(QUADRATIC, X=X, y=Y),
        shallows.sweep(SMALL_SWEEP, store=tmp_path / "s.db"),
        shallows.figure("barrier"),
        shallows.predict(QUADRATIC, X),
        shallows.predict(WIDE, X, deviation=True),
        shallows.explain(QUADRATIC, X, Y),
    ):
        again = pickle.loads(pickle.dumps(found))
        assert again.to_dict() == found.to_dict() and repr(again) == repr(found)
