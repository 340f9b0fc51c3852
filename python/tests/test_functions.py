"""The functions give the numbers, the files and the words of the command."""

import json
from pathlib import Path
import pickle

import numpy as np
import pandas
import polars
import pytest
from numpy.testing import assert_array_equal

import shallows
from conftest import ROOT, same

ENERGY = ROOT / "examples" / "data" / "energy.csv"

@pytest.fixture
def lesson(command, tmp_path):
    """Planted samples, also as the files ``p.csv`` and ``t.safetensors``."""

    def make(options, **settings):
        printed = command("teach", *options.split(), "-o", "p.csv", "--save-teacher", "t.safetensors", "--json")
        found = shallows.teach(**settings)
        assert same(found.to_dict(), json.loads(printed))
        table = np.loadtxt(tmp_path / "p.csv", delimiter=",", skiprows=1)
        assert_array_equal(found.X, table[:, :-1])
        assert_array_equal(found.y, table[:, -1])
        found.network.save(tmp_path / "ours.safetensors")
        assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / "t.safetensors").read_bytes()
        return found

    return make


TEACHERS = {
    "plain": ("-d 4 -k 3 -n 30", dict(inputs=4, width=3, samples=30)),
    "sphere": ("-a tanh -d 3 -k 2 -n 20 --design sphere --noise 0.1 --seed 5",
               dict(activation="tanh", inputs=3, width=2, samples=20, design="sphere", noise=0.1, seed=5)),
    "orthogonal": ("-d 5 -k 4 -n 9 --orthogonal --outputs uniform:1:2",
                   dict(inputs=5, width=4, samples=9, orthogonal=True, outputs="uniform:1:2")),
    "rank": ("-a quadratic -d 4 -k 6 -n 12 --rank 2 --outputs signs",
             dict(activation="quadratic", inputs=4, width=6, samples=12, rank=2, outputs="signs")),
    "spectrum": ("-a quadratic -d 2 -k 2 -n 12 --spectrum 2,0.5 --outputs 1,-0.25",
                 dict(activation="quadratic", inputs=2, width=2, samples=12, spectrum=[2, 0.5], outputs=[1, -0.25])),
}  # fmt: skip


@pytest.mark.parametrize("case", TEACHERS)
def test_teachers_and_their_samples_are_those_of_the_command(case, lesson, tmp_path):
    options, settings = TEACHERS[case]
    found = lesson(options, **settings)
    found.save(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "p.csv").read_bytes()


def test_inputs_of_a_covariance_are_those_of_the_command(lesson, tmp_path):
    sigma = np.array([[2.0, 0.5], [0.5, 1.0]])
    np.savetxt(tmp_path / "sigma.csv", sigma, delimiter=",", header="a,b", comments="")
    lesson("-d 2 -k 2 -n 10 --design sigma.csv", inputs=2, width=2, samples=10, design=sigma)


CHECKS = {
    "default": ("", {}),
    "relu": ("-a relu --width 60 --seed 3", dict(activation="relu", width=60, seed=3)),
    "find scale": ("--find-scale --width 40 --plan plan.json", dict(find_scale=True, width=40)),
    "find width": ("--find-width", dict(find_width=True)),
    "both layers": ("-a tanh --rows scaled --radius 10 --both-layers --scale 2 --tolerance 1e-3",
                    dict(activation="tanh", rows="scaled", radius=10, both_layers=True, scale=2, tolerance=1e-3)),
    "rival": ("-a quadratic --rival r.safetensors --affine", dict(activation="quadratic", rival=True, affine=True)),
    "asked for": ("-a relu --theorem separated-data", dict(activation="relu", theorems=["separated-data"])),
}  # fmt: skip


