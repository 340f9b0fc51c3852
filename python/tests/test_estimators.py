"""The estimators by the rules of scikit-learn."""

import pickle

import numpy as np
import pandas
import polars
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from shallows import QuadraticRegressor, ShallowsRegressor, WideRegressor

ESTIMATORS = [
    QuadraticRegressor(),
    QuadraticRegressor(missing="error", decay=1e-3),
    ShallowsRegressor(effort="quick"),
    WideRegressor(),
    WideRegressor(missing="error", sets=["rough-erf"]),
]


@parametrize_with_checks(ESTIMATORS)
def test_check_estimator(estimator, check):
    check(estimator)


QUICK = [
    QuadraticRegressor(decay=1e-3),
    ShallowsRegressor(effort="quick", random_state=3),
    WideRegressor(sets=["rough-erf", "ranks"]),
]


@pytest.fixture(params=QUICK, ids=lambda estimator: type(estimator).__name__)
def estimator(request):
    return clone(request.param)


def test_a_pickled_estimator_predicts_the_same_bits(estimator, planted):
    X, y = planted
    estimator.fit(X, y)
    again = pickle.loads(pickle.dumps(estimator))
    assert_array_equal(again.predict(X), estimator.predict(X))
    assert again.certificate_ == estimator.certificate_


def test_pipelines_and_grid_searches_on_two_processes(planted):
    X, y = planted
    pipeline = make_pipeline(StandardScaler(), QuadraticRegressor())
    grid = {"quadraticregressor__decay": [1e-4, 1.0], "quadraticregressor__signs": ["any", "positive"]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    assert search.best_params_ == {"quadraticregressor__decay": 1e-4, "quadraticregressor__signs": "any"}
    assert search.best_score_ > 0.99


def test_the_same_seed_gives_the_same_bits_and_another_does_not(planted):
    X, _ = planted
    # The weights of a combination come from the folds, and the folds from the seed.
    y = np.abs(X[:, 0]) + X[:, 1] ** 2 + 0.3 * np.sin(40 * X[:, 2])
    fits = [ShallowsRegressor(effort="quick", prefer="accuracy", random_state=seed).fit(X, y) for seed in (1, 1, 2)]
    assert [fit.outcome_ for fit in fits] == ["combined"] * 3
    fits = [fit.predict(X) for fit in fits]
    assert_array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])
    drawn = ShallowsRegressor(effort="quick", random_state=np.random.RandomState(0)).fit(X, y)
    again = ShallowsRegressor(effort="quick", random_state=np.random.RandomState(0)).fit(X, y)
    assert_array_equal(drawn.predict(X), again.predict(X))


@pytest.mark.parametrize("shuffled", [False, True])
def test_weights_are_repetitions(estimator, planted, shuffled):
    X, y = planted
    weights = np.random.default_rng(0).integers(0, 4, size=len(y))
    repeated_X, repeated_y = X.repeat(weights, axis=0), y.repeat(weights)
    if shuffled:
        order = np.random.default_rng(1).permutation(len(repeated_y))
        repeated_X, repeated_y = repeated_X[order], repeated_y[order]
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    repeated = clone(estimator).fit(repeated_X, repeated_y)
    assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_weights_of_zero_and_one_leave_rows_out(estimator, planted):
    X, y = planted
    kept = np.arange(len(y)) % 3 > 0
    weighted = clone(estimator).fit(X, y, sample_weight=kept.astype(float))
    assert_array_equal(weighted.predict(X), clone(estimator).fit(X[kept], y[kept]).predict(X))


def test_frames_of_pandas_and_polars_and_arrays_are_the_same(estimator, planted):
    X, y = planted
    names = ["a", "b", "c", "d"]
    frames = [pandas.DataFrame(X, columns=names), polars.DataFrame(X, schema=names)]
    expected = clone(estimator).fit(X, y).predict(X)
    for frame in frames:
        fitted = clone(estimator).fit(frame, y)
        assert list(fitted.feature_names_in_) == names == fitted.network_.columns
        assert_array_equal(fitted.predict(frame), expected)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frames[0][["b", "a", "c", "d"]])


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_words_and_gaps_of_frames_go_through_the_recipe(kind):
    random = np.random.default_rng(0)
    x, colour = random.normal(size=80), random.choice(["red", "green", "blue"], size=80)
    y = x + (colour == "red") * 2.0
    gaps = [None if i % 10 == 0 else float(value) for i, value in enumerate(x)]
    columns = {"x": gaps, "colour": colour.tolist(), "sure": (x > 0).tolist()}
    frame = pandas.DataFrame(columns) if kind == "pandas" else polars.DataFrame(columns)
    model = QuadraticRegressor(decay=1e-4).fit(frame, y)
    assert "x missing" in model.network_.inputs and "colour=red" in model.network_.inputs
    assert "sure=true" in model.network_.inputs or "sure=false" in model.network_.inputs
    assert model.score(frame, y) > 0.7


