"""The package and the command give the same bits and the same words."""

import json
import re

import numpy as np
import pandas
import pytest
from numpy.testing import assert_array_equal

import shallows
from shallows import QuadraticRegressor, ShallowsRegressor, WideRegressor
from conftest import OTHERWISE, ROOT, same

ENERGY = ROOT / "examples" / "data" / "energy.csv"

CASES = {
    "quadratic": (QuadraticRegressor(), "-a quadratic"),
    "one standard error": (QuadraticRegressor(one_standard_error=True, random_state=7), "-a quadratic --one-standard-error --seed 7"),
    "signs": (QuadraticRegressor(decay=0.01, signs="positive", linear=False), "-a quadratic --decay 0.01 --signs positive --no-linear"),
    "narrow": (QuadraticRegressor(decay=1e-3, width=2), "-a quadratic --decay 1e-3 -k 2"),
    "raw": (QuadraticRegressor(decay=1.0, scaling=False), "-a quadratic --decay 1 --no-scaling"),
    "automatic": (ShallowsRegressor(effort="quick", random_state=5), "--effort quick --seed 5"),
    "infinitely wide": (WideRegressor(random_state=2), "-a wide --seed 2"),
    "two sets of layers": (WideRegressor(sets=["ranks", "rough-relu"], tolerance=1e-8), "-a wide --layers ranks,rough-relu --tolerance 1e-8"),
    "calibrated": (ShallowsRegressor(activation="tanh", width=4, decay=1e-3, calibrate=0.25), "-a tanh -k 4 --decay 1e-3 --calibrate 0.25"),
    "logarithm": (ShallowsRegressor(activation="relu", width=5, decay=1e-3, method="lbfgs", iterations=40, target_scale="log"),
                  "-a relu -k 5 --decay 1e-3 -m lbfgs --iterations 40 --target-scale log"),
}  # fmt: skip


def split(frame):
    return frame.iloc[:, :-1], frame.iloc[:, -1]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("case", CASES)
def test_fits_give_the_same_files(case, command, energy, tmp_path):
    estimator, options = CASES[case]
    report = json.loads(command("fit", ENERGY, *options.split(), "--json", "--quiet"))
    X, y = split(energy)
    estimator.fit(X, y)
    estimator.network_.save(tmp_path / "ours.safetensors")
    assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / report["model"]["path"]).read_bytes()
    assert same(estimator.to_dict(), report)
    if isinstance(estimator, (QuadraticRegressor, WideRegressor)):
        certificate = json.loads((tmp_path / report["certificate"]["path"]).read_text(encoding="utf-8"))
        assert estimator.certificate_ == certificate
    printed = json.loads(command("predict", "ours.safetensors", ENERGY, "--json", "--quiet"))
    assert_array_equal(estimator.predict(X), printed["predictions"])
    assert same(shallows.predict(estimator, X).to_dict(), printed)


def test_words_gaps_weights_and_repeats_too(command, tmp_path):
    random = np.random.default_rng(1)
    x = random.normal(size=90).round(1)
    frame = pandas.DataFrame({
        "x": [None if i % 9 == 0 else value for i, value in enumerate(x)],
        "colour": random.choice(["red", "green", "blue"], size=90),
        "sure": x > 0.3,
        "level": random.integers(0, 3, size=90),
        "same": 4.0,
    })  # fmt: skip
    y = pandas.Series(x + (frame["colour"] == "red"), name="y").round(1)
    weights = pandas.Series(random.integers(0, 3, size=90).astype(float), name="sample_weight")
    pandas.concat([frame, y, weights], axis=1).to_csv(tmp_path / "t.csv", index=False)
    command("fit", "t.csv", *"-t y --weight sample_weight -a quadratic --decay 1e-3 --categorical level --merge-repeats".split())
    model = QuadraticRegressor(decay=1e-3, categorical=["level"]).fit(frame, y, sample_weight=weights)
    model.network_.save(tmp_path / "ours.safetensors")
    assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / "t.safetensors").read_bytes()
    assert model.certificate_ == json.loads((tmp_path / "t.certificate.json").read_text(encoding="utf-8"))


def grouped():
    """Thirty patients of four rows each, with a column of days."""
    random = np.random.default_rng(4)
    patients = np.repeat(np.arange(30), 4)
    dose = random.normal(size=30)[patients].round(2) + random.normal(size=120).round(2) / 100
    y = (random.normal(size=30)[patients] + 0.1 * random.normal(size=120)).round(3)
    frame = pandas.DataFrame({"patient": [f"p{number}" for number in patients], "dose": dose, "day": np.arange(120.0) % 40})
    return frame, pandas.Series(y, name="y")