@pytest.mark.parametrize("case", CHECKS)
def test_checks_are_those_of_the_command(case, lesson, command, tmp_path):
    options, settings = CHECKS[case]
    # The search for a width takes long where there are many rows.
    n = 4 if case == "find width" else 9
    shape = dict(activation="tanh", inputs=3, width=2, samples=n, design="sphere")
    planted = lesson(f"-a tanh -d 3 -k 2 -n {n} --design sphere", **shape)
    printed = json.loads(command("check", "p.csv", *options.split(), "--json", "--quiet"))
    found = shallows.check(planted.X, planted.y, **settings)
    assert same(found.to_dict(), printed)
    assert same(shallows.check(tmp_path / "p.csv", **settings).to_dict(), printed)
    if printed["plan"] and "--plan" in options:
        found.save_plan(tmp_path / "ours.json")
        assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "plan.json").read_bytes()
    if case == "rival" and printed["rival"]:
        for network, name in zip(found.rivals, ("r.first.safetensors", "r.safetensors")):
            network.save(tmp_path / "ours.safetensors")
            assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.parametrize("options", ["--signs positive --no-linear --no-intercept --decay 0.01", "", "--theorem wide-quadratic --theorem strict-saddle"])
def test_certificates_are_those_of_the_command(options, command, energy, tmp_path):
    command("fit", ENERGY, "-a", "quadratic", "--decay", "0.01", "-o", "m.safetensors")
    certify = ["certify", "m.safetensors", ENERGY, *options.split(), "--certificate", "theirs.json", "--quiet", "--json"]
    printed = json.loads(command(*certify))
    verified = json.loads(command("verify", "theirs.json", ENERGY, "m.safetensors", "--json", "--quiet"))
    settings = {}
    if "positive" in options:
        settings = dict(signs="positive", linear=False, intercept=False, decay=0.01)
    if "theorem" in options:
        settings = dict(theorems=["wide-quadratic", "strict-saddle"])
    network, target = shallows.load(tmp_path / "m.safetensors"), energy.columns[-1]
    inputs = np.ascontiguousarray(energy[network.columns].to_numpy(dtype=float))
    ways = [(energy,), (ENERGY,), (inputs, energy[target].to_numpy()), (polars.from_pandas(energy), target)]
    for samples in ways:
        found = shallows.certify(network, *samples, **settings)
        found.save(tmp_path / "ours.json")
        assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "theirs.json").read_bytes()
        assert same(found.document(), printed)
    assert same(shallows.certify(tmp_path / "m.safetensors", ENERGY, **settings).document(), printed)
    assert shallows.Certificate.load(tmp_path / "theirs.json") == found
    assert pickle.loads(pickle.dumps(found)) == found
    for samples in ways:
        again = shallows.verify(tmp_path / "theirs.json", *samples, model=network)
        assert again.verdict == found.verdict and bool(again) == (found.verdict == "holds")
        assert same(again.to_dict(), verified)
        assert same(shallows.verify(found, *samples, model=tmp_path / "m.safetensors").to_dict(), verified)


def test_of_a_model_that_a_certificate_is_not_about_nothing_is_proved():
    random = np.random.default_rng(1)
    X = random.normal(size=(80, 2))
    y = 2 * X[:, 0] - X[:, 1] + random.normal(size=80)
    model = shallows.ShallowsRegressor(effort="quick").fit(X, y)
    assert model.outcome_ == "affine" and shallows.verify(model.certificate_, X, y)
    with pytest.warns(UserWarning, match="another network than this model"):
        found = shallows.verify(model.certificate_, X, y, model=model)
    assert not found and found.verdict == "undecided" and found.to_dict()["part_of_model"] == "nothing"


def test_a_certificate_for_other_rows_or_another_network_is_refused(planted):
    X, y = planted
    model = shallows.QuadraticRegressor(decay=1e-2).fit(X, y)
    assert shallows.verify(model.certificate_, X, y, model=model)
    with pytest.raises(ValueError, match="not the one that the certificate was issued for"):
        shallows.verify(model.certificate_, X, y + 1e-9)
    with pytest.raises(ValueError, match="refused: network"):
        shallows.verify(model.certificate_, X, y, model=shallows.QuadraticRegressor(decay=1.0).fit(X, y))
    altered = model.certificate_
    altered["certificates"][0]["facts"]["lower_bound"] *= 1.001
    with pytest.raises(ValueError, match="lower_bound"):
        shallows.verify(altered, X, y)