def test_gaps_in_arrays_are_filled_or_refused(planted):
    X, y = planted
    X = X.copy()
    X[::7, 1] = np.nan
    model = QuadraticRegressor(decay=1e-3).fit(X, y)
    assert model.network_.inputs == ["x1", "x2", "x2 missing", "x3", "x4"]
    assert np.isfinite(model.predict(X)).all()
    with pytest.raises(ValueError, match="NaN"):
        QuadraticRegressor(missing="error").fit(X, y)


def test_columns_that_say_nothing_are_left_out(planted):
    X, y = planted
    wide = np.column_stack([np.ones(len(y)), X, X[:, 0]])
    model = QuadraticRegressor(decay=1e-3).fit(wide, y)
    assert model.network_.inputs == ["x2", "x3", "x4", "x5"]
    assert_array_equal(model.predict(wide), QuadraticRegressor(decay=1e-3).fit(X, y).predict(X))


def test_the_certificate_bounds_the_objective(planted):
    X, y = planted
    model = QuadraticRegressor(decay=1e-2, scaling=False).fit(X, y)
    assert 0 <= model.dual_gap_ <= 1e-6 * (model.lower_bound_ + model.dual_gap_)
    assert model.relative_gap_ <= 1e-6 and model.n_iter_ >= 1
    weights = model.network_.to_weights()
    r = model.predict(X) - y
    nuclear = np.abs(weights["v"][0]) @ (weights["W"] ** 2).sum(axis=1)
    objective = 0.5 * np.mean(r**2) + 1e-2 * nuclear
    assert model.lower_bound_ <= objective * (1 + 1e-12)
    assert objective <= model.lower_bound_ + model.dual_gap_ + 1e-12 * objective
    # Any competitor is at least as bad: the affine model, the interpolating one, a random one.
    for W, v in [(np.zeros((1, 4)), [1.0]), (np.eye(4), np.ones(4))]:
        f = ((X @ np.asarray(W).T) ** 2) @ v
        A = np.column_stack([X, np.ones(len(y))])
        f = f + A @ np.linalg.lstsq(A, y - f, rcond=None)[0]
        competitor = 0.5 * np.mean((f - y) ** 2) + 1e-2 * np.abs(v) @ (np.asarray(W) ** 2).sum(axis=1)
        assert model.lower_bound_ <= competitor


def test_what_is_not_proved_is_warned_of_with_gap_and_tolerance(planted):
    X, y = planted
    with pytest.warns(ConvergenceWarning, match=r"relative gap is .*, the tolerance 1e-16"):
        QuadraticRegressor(decay=1e-2, tolerance=1e-16).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"lbfgs ended after 3 iterations .*the gradient is .*, which is not as small as asked for"):
        ShallowsRegressor(activation="tanh", width=3, decay=1e-3, method="lbfgs", iterations=3).fit(X, y)


def test_intervals_cover_and_say_what_is_proved(planted):
    X, y = planted
    model = ShallowsRegressor(effort="quick").fit(X, y)
    intervals = model.predict_interval(X, coverage=0.8)
    assert intervals.shape == (len(y), 2)
    assert np.mean((intervals[:, 0] <= y) & (y <= intervals[:, 1])) >= 0.8
    assert "80 %" in model.network_.interval_statement(0.8)
    split = QuadraticRegressor(decay=1e-3, calibrate=0.3).fit(X, y)
    assert (np.diff(split.predict_interval(X, 0.9)) > 0).all()
    with pytest.raises(ValueError, match="too few rows"):
        split.predict_interval(X, 0.999)
    with pytest.raises(ValueError, match="no intervals|calibrat"):
        QuadraticRegressor(decay=1e-3).fit(X, y).predict_interval(X)
    with pytest.raises(NotFittedError):
        ShallowsRegressor().predict_interval(X)


def test_progress_is_reported_and_its_exceptions_end_the_fit(planted):
    X, y = planted
    reports = []
    ShallowsRegressor(effort="quick", progress=reports.append).fit(X, y)
    assert reports and all(report["stage"] in ("fitting", "choosing", "refitting", "solving", "training") for report in reports)

    def refuse(report):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        ShallowsRegressor(effort="best", progress=refuse).fit(X, y)


