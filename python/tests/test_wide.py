"""The infinitely wide network: against scikit-learn's Gaussian process with the same laws, and as an estimator."""

import json
import pickle

import numpy as np
import pandas
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Kernel, Matern
from sklearn.model_selection import GridSearchCV

import shallows
from shallows import ShallowsRegressor, WideRegressor
from conftest import same

SETS = ["rough-relu", "rough-erf", "rough-mixed", "ranks", "quadratic"]


class Laws(Kernel):
    """Σ s·κ of the laws that scikit-learn has no kernel for, from their formulas."""

    def __init__(self, layers):
        self.layers = layers

    def __call__(self, X, Y=None, eval_gradient=False):
        return sum(layer["signal"] * value(layer, np.asarray(X), np.asarray(X if Y is None else Y)) for layer in self.layers)

    def diag(self, X):
        return np.diag(self(X))

    def is_stationary(self):
        return False


def value(layer, X, Y):
    law, scales = layer["law"], np.array(list(layer["scales"].values()))
    A, B = X / scales, Y / scales
    if law == "rough-by-input":
        return np.exp(-np.abs(A[:, None] - B[None]).sum(axis=2))
    if law in ("relu", "erf"):
        A, B = (np.column_stack((part, np.full(len(part), layer["bias"]))) for part in (A, B))
    dots, a, b = A @ B.T, (A**2).sum(axis=1)[:, None], (B**2).sum(axis=1)[None]
    if law == "erf":
        return 2 / np.pi * np.arcsin(2 * dots / np.sqrt((1 + 2 * a) * (1 + 2 * b)))
    if law == "relu":
        c = np.clip(dots / np.sqrt(a * b), -1, 1)
        return np.sqrt(a * b) * (np.sqrt(1 - c**2) + (np.pi - np.arccos(c)) * c) / np.pi
    assert law == "quadratic"
    return a * b + 2 * dots**2


#: Those that scikit-learn has.
SMOOTHNESS = {"rough": 0.5, "t3": 1.5, "t5": 2.5}


def covariance(layers):
    """The kernel of all layers, by scikit-learn where it can."""
    total = None
    for layer in layers:
        scales = list(layer["scales"].values())
        if layer["law"] == "affine":
            part = ConstantKernel(layer["signal"], "fixed") * DotProduct(sigma_0=1.0, sigma_0_bounds="fixed")
        elif layer["law"] in SMOOTHNESS or (layer["law"] == "rough-by-input" and len(scales) == 1):
            matern = Matern(scales, "fixed", nu=SMOOTHNESS.get(layer["law"], 0.5))
            part = ConstantKernel(layer["signal"], "fixed") * matern
        else:
            part = Laws([layer])
        total = part if total is None else total + part
    return total


class Process:
    """scikit-learn's Gaussian process with the laws and the noise of a fitted network."""

    def __init__(self, model, X, y, weights=None):
        [self.law] = model.network_.laws
        weights = np.ones(len(y)) if weights is None else weights
        noise = (model.noise_ / self.law["unit"]) ** 2 * weights.mean() / weights
        self.ranks = model.network_.to_dict()["wide"][0].get("ranks")
        self.process = GaussianProcessRegressor(covariance(model.layers_), alpha=noise, optimizer=None)
        self.process.fit(self.inputs(X), (y - self.law["mean"]) / self.law["unit"])

    def inputs(self, X):
        X = X[:, self.law["kept"]]
        if self.ranks is not None:
            X = np.column_stack([np.interp(x, one["values"], one["ranks"]) for x, one in zip(X.T, self.ranks)])
        return (X - self.law["input_mean"]) / self.law["input_deviation"]

    def predict(self, X):
        mean, std = self.process.predict(self.inputs(X), return_std=True)
        return self.law["mean"] + self.law["unit"] * mean, self.law["unit"] * std

    def log_evidence(self, n):
        return self.process.log_marginal_likelihood_value_ - n * np.log(self.law["unit"])