def test_weighted_certificates_hold_for_these_weights_only(planted):
    X, y = planted
    weights = np.random.default_rng(0).integers(1, 4, size=len(y)).astype(float)
    model = shallows.QuadraticRegressor(decay=1e-2, merge_repeats=False).fit(X, y, sample_weight=weights)
    assert shallows.verify(model.certificate_, X, y, sample_weight=weights)
    with pytest.raises(ValueError):
        shallows.verify(model.certificate_, X, y)


RECOVERIES = {
    "exact": ("-d 6 -k 3 -n 900 --orthogonal", dict(inputs=6, width=3, samples=900, orthogonal=True), "", {}),
    "noisy": ("-a softplus -d 5 -k 2 -n 1500 --noise 0.05 --seed 2",
              dict(activation="softplus", inputs=5, width=2, samples=1500, noise=0.05, seed=2),
              "-a softplus --units 2 --intercept --seed 4", dict(activation="softplus", units=2, intercept=True, seed=4)),
    "refused": ("-a tanh -d 3 -k 2 -n 300", dict(activation="tanh", inputs=3, width=2, samples=300),
                "-a tanh", dict(activation="tanh")),
    "too few": ("-d 8 -k 2 -n 40", dict(inputs=8, width=2, samples=40), "--inputs whiten", dict(inputs="whiten")),
}  # fmt: skip


@pytest.mark.parametrize("case", RECOVERIES)
def test_recoveries_are_those_of_the_command(case, lesson, command, tmp_path):
    teacher, lessons, options, settings = RECOVERIES[case]
    planted = lesson(teacher, **lessons)
    printed = json.loads(command("recover", "p.csv", *options.split(), "--teacher", "t.safetensors", "--json", "--quiet"))
    stages = []
    found = shallows.recover(planted.X, planted.y, teacher=planted.network, progress=stages.append, **settings)
    assert same(found.to_dict(), printed)
    assert bool(found) == (printed["verdict"] == "recovered")
    assert stages or case == "refused"
    if found:
        found.network.save(tmp_path / "ours.safetensors")
        assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / "p.recovered.safetensors").read_bytes()
    frame = pandas.read_csv(tmp_path / "p.csv", float_precision="round_trip")
    assert same(shallows.recover(frame, teacher=tmp_path / "t.safetensors", **settings).to_dict(), printed)


LANDSCAPES = {
    "spectrum": ("--spectrum 3,2,1 --width 4", dict(spectrum=[3, 2, 1], width=4)),
    "drawn": ("--inputs 4 --width 40 --start paper --seed 7", dict(inputs=4, width=40, start="paper", seed=7)),
    "narrow": ("--spectrum 3,2,1 --student-width 2 --start spectral --samples 500 --levels 5",
               dict(spectrum=[3, 2, 1], student_width=2, start="spectral", samples=500, levels=5)),
    "wide": ("--inputs 24 --width 30 --start zero", dict(inputs=24, width=30, start="zero")),
}  # fmt: skip


@pytest.mark.parametrize("case", LANDSCAPES)
def test_landscapes_are_those_of_the_command(case, command):
    options, settings = LANDSCAPES[case]
    printed = json.loads(command("landscape", *options.split(), "--json"))
    assert same(shallows.landscape(**settings).to_dict(), printed)


def test_landscapes_of_given_teachers_starts_and_samples_too(lesson, command, tmp_path):
    planted = lesson("-a quadratic -d 3 -k 3 -n 200", activation="quadratic", inputs=3, width=3, samples=200)
    printed = json.loads(command("landscape", "--teacher", "t.safetensors", "--data", "p.csv", "--json", "-o", "figures"))
    found = shallows.landscape(planted.network, X=planted.X, y=planted.y)
    del found.start["about"], printed["start"]["about"]  # it names the file
    assert same(found.to_dict(), printed)
    for name, picture in found.figures.items():
        assert (tmp_path / "figures" / f"{name}.png").read_bytes() == picture.png
    start = shallows.from_weights(np.eye(3), np.ones(3), activation="quadratic")
    start.save(tmp_path / "s.safetensors")
    printed = json.loads(command("landscape", "--teacher", "t.safetensors", "--start", "s.safetensors", "--json"))
    ours = shallows.landscape(planted.network, start=start)
    assert ours.start["risk"] == printed["start"]["risk"] and ours.safe == printed["start"]["safe"]