NO_SETTINGS = [
    ({"width": 2.5}, ValueError, "width must be a whole number of at least 0 .*, not 2.5"),
    ({"width": -1}, ValueError, "width must be a whole number of at least 0 .*, not -1"),
    ({"width": "wide"}, TypeError, "width must be a whole number of at least 0 .*, not 'wide'"),
    ({"width": True}, TypeError, "width must be a whole number of at least 0 .*, not True"),
    ({"random_state": -1}, ValueError, "random_state must be a whole number"),
    ({"random_state": 2**64}, ValueError, "random_state must be a whole number"),
    ({"decay": np.nan}, ValueError, "the decay must be a finite number of at least 0, not NaN"),
    ({"decay": np.inf}, ValueError, "the decay must be a finite number of at least 0, not inf"),
    ({"tolerance": np.nan}, ValueError, "the tolerance must be above 0 and at most 0.1, not NaN"),
    ({"tolerance": "small"}, TypeError, "tolerance must be a number, not 'small'"),
    ({"linear": "no"}, TypeError, "linear must be True or False, not 'no'"),
    ({"target_scale": "square"}, ValueError, "target_scale must be identity or log, not square"),
    ({"drop": "x1"}, TypeError, "drop must be a list, not 'x1'"),
    ({"categorical": [1]}, TypeError, "categorical must be a text, not 1"),
    ({"calibrate": np.nan}, ValueError, "between 0 and 1, such as 0.2, not NaN"),
    ({"budget": -1}, ValueError, "budget must be a positive number of seconds"),
]


@pytest.mark.parametrize("kind", [QuadraticRegressor, ShallowsRegressor, WideRegressor])
@pytest.mark.parametrize(("settings", "error", "words"), NO_SETTINGS)
def test_bad_settings_are_refused_under_their_names(kind, settings, error, words, planted):
    if not set(settings) <= set(kind().get_params()):
        pytest.skip("it has no such parameter")
    with pytest.raises(error, match=words):
        kind(**settings).fit(*planted)


def test_numbers_of_numpy_are_settings(planted):
    X, y = planted
    settings = {"width": np.int64(2), "decay": np.float32(0.25), "tolerance": np.float64(1e-3), "linear": np.True_}
    expected = QuadraticRegressor(width=2, decay=0.25, tolerance=1e-3, linear=True).fit(X, y)
    found = QuadraticRegressor(**settings, random_state=np.uint8(0), drop=np.array([], dtype=str)).fit(X, y)
    assert (found.predict(X) == expected.predict(X)).all()


def test_groups_apart_from_the_inputs_are_left_out_whole_and_never_asked_for():
    random = np.random.default_rng(5)
    patients = np.repeat(np.arange(24), 5)
    X = random.normal(size=(24, 2))[patients] + 0.01 * random.normal(size=(120, 2))
    y = random.normal(size=24)[patients] + 0.1 * random.normal(size=120)
    rmse = lambda **given: WideRegressor(folds=4).fit(X, y, **given).to_dict()["folds"][0]["rmse"]  # noqa: E731
    assert rmse(groups=patients) > 2 * rmse()
    words = [f"p{number}" for number in patients]
    fits = [WideRegressor().fit(X, y, groups=given) for given in (patients, words, pandas.Series(words, name="patient"))]
    assert [fit.to_dict()["data"]["group"]["column"] for fit in fits] == ["groups", "groups", "patient"]
    for fit in fits:
        assert fit.n_features_in_ == 2
        assert_array_equal(fit.predict(X), fits[0].predict(X))
        assert fit.predict_interval(X[:3], 0.8).shape == (3, 2)
    assert 'new "patient"' in fits[2].network_.interval_statement(0.8)


def test_times_apart_from_the_inputs_become_no_input(planted):
    X, y = planted
    model = QuadraticRegressor(decay=1e-3, holdout=0.25).fit(X, y, time=np.arange(len(y)))
    assert model.to_dict()["data"]["time"] == {"column": "time", "times": len(y)}
    assert model.to_dict()["data"]["inputs"] == X.shape[1]
    last = QuadraticRegressor(decay=1e-3).fit(X[: len(y) - model.to_dict()["test"]["rows"]], y[: len(y) - model.to_dict()["test"]["rows"]])
    assert_array_equal(model.predict(X), last.predict(X))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"groups": [1, 2], "time": [1, 2]}, "together"),
        ({"groups": [1, 2]}, "2 entries"),
        ({"groups": "patient"}, "no column"),
        ({"time": np.zeros((3, 3))}, "one dimension"),
        ({"groups": np.ones(80)}, "one value"),
    ],
)
def test_groups_and_times_that_make_no_sense_are_refused(given, words):
    X = np.random.default_rng(0).normal(size=(80, 2))
    with pytest.raises(ValueError, match=words):
        QuadraticRegressor(decay=1.0).fit(X, X[:, 0], **given)
