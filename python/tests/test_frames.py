"""Frames as people have them: gaps of all kinds, odd names, other types at prediction; and which samples a certificate means."""

import numpy as np
import pandas
import polars
import pytest
from sklearn.exceptions import NotFittedError

import shallows
from shallows import QuadraticRegressor

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(50, 3))
Y = X[:, 0] + X[:, 1] ** 2
FRAME = pandas.DataFrame(X, columns=list("abc")).assign(w=np.abs(X[:, 0]) + 0.1, y=Y)
WORDS = ["u", "v", "w", "u", "v"] * 10


@pytest.mark.parametrize(
    "column",
    [
        pandas.Series(["u", pandas.NA, "v", "u", pandas.NA] * 10, dtype="string"),
        pandas.Series([True, pandas.NA, False, True, pandas.NA] * 10, dtype="boolean"),
        pandas.Series(["u", pandas.NA, "v", None, np.nan] * 10, dtype="object"),
        pandas.Series([1, pandas.NA, 3, 4, pandas.NA] * 10, dtype="Int64"),
    ],
)
def test_every_kind_of_gap_is_one(column):
    frame = pandas.DataFrame({"a": X[:, 0], "s": column})
    model = QuadraticRegressor(decay=1e-3).fit(frame, X[:, 0])
    assert model.score(frame, X[:, 0]) > 0.9


def test_words_that_are_not_known_are_warned_of():
    frame = pandas.DataFrame({"a": X[:, 0], "f": X[:, 1] > 0})
    model = QuadraticRegressor(decay=1e-4).fit(frame, frame.a + 2 * frame.f)
    expected = model.predict(frame)
    with pytest.warns(UserWarning, match='column "f": 50 cells with 1 or 0 taken as true or false'):
        assert (model.predict(frame.astype(float)) == expected).all()
    with pytest.warns(UserWarning, match='column "f"'):
        assert (model.network_.predict(frame.astype(float).to_numpy()) == expected).all()
    mixed = frame.assign(f=frame.f.astype(str).str.lower().mask(frame.index < 3, "perhaps"))
    with pytest.warns(UserWarning, match='column "f": 3 unknown, such as "perhaps", taken as'):
        model.predict(mixed)


@pytest.mark.parametrize("names", [["a", 1], [0, 1], [("a", 0), ("a", 1)]])
@pytest.mark.parametrize("second", [X[:, 1], WORDS])
def test_columns_need_not_be_called_by_texts(names, second):
    if isinstance(names[0], str):
        names = ["a", "1"]
    frame = pandas.DataFrame({0: X[:, 0], 1: second})
    frame.columns = names
    model = QuadraticRegressor(decay=1e-3).fit(frame, X[:, 0])
    assert (model.predict(frame) == model.network_.predict(frame)).all()
    assert shallows.verify(model.certificate_, frame, X[:, 0]).verdict == "holds"


def test_names_that_occur_twice_are_refused():
    frame = pandas.DataFrame(X[:, :2], columns=["a", "a"])
    for work in (lambda: QuadraticRegressor().fit(frame, Y), lambda: shallows.check(frame, Y)):
        with pytest.raises(ValueError, match='several columns called "a"'):
            work()


def test_labels_without_a_name_are_called_y():
    frame = polars.DataFrame({"a": X[:, 0], "s": WORDS})
    model = QuadraticRegressor(decay=1e-3).fit(frame, polars.Series(X[:, 0]))
    assert model.network_.target == "y" and model.score(frame, X[:, 0]) > 0.9


def test_gaps_that_are_not_to_be_filled_are_refused_at_prediction_too():
    frame = pandas.DataFrame({"a": X[:, 0], "s": WORDS})
    model = QuadraticRegressor(decay=1e-3, missing="error").fit(frame, X[:, 0])
    with pytest.raises(ValueError, match="X has gaps"):
        model.predict(frame.assign(a=np.where(X[:, 0] > 0, np.nan, X[:, 0])))


def test_after_a_fit_that_failed_nothing_is_fitted():
    model = QuadraticRegressor(decay=1e-3).fit(X, Y)
    with pytest.raises(ValueError, match="is 1 in every row"):
        model.fit(X, np.ones(50))
    for work in (lambda: model.predict(X), lambda: model.certificate_):
        with pytest.raises(NotFittedError):
            work()