DEPENDENT = {
    "group": (ShallowsRegressor(effort="quick", holdout=0.2, merge_repeats=False), {"groups": "patient"}, "--effort quick --holdout 0.2 --group patient"),
    "calibrated groups": (QuadraticRegressor(calibrate=0.4, merge_repeats=False), {"groups": "patient"}, "-a quadratic --calibrate 0.4 --group patient"),
    "time": (WideRegressor(drop=["patient"], merge_repeats=False), {"time": "day"}, "-a wide --drop patient --time day"),
}  # fmt: skip


@pytest.mark.parametrize("case", DEPENDENT)
def test_groups_and_times_too(case, command, tmp_path):
    estimator, dependence, options = DEPENDENT[case]
    frame, y = grouped()
    frame.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    report = json.loads(command("fit", "t.csv", *options.split(), "--json", "--quiet"))
    model = estimator.fit(frame, y, **dependence)
    assert same(model.to_dict(), report)
    model.network_.save(tmp_path / "ours.safetensors")
    assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / "t.safetensors").read_bytes()
    words = model.network_.interval_statement(0.8)
    assert 'new "patient"' in words if "groups" in dependence else "nothing is proved" in words


def test_models_of_the_command_are_read(command, energy, tmp_path):
    command("fit", ENERGY, "-a", "softplus:2", "-k", "3", "--decay", "1e-3", "--calibrate", "0.3")
    network = shallows.load(tmp_path / "energy.safetensors")
    printed = json.loads(command("predict", "energy.safetensors", ENERGY, "--json", "--interval", "0.8", "--quiet"))
    assert_array_equal(network.predict(energy), printed["predictions"])
    X, _ = split(energy)
    assert_array_equal(network.predict_interval(X, 0.8), np.transpose([printed["lower"], printed["upper"]]))
    assert network.interval_statement(0.8) == printed["interval"]["statement"]
    found = shallows.predict(network, energy, coverage=0.8)
    assert same(found.to_dict(), printed) and same(shallows.predict(tmp_path / "energy.safetensors", X, coverage=0.8).to_dict(), printed)
    assert (found.guarantee, found.statement) == (printed["interval"]["guarantee"], printed["interval"]["statement"])
    assert_array_equal(found.intervals, network.predict_interval(X, 0.8))


def test_predictions_of_columns_that_lack_or_are_too_many_are_those_of_the_command(command, energy, tmp_path):
    command("fit", ENERGY, "-a", "quadratic", "--decay", "1e-2", "-o", "m.safetensors")
    network, first = shallows.load(tmp_path / "m.safetensors"), energy.columns[0]
    frame = energy.drop(columns=first).assign(more=1.0)
    frame.to_csv(tmp_path / "ours.csv", index=False)
    options = ["predict", "m.safetensors", "ours.csv", "--json", "--quiet"]
    printed = json.loads(command(*options, "--ignore-extra", "--fill", f"{first}=0.5"))
    ways = [(network, frame), (tmp_path / "m.safetensors", tmp_path / "ours.csv")]
    for model, rows in ways:
        assert same(shallows.predict(model, rows, ignore_extra=True, fill={first: 0.5}).to_dict(), printed)
    for arguments, settings in [(["--ignore-extra"], dict(ignore_extra=True)), (["--fill", f"{first}=0.5"], dict(fill={first: 0.5}))]:
        with pytest.raises(ValueError) as refusal:
            shallows.predict(network, frame, **settings)
        refused, hint = str(refusal.value).splitlines()
        assert refused == words(command(*options, *arguments, succeeds=False)).splitlines()[0]
        assert "--" not in hint


def test_folds_held_out_rows_and_findings_are_those_of_the_command(command, energy, tmp_path):
    (tmp_path / "rows.txt").write_text("0 5 10 15 20 25 30 35 40 45 50 55\n", encoding="utf-8")
    X, y = split(energy)
    cases = [
        (dict(holdout=0.2, folds=3, findings=True), "--holdout 0.2 --folds 3 --findings"),
        (dict(holdout=tmp_path / "rows.txt"), "--holdout rows.txt"),
        (dict(findings=True), "--findings"),
    ]
    for settings, options in cases:
        printed = json.loads(command("fit", ENERGY, "-a", "quadratic", "--decay", "1e-2", *options.split(), "--json", "--quiet"))
        found = QuadraticRegressor(decay=1e-2, **settings).fit(X, y).to_dict()
        assert same(found, printed)
        assert ("test" in found) == ("holdout" in settings) and ("folds" in found) == ("folds" in settings)
        assert ("learning_curve" in found) == ("importance" in found) == ("findings" in settings)