SWEEP = {
    "name": "small", "seed": 3, "trials": 6,
    "grid": {"n": 30, "k": "1..=6 step 1", "d": [3, 4]},
    "student": {"activation": "softplus:10"},
    "training": {"step": "adaptive", "iterations": 400},
    "success": {"tolerance": 1e-2},
}  # fmt: skip


def test_sweeps_are_those_of_the_command(command, tmp_path):
    specification = shallows._sweep.toml(SWEEP)
    (tmp_path / "small.toml").write_text(specification, encoding="utf-8")
    printed = json.loads(command("sweep", "small.toml", "--json", "--quiet"))
    heard = []
    found = shallows.sweep(SWEEP, store=tmp_path / "ours.db", progress=heard.append)
    assert same(found.to_dict(), printed)
    # A report is left out where the callback is slower than the runs.
    assert found.done == found.total == found.new and 0 < heard[-1]["done"] <= found.total
    assert found.cells["success"].tolist() == [cell["success"] for cell in printed["cells"]]
    # What is there is not trained again, by whomever it was.
    again = shallows.sweep(tmp_path / "small.toml", store=tmp_path / "small.db")
    assert again.new == 0 and again.cells.tolist() == found.cells.tolist()
    drawn = json.loads(command("plot", "small.db", "-o", "figures", "--success", "descent:1e-1", "--json", "--quiet"))
    ours = shallows.plot(tmp_path / "small.db", folder=tmp_path / "ours", success="descent:1e-1")
    assert same(ours.to_dict(), drawn)
    assert sorted(file.name for file in (tmp_path / "ours").iterdir()) == sorted(file.name for file in (tmp_path / "figures").iterdir())
    replayed = json.loads(command("lab", "replay", "small.db", "3", "--json", "--quiet"))
    assert same(shallows.replay(tmp_path / "small.db", 3), replayed) and replayed["identical"]
    command("plot", "small.db", "-o", "figures", "--quiet")
    for name, picture in found.plot().items():
        assert (tmp_path / "figures" / f"{name}.svg").read_text(encoding="utf-8").startswith("<")
        assert (tmp_path / "figures" / f"{name}.png").read_bytes() == picture.png


def test_figures_are_those_of_the_command(command, tmp_path):
    printed = json.loads(command("figure", "barrier", "--quick", "-o", "theirs", "--json", "--quiet"))["figures"][0]
    found = shallows.figure("barrier", folder=tmp_path / "ours")
    assert same(found.to_dict(), printed)
    for ending in ("csv", "png", "svg"):
        theirs = (tmp_path / "theirs" / f"barrier.{ending}").read_bytes()
        assert (tmp_path / "ours" / f"barrier.{ending}").read_bytes() == theirs
    assert found.png == theirs or found.png == (tmp_path / "theirs" / "barrier.png").read_bytes()
    assert found.csv == (tmp_path / "theirs" / "barrier.csv").read_text(encoding="utf-8")
    assert [one["name"] for one in shallows.figures()] == [one["name"] for one in json.loads(command("figure", "--list", "--json"))]


def test_a_store_without_a_name_is_called_like_its_specification(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(shallows._sweep.toml(SWEEP | {"trials": 1, "grid": {"n": 10, "k": 2, "d": 2}}), encoding="utf-8")
    assert shallows.sweep("small.toml").store == Path("small.db") and (tmp_path / "small.db").is_file()
    with pytest.raises(ValueError, match="the store would replace the specification"):
        shallows.sweep("small.toml", store="small.toml")