def rows(n=60, d=3, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * np.arange(1, d + 1) + 5.0
    y = 100.0 + 30.0 * np.sin(X[:, 0]) + 4.0 * X[:, -1] + 6.0 * random.normal(size=n)
    return X, y


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("name", SETS)
def test_it_predicts_what_the_gaussian_process_of_scikit_learn_does(name, d, weighted):
    X, y = rows(d=d)
    weights = np.random.default_rng(1).uniform(0.5, 4.0, size=len(y)) if weighted else None
    model = WideRegressor(sets=[name]).fit(X, y, sample_weight=weights)
    process = Process(model, X, y, weights)
    new = np.vstack((X[:5], rows(20, d, seed=2)[0], 40.0 + X[:3]))
    mean, std = model.predict(new, return_std=True)
    expected_mean, expected_std = process.predict(new)
    assert_allclose(mean, expected_mean, rtol=1e-6)
    # Both subtract what the rows explain from the prior: so many digits are lost.
    assert_allclose(std, expected_std, rtol=1e-6, atol=1e-6 * np.sqrt(process.law["noise"]) * process.law["unit"])
    assert_allclose(model.log_evidence_, process.log_evidence(len(y)), rtol=1e-8)
    assert_array_equal(model.predict(new), mean)


def test_errors_of_rows_left_out_are_those_of_processes_without_them():
    X, y = rows(n=40)
    model = WideRegressor(sets=["rough-erf"]).fit(X, y)
    whole = Process(model, X, y)
    errors = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        process = clone(whole.process).set_params(alpha=whole.law["noise"])
        process.fit(whole.inputs(X[others]), y[others] - whole.law["mean"])
        errors.append(process.predict(whole.inputs(X[[i]]))[0] + whole.law["mean"] - y[i])
    assert_allclose(model.left_out_error_, np.sqrt(np.mean(np.square(errors))), rtol=1e-7)


def test_the_deviation_is_that_of_the_function_and_the_noise_comes_on_top():
    random = np.random.default_rng(4)
    X = random.uniform(-1, 1, size=(400, 1))
    y = 10.0 * X[:, 0] + 2.0 * random.normal(size=400)
    model = WideRegressor().fit(X, y)
    mean, std = model.predict(X, return_std=True)
    # Of the line 400 rows tell more than one row has noise.
    assert 1.7 < model.noise_ < 2.3 and (std < 0.5 * model.noise_).all()
    assert 0.9 < np.mean(np.abs(y - mean) < 1.96 * np.hypot(std, model.noise_)) < 0.99
    found = shallows.predict(model, X, deviation=True, coverage=0.9)
    assert_array_equal(found.deviations, std)
    assert f"{model.noise_:.4f}" in found.deviation_statement and "No coverage is proved" in found.deviation_statement
    assert found.to_dict()["deviations"] == std.tolist()
    assert "<th>deviation</th>" in found._repr_html_()
    plain = shallows.predict(model, X)
    assert plain.deviations is None and plain.deviation_statement is None


def test_the_objective_is_what_its_parts_give_and_nothing_of_the_laws_is_below_its_bound():
    X, y = rows()
    model = WideRegressor(sets=["rough-mixed"]).fit(X, y)
    document = model.network_.to_dict()["wide"][0]
    Z, alpha = np.array(document["centres"]), np.array(document["alpha"])
    K = covariance(model.layers_)(Z)

    def objective(alpha):
        return 0.5 * np.mean((document["mean"] + K @ alpha - y) ** 2) + 0.5 * model.decay_ * alpha @ K @ alpha

    found = objective(alpha)
    assert_allclose(model.objective_ * document["target_deviation"] ** 2, found, rtol=1e-9)
    assert model.lower_bound_ <= found * (1 + 1e-12) <= model.lower_bound_ + model.dual_gap_ + 1e-9 * found
    assert 0 <= model.relative_gap_ <= 1e-9
    assert 0 <= model.prediction_distance_ < 1e-3 * model.noise_
    random = np.random.default_rng(0)
    assert all(objective(alpha * (1 + 1e-3 * random.normal(size=len(alpha)))) > model.lower_bound_ for _ in range(20))
    exact = np.linalg.solve(K + len(y) * model.decay_ * np.eye(len(y)), y - document["mean"])
    assert np.abs(K @ (exact - alpha)).max() <= model.prediction_distance_ + 1e-9 * np.abs(y).max()


def test_what_was_chosen_can_be_looked_at():
    X, y = rows()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = WideRegressor(sets=["ranks", "rough-erf"]).fit(frame, pandas.Series(y, name="height"))
    assert set(model.compared_) == {"ranks", "rough-erf"} and model.set_ in model.compared_
    assert model.compared_[model.set_] == min(model.compared_.values())
    assert [layer["law"] for layer in model.layers_][-1] == "affine" and model.layers_[-1]["scales"] == {}
    assert all(list(layer["scales"]) == ["a", "b", "c"] for layer in model.layers_[:-1])
    network = model.network_
    assert repr(network) == f"Network(3 inputs, infinitely wide: {model.set_})"
    assert network.width is None and network.activation == "wide" and network.target == "height"
    assert set(network.laws[0]) <= set(network.to_dict()["wide"][0]) and "alpha" not in network.laws[0]
    with pytest.raises(ValueError, match="no weights\nhint: laws"):
        network.to_weights()
    assert same(model.to_dict()["wide"], network.laws)


def test_sets_that_are_not_there_and_options_of_others_are_refused():
    X, y = rows()
    refused = [
        (["rough-tanh"], ValueError, "the set of layers must be rough-relu, rough-erf, rough-mixed, ranks or quadratic, not \"rough-tanh\""),
        ([], ValueError, "the set of layers must be rough-relu, .* or quadratic, not none"),
        ("ranks", TypeError, "sets must be a list, not 'ranks'"),
        ([1], TypeError, "sets must be a text, not 1"),
    ]
    for sets, kind, words in refused:
        with pytest.raises(kind, match=words):
            WideRegressor(sets=sets).fit(X, y)
    with pytest.raises(NotFittedError):
        WideRegressor().predict(X, return_std=True)
    with pytest.raises(ValueError, match="not one infinitely wide network"):
        shallows.predict(shallows.QuadraticRegressor(decay=0.1).fit(X, y), X, deviation=True)


def test_a_file_and_a_pickle_give_the_same_bits_and_the_same_deviations(tmp_path):
    X, y = rows()
    model = WideRegressor(sets=["rough-relu", "ranks"]).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    model.network_.save(tmp_path / "m.safetensors")
    loaded = shallows.load(tmp_path / "m.safetensors")
    for again in (pickle.loads(pickle.dumps(model)), loaded):
        found = shallows.predict(again, X, deviation=True, coverage=0.8)
        assert_array_equal(found.predictions, mean)
        assert_array_equal(found.deviations, std)
        assert_array_equal(found.intervals, model.predict_interval(X, 0.8))
    assert repr(loaded) == repr(model.network_)
    exported = shallows.export(loaded, tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["wide"][0]["set"] == model.set_ and exported["bytes"] > 0


def test_what_is_proved_can_be_checked_and_proved_again():
    X, y = rows()
    weights = np.random.default_rng(3).integers(0, 3, size=len(y)).astype(float)
    model = WideRegressor().fit(X, y, sample_weight=weights)
    verified = shallows.verify(model.certificate_, X, y, sample_weight=weights, model=model)
    assert verified and verified.certificate.certificates[0]["theorem"] == "wide-optimum"
    for theorems in (None, ["wide-optimum"]):
        proved = shallows.certify(model, X, y, sample_weight=weights, theorems=theorems)
        assert proved.verdict == "holds" and proved.lower_bound == model.lower_bound_
        assert proved.to_dict()["certificates"] == model.certificate_["certificates"]
    assert shallows.certify(model, X, y + 1.0, sample_weight=weights).verdict == "fails"
    with pytest.raises(ValueError, match="fitted to other rows than these\nhint: give the table that the model was fitted to"):
        shallows.certify(model, X[:-1], y[:-1], sample_weight=weights[:-1])
    with pytest.raises(ValueError, match="the decay applies only with networks of finite width"):
        shallows.certify(model, X, y, sample_weight=weights, decay=0.1)
    with pytest.raises(ValueError, match="strict-saddle.*wide"):
        shallows.certify(model, X, y, sample_weight=weights, theorems=["strict-saddle"])
    with pytest.raises(ValueError, match="infinitely wide for wide-optimum, not quadratic"):
        shallows.certify(shallows.QuadraticRegressor(decay=0.1).fit(X, y), X, y, theorems=["wide-optimum"])
    with pytest.warns(ConvergenceWarning, match=r"relative gap is .*, the tolerance 1e-300"):
        WideRegressor(sets=["ranks"], tolerance=1e-300).fit(X, y)


def test_importances_and_intervals_and_held_out_rows():
    X, y = rows(n=120)
    model = WideRegressor(sets=["rough-erf"], holdout=0.25, folds=3, random_state=2).fit(X, y)
    assert len(model.to_dict()["folds"]) == 3 and model.to_dict()["test"]["rmse"] > 0
    explained = shallows.explain(model, X, y)
    assert "infinitely wide" in repr(explained)
    assert {one["column"] for one in explained.importance["columns"][:2]} == {"x1", "x3"}
    intervals = model.predict_interval(X, 0.8)
    assert intervals.shape == (120, 2) and (intervals[:, 0] < intervals[:, 1]).all()
    assert np.mean((intervals[:, 0] <= y) & (y <= intervals[:, 1])) > 0.7
    split = WideRegressor(sets=["rough-erf"], calibrate=0.3).fit(X, y)
    assert "90 %" in split.network_.interval_statement(0.9) and split.predict_interval(X).shape == (120, 2)


def test_words_and_gaps_go_through_the_recipe():
    random = np.random.default_rng(0)
    x, colour = random.normal(size=120), random.choice(["red", "green", "blue"], size=120)
    frame = pandas.DataFrame({"x": np.where(np.arange(120) % 10 == 0, np.nan, x), "colour": colour})
    y = np.abs(x) + 3.0 * (colour == "red") + 0.1 * random.normal(size=120)
    model = WideRegressor().fit(frame, y)
    assert {"x missing", "colour=red"} <= set(model.layers_[0]["scales"])
    # The 0/1 inputs of a column share their scale.
    words = [scale for name, scale in model.layers_[0]["scales"].items() if name.startswith("colour=")]
    assert len(words) > 1 and len(set(words)) == 1
    _, std = model.predict(frame, return_std=True)
    assert model.score(frame, y) > 0.8 and std.shape == (120,)
    with pytest.warns(UserWarning, match='column "colour"'):
        model.predict(frame.assign(colour="violet"), return_std=True)


def test_with_a_logarithm_the_deviation_is_that_of_the_logarithm():
    X, y = rows()
    mean, std = WideRegressor(sets=["rough-erf"], target_scale="log").fit(X, np.exp(y / 50.0)).predict(X, return_std=True)
    log_mean, log_std = WideRegressor(sets=["rough-erf"]).fit(X, y / 50.0).predict(X, return_std=True)
    assert_allclose(np.log(mean), log_mean, rtol=1e-6)
    assert_allclose(std, log_std, rtol=1e-4)


def test_sets_can_be_searched_over():
    X, y = rows(seed=1)
    y = np.floor(X[:, 0])
    search = GridSearchCV(WideRegressor(), {"sets": [["quadratic"], ["rough-erf"]]}, cv=3, n_jobs=2).fit(X, y)
    assert search.best_params_ == {"sets": ["rough-erf"]}


def test_the_automatic_fit_takes_one_wide_network_or_some_of_them():
    random = np.random.default_rng(0)
    X = random.uniform(size=(150, 2))
    y = np.floor(4 * X[:, 0]) + np.floor(3 * X[:, 1]) + 0.05 * random.normal(size=150)
    model = ShallowsRegressor(effort="quick").fit(X, y)
    assert model.outcome_ in ("wide", "combined")
    [first, *_] = model.certificate_["certificates"]
    assert (first["theorem"], first["verdict"]) == ("wide-optimum", "holds")
    weights = [law["weight"] for law in model.network_.laws]
    assert weights == [1.0] or model.outcome_ == "combined" and 0 < sum(weights) <= 1 + 1e-12
    assert "infinitely wide: " in repr(model.network_) and model.network_.width is None
    assert shallows.verify(model.certificate_, X, y, model=model)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(X), model.predict(X))
    assert_array_equal(again.predict_interval(X), model.predict_interval(X))
    given = ShallowsRegressor(activation="wide").fit(X, y)
    assert given.outcome_ == "network" and given.network_.activation == "wide"
    assert_array_equal(given.predict(X), WideRegressor().fit(X, y).predict(X))