def test_deviations_intervals_and_proofs_of_a_wide_network_are_those_of_the_command(command, energy, tmp_path):
    command("fit", ENERGY, *"-a wide --layers rough-erf -o m.safetensors".split())
    printed = json.loads(command("predict", "m.safetensors", ENERGY, *"--deviation --interval 0.9 --json --quiet".split()))
    for rows in (energy, ENERGY):
        found = shallows.predict(tmp_path / "m.safetensors", rows, deviation=True, coverage=0.9)
        assert same(found.to_dict(), printed)
    X, y = split(energy)
    model = WideRegressor(sets=["rough-erf"]).fit(X, y)
    assert_array_equal(model.predict(X, return_std=True), [printed["predictions"], printed["deviations"]])
    assert_array_equal(model.predict_interval(X, 0.9), np.transpose([printed["lower"], printed["upper"]]))
    proved = json.loads(command("certify", "m.safetensors", ENERGY, "--json", "--quiet"))
    assert same(shallows.certify(model, X, y).document(), proved)
    assert proved["certificates"][0]["theorem"] == "wide-optimum" and proved["verdict"] == "holds"


EXPORTED = {
    "JSON": ("-o theirs.json", "ours.json", {}),
    "ONNX": ("-o theirs.onnx --precision f32", "ours.onnx", dict(precision="f32")),
    "a format that is named": ("-o theirs --format safetensors", "ours", dict(format="safetensors")),
}


@pytest.mark.parametrize("case", EXPORTED)
def test_exports_are_those_of_the_command(case, command, tmp_path):
    options, name, settings = EXPORTED[case]
    command("teach", *"-a relu -d 3 -k 2 -n 5 -o p.csv --save-teacher m.safetensors".split())
    printed = json.loads(command("export", "m.safetensors", *options.split(), "--json", "--quiet"))
    for model in (tmp_path / "m.safetensors", shallows.load(tmp_path / "m.safetensors")):
        written = shallows.export(model, tmp_path / name, **settings)
        assert same(written, printed)
        assert (tmp_path / name).read_bytes() == (tmp_path / printed["path"]).read_bytes()


def test_planned_runs_are_those_of_the_command(command, tmp_path):
    command("teach", *"-a tanh -d 3 -k 2 -n 12 --design sphere -o p.csv".split())
    command("check", "p.csv", *"-a tanh --find-scale --width 40 --plan plan.json".split())
    printed = json.loads(command("fit", "p.csv", "--plan", "plan.json", "--iterations", "20", "--json", "--quiet"))
    frame = pandas.read_csv(tmp_path / "p.csv")
    X, y = split(frame)
    checked = shallows.check(X, y, activation="tanh", find_scale=True, width=40)
    for plan, samples in [(tmp_path / "plan.json", (tmp_path / "p.csv",)), (checked, (X, y)), (checked, (frame,))]:
        found = shallows.execute(plan, *samples, iterations=20)
        # The file of the curves is only written by the command.
        assert same(found.to_dict(), printed, OTHERWISE | {"curves"})
        assert found.network is not None and len(found.picture.svg) > 100
    with pytest.raises(ValueError, match="no plan to execute"):
        shallows.execute(shallows.check(X, y, activation="tanh", width=2), X, y)


#: Verbs of the command that are no functions here, and why.
ONLY_OF_THE_COMMAND = {
    "completions": "a shell completes words, Python does it by itself",
    "options": "the page of the reference; the table itself is `_shallows.options`",
    "lab": "a second name for verbs that are functions of their own",
}


def test_every_verb_of_the_command_is_a_function_or_says_why_not(command):
    told = {verb.split()[-1] for verb in shallows._shallows.options()}
    functions = told - {"fit"}
    assert all(callable(getattr(shallows, verb)) for verb in functions)
    assert not any(hasattr(shallows, verb) for verb in ONLY_OF_THE_COMMAND)
    listed = set(re.findall(r"^  ([a-z]+)  ", command("--help"), re.MULTILINE))
    assert {"fit", "export", "sweep"} <= listed <= told | set(ONLY_OF_THE_COMMAND) | {"help"}, listed