def test_a_certificate_speaks_about_its_target_and_its_weights_only(tmp_path, command):
    inputs = FRAME[["a", "b", "c"]]
    FRAME.to_csv(tmp_path / "frame.csv", index=False)
    plain = QuadraticRegressor(decay=0.01).fit(inputs, FRAME.y).certificate_
    weighted = QuadraticRegressor(decay=0.01).fit(inputs, FRAME.y, sample_weight=FRAME.w)
    holding = [
        (plain, (FRAME, "y"), None),
        (plain, (inputs, FRAME.y), None),
        (plain, (tmp_path / "frame.csv",), None),
        (weighted.certificate_, (FRAME, "y"), "w"),
        (weighted.certificate_, (inputs, FRAME.y), FRAME.w),
        (weighted.certificate_, (X, Y), FRAME.w.to_numpy()),
        (weighted.certificate_, (tmp_path / "frame.csv",), "w"),
    ]
    for certificate, samples, weights in holding:
        assert shallows.verify(certificate, *samples, sample_weight=weights).verdict == "holds"
    refused = [
        (plain, (FRAME, "nope"), None, 'its target is "y", not "nope"'),
        (plain, (FRAME, "w"), None, 'its target is "y", not "w"'),
        (plain, (inputs, FRAME.y), FRAME.w, 'its weight is none, not "w"'),
        (plain, (X, Y), np.ones(50), "its weight is none"),
        (plain, (tmp_path / "frame.csv",), "nope", 'its weight is none, not "nope"'),
        (weighted.certificate_, (tmp_path / "frame.csv",), "a", 'its weight is "w", not "a"'),
        (weighted.certificate_, (FRAME, "y"), "nope", 'X has no column "nope"'),
        (weighted.certificate_, (X, Y), None, "not the one that the certificate was issued for"),
        (weighted.certificate_, (inputs, FRAME.y), 2 * FRAME.w, "not the one that the certificate was issued for"),
    ]
    for certificate, samples, weights, words in refused:
        with pytest.raises(ValueError, match=words):
            shallows.verify(certificate, *samples, sample_weight=weights)
    # The command reads the weights from the column that they came from.
    shallows.Certificate.from_dict(weighted.certificate_).save(tmp_path / "weighted.json")
    assert "holds" in command("verify", tmp_path / "weighted.json", tmp_path / "frame.csv")


def test_dates_of_frames_are_those_of_files(tmp_path):
    days = pandas.date_range("2004-01-01", periods=60, freq="D")
    y = np.arange(60.0) + 3 * (days.weekday == 5)
    frame = pandas.DataFrame({"d": days, "x": np.tile([1.0, 2.0, 4.0], 20)})
    expected = ["d − 2004-01-01", "d weekday", "x"]
    for given in (frame, polars.from_pandas(frame), frame.assign(d=days.strftime("%m/%d/%Y"))):
        model = QuadraticRegressor(decay=1e-3).fit(given, y)
        assert model.network_.inputs == expected
        assert np.allclose(model.predict(frame), model.predict(given))
    frame.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    document = QuadraticRegressor(decay=1e-3).fit(frame, y).certificate_
    assert shallows.verify(document, tmp_path / "t.csv").verdict == "holds"
    only_days = QuadraticRegressor(decay=1e-3, dates="number").fit(frame, y)
    assert only_days.network_.inputs == ["d − 2004-01-01", "x"]
    assert QuadraticRegressor(decay=1e-3, dates="drop").fit(frame, y).network_.inputs == ["x"]
    with pytest.raises((ValueError, TypeError), match="dates"):
        QuadraticRegressor(dates="weeks").fit(frame, y)


def test_ordered_categories_become_their_places():
    sizes = pandas.Categorical(["M", "S", "L", "S", "M"] * 10, categories=["S", "M", "L"], ordered=True)
    frame = pandas.DataFrame({"size": sizes, "a": X[:, 0]})
    y = sizes.codes + X[:, 0]
    model = QuadraticRegressor(decay=1e-4).fit(frame, y)
    assert model.network_.inputs == ["size", "a"]
    as_texts = frame.assign(size=frame["size"].astype(str))
    again = QuadraticRegressor(decay=1e-4, ordered={"size": ["S", "M", "L"]}).fit(as_texts, y)
    assert np.array_equal(again.predict(as_texts), model.predict(frame))
    with pytest.raises(ValueError, match="are none of S < M"):
        QuadraticRegressor(ordered={"size": ["S", "M"]}).fit(as_texts, y)


def test_texts_that_mean_a_gap_are_named():
    frame = pandas.DataFrame({"a": ["1.5", "-", "2.5", "unknown", "4"] * 10, "b": X[:, 1]})
    with pytest.raises(ValueError, match="20 cells are not numbers, such as"):
        QuadraticRegressor(decay=1e-3).fit(frame, X[:, 1])
    model = QuadraticRegressor(decay=1e-3, gaps=["-", "unknown"]).fit(frame, X[:, 1])
    assert model.network_.inputs == ["a", "a missing", "b"]
