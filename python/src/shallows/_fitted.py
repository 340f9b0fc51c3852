"""What the estimators have in common: arrays and frames in, a network out, by the rules of scikit-learn."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _frames
from ._frames import Floats
from ._network import Network
from ._samples import Samples, dependence, free, name_of, numbered, own_name
from ._shallows import CertificateFile, fit, has_gaps

Progress = Callable[[dict[str, Any]], object]
#: What `np.random` and scikit-learn take.
RandomState = int | np.random.RandomState | None
Missing = Literal["fill", "error"]
Dates = Literal["auto", "number", "parts", "drop"]


class Fitted(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """What all estimators have in common."""

    # Parameters that every subclass has.
    calibrate: float | None
    holdout: float | str | os.PathLike[str] | None
    folds: int | None
    findings: bool
    categorical: Sequence[str]
    ordered: Mapping[str, Sequence[str]] | None
    dates: Dates
    gaps: Sequence[str]
    drop: Sequence[str]
    missing: Missing
    random_state: RandomState
    progress: Progress | None
    tolerance: float | None

    network_: Network
    objective_: float
    decay_: float
    seconds_: float
    n_features_in_: int

    #: What ``shallows fit --json`` prints.
    _document: dict[str, Any]
    #: What is proved.
    _certificate: CertificateFile | None

    def _settings(self) -> dict[str, Any]:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "network_")

    @property
    def certificate_(self) -> dict[str, Any] | None:
        """The whole certificate, as ``shallows verify`` reads it; None where nothing is proved."""
        check_is_fitted(self)
        certificate: dict[str, Any] | None = None if self._certificate is None else json.loads(self._certificate.to_json())
        return certificate

    def to_dict(self) -> dict[str, Any]:
        """The document that ``shallows fit --json`` prints, without paths: scores, candidates, what is proved."""
        check_is_fitted(self)
        return self._document

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "fill"
        return tags

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, time: Any) -> dict[str, Any]:
        """Fit, and give back what is known about it."""
        if hasattr(self, "network_"):
            del self.network_
        if self.missing not in ("fill", "error"):
            raise ValueError(f"missing must be fill or error, not {self.missing}")
        settings = self._settings() | {
            "random_state": self._seed(),
            "refuse_gaps": self.missing == "error",
            "calibrate": self.calibrate,
            "holdout": _share_or_file(self.holdout),
            "folds": self.folds,
            "findings": self.findings,
            "drop": self.drop,
            "categorical": self.categorical,
            "ordered": dict(self.ordered or {}),
            "dates": self.dates,
            "gaps": self.gaps,
        }
        labels, words = y, _frames.is_frame(X) and not _frames.is_numeric(X)
        names = _frames.names(X) if _frames.is_frame(X) else []
        if _are_ready(X, y) and (self.missing == "fill" or not has_gaps(X)):
            self.n_features_in_ = X.shape[1]
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        elif words:
            validate_data(self, X, skip_check_array=True)
            y = column_or_1d(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"), warn=True)
            check_consistent_length(X, y)
            # What was said about a column counts, whatever the frame calls it.
            orders = {name: words for name, words in _frames.orders(X).items() if name not in self.categorical}
            settings["ordered"] = orders | settings["ordered"]
            unordered = [name for name in _frames.categories(X) if name not in settings["ordered"]]
            settings["categorical"] = [*self.categorical, *unordered]
        else:
            X, y = validate_data(
                self, X, y, dtype=np.float64, order="C", y_numeric=True, ensure_min_samples=2,
                ensure_all_finite="allow-nan" if self.missing == "fill" else True,
            )  # fmt: skip
        y = np.ascontiguousarray(y, dtype=np.float64)
        weights = None if sample_weight is None else self._weights(sample_weight, X)
        names = names or numbered(self.n_features_in_)
        target = name_of(labels, names)
        weight = free([*names, target], own_name(sample_weight) or ["sample_weight"])
        inputs = _frames.columns(X) if words else X
        counted = None if weights is None else weight
        depending = dependence(groups, time, [*names, target, weight], len(y))
        samples = Samples(inputs, names, len(y), y, target, weights, counted, **depending)
        model, document, self._certificate = fit(samples, settings, self.progress)
        self._document = document
        self.network_ = Network(model)
        self.objective_, self.decay_ = document["objective"], document["model"]["decay"]
        self.seconds_ = document["seconds"]
        return document

    def _weights(self, sample_weight: Any, X: Any) -> Floats:
        given = np.ones(len(X)) if _frames.is_frame(X) else X
        weights: Floats = _check_sample_weight(sample_weight, given, dtype=np.float64)
        return np.ascontiguousarray(weights)

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _inputs(self, X: Any) -> Any:
        """X as the network takes it."""
        check_is_fitted(self)
        if _frames.is_frame(X) and not _frames.is_numeric(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            if self.missing == "error" and _frames.has_gaps(X):
                raise ValueError("X has gaps\nhint: fill them, or fit with missing=\"fill\"")
            return X
        return validate_data(
            self, X, reset=False, dtype=np.float64, order="C",
            ensure_all_finite="allow-nan" if self.missing == "fill" else True,
        )  # fmt: skip

    def predict(self, X: Any) -> Floats:
        """Predict the target.

        Parameters
        ----------
        X : array of shape (n, d) or frame
            The columns of the fit.

        Returns
        -------
        array of shape (n,)
        """
        X = self._inputs(X)
        return self.network_.predict(X)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Intervals intended to cover this share of new targets.

        ``network_.interval_statement(coverage)`` states the guarantee. Intervals need a fit with ``calibrate``, an infinitely
        wide network, or the automatic fit.

        Parameters
        ----------
        X : array of shape (n, d) or frame
        coverage : float
            Between 0 and 1.

        Returns
        -------
        array of shape (n, 2)
            From and to.
        """
        X = self._inputs(X)
        return self.network_.predict_interval(X, coverage)


def _are_ready(X: object, y: object) -> bool:
    """Whether arrays are such that scikit-learn's validation would leave them as they are; inputs that are not finite are
    found later."""
    if not (type(X) is np.ndarray and type(y) is np.ndarray and X.ndim == 2 and y.ndim == 1):
        return False
    long_enough = X.shape[0] >= 2 and X.shape[1] >= 1 and len(X) == len(y)
    exact = X.dtype == y.dtype == np.float64 and X.flags.c_contiguous
    return bool(exact and long_enough and np.isfinite(y).all())


def _share_or_file(holdout: float | str | os.PathLike[str] | None) -> str | None:
    """Rows that judge, as the command is told of them: a share, or the file of their numbers."""
    if isinstance(holdout, (str, os.PathLike)):
        return os.fspath(holdout)
    return None if holdout is None else str(float(holdout))