EXPLAINED = {
    "a quadratic network by itself": ("-a quadratic --decay 1e-2", False, "--top 3", dict(top=3)),
    "a quadratic network on rows": ("-a quadratic --decay 1e-2", True, "", {}),
    "another network on rows": ("-a tanh -k 3 --decay 1e-2", True, "--repeats 4 --seed 5", dict(repeats=4, seed=5)),
    "a wide network by itself": ("-a wide", False, "--top 2", dict(top=2)),
    "a wide network on rows": ("-a wide", True, "--repeats 2", dict(repeats=2)),
}


@pytest.mark.parametrize("case", EXPLAINED)
def test_explanations_are_those_of_the_command(case, command, energy, tmp_path):
    fit, with_rows, options, settings = EXPLAINED[case]
    command("fit", ENERGY, *fit.split(), "-o", "m.safetensors")
    rows = [ENERGY] if with_rows else []
    printed = json.loads(command("explain", "m.safetensors", *rows, *options.split(), "--json", "--quiet"))
    network, (X, y) = shallows.load(tmp_path / "m.safetensors"), split(energy)
    ways = [(ENERGY,), (energy,), (X, y), (X.to_numpy(dtype=float), y.to_numpy())] if with_rows else [()]
    for samples in ways:
        assert same(shallows.explain(network, *samples, **settings).to_dict(), printed)
    command("explain", "m.safetensors", *rows, *options.split(), "-o", "theirs.svg", "--quiet")
    found = shallows.explain(tmp_path / "m.safetensors", *ways[0], **settings)
    found.picture.save(tmp_path / "ours.svg")
    assert (tmp_path / "ours.svg").read_bytes() == (tmp_path / "theirs.svg").read_bytes()
    if found.effects is not None:
        command("explain", "m.safetensors", *rows, *options.split(), "--effects", "curves", "--quiet")
        for name, picture in found.figures.items():
            picture.save(tmp_path / "ours.svg")
            assert (tmp_path / "ours.svg").read_bytes() == (tmp_path / "curves" / f"{name}.svg").read_bytes()
    if with_rows and "tanh" in fit:
        with pytest.raises(ValueError, match="is explained by rows with the target"):
            shallows.explain(network, X)


def test_the_theorems_are_those_of_the_command(command):
    assert same(shallows.theorems(), json.loads(command("theorems", "--json")))
    assert same(shallows.theorems("wide-quadratic"), json.loads(command("theorems", "wide-quadratic", "--json")))
    with pytest.raises(ValueError, match='no theorem called "nothing"'):
        shallows.theorems("nothing")


def words(stderr):
    return stderr.removeprefix("error: ").strip().replace("ours.csv", "X")


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (QuadraticRegressor(decay=-1.0), "-a quadratic --decay -1"),
        (ShallowsRegressor(width=0), "-k 0"),
        (ShallowsRegressor(method="sgd", batch=0, activation="tanh"), "-a tanh -m sgd --batch 0"),
        (ShallowsRegressor(step=0.1), "--step 0.1"),
        (WideRegressor(tolerance=-1.0), "-a wide --tolerance=-1"),
        (ShallowsRegressor(calibrate=1.5), "--calibrate 1.5"),
    ],
)
def test_refusals_have_the_same_words(estimator, options, command, energy):
    X, y = split(energy)
    with pytest.raises(ValueError) as refusal:
        estimator.fit(X, y)
    assert str(refusal.value) == words(command("fit", ENERGY, *options.split(), succeeds=False))


def test_data_that_teach_nothing_are_refused_with_the_same_words(command, tmp_path):
    frame = pandas.DataFrame({"a": [1.0, 1.0, 1.0], "y": [1.0, 2.0, 3.0]})
    frame.to_csv(tmp_path / "ours.csv", index=False)
    with pytest.raises(ValueError) as refusal:
        QuadraticRegressor().fit(frame[["a"]], frame["y"])
    assert str(refusal.value) == words(command("fit", "ours.csv", succeeds=False))
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "y": [2.0, 2.0, 2.0]})
    frame.to_csv(tmp_path / "ours.csv", index=False)
    with pytest.raises(ValueError) as refusal:
        ShallowsRegressor().fit(frame[["a"]], frame["y"])
    assert str(refusal.value) == words(command("fit", "ours.csv", succeeds=False))
