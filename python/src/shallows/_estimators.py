"""The automatic fit and the quadratic network as estimators."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from ._fitted import Dates, Fitted, Missing, Progress, RandomState

Signs = Literal["any", "positive", "negative"]
Scale = Literal["identity", "log"]
Effort = Literal["quick", "normal", "best"]
Preference = Literal["balanced", "accuracy", "proof"]


class ShallowsRegressor(Fitted):
    """The automatic fit: candidates from affine to very wide, compared and combined by cross-validation.

    With everything left open, an affine model, the certified quadratic network, infinitely wide networks, and relu, cos, tanh
    and softplus networks are compared by their errors on rows left out, and the best are combined into one hidden layer,
    unless a simpler one is as good. The parameters are the options of ``shallows fit``, and the same seed gives the same bits.

    Parameters
    ----------
    effort : {"quick", "normal", "best"}, optional
        How much work the automatic fit does, about 1 : 5 : 15 in time; ``"normal"`` unless given. Refused where there is
        nothing to compare: with an activation, a width, or a part left out.
    prefer : {"balanced", "accuracy", "proof"}, optional
        What is taken: the simplest model that nothing is clearly ahead of (``"balanced"``, unless given), the least
        cross-validated error, or one network at a certified global optimum. Refused where there is nothing to compare.
    budget : float or str, optional
        Stop after about this long and keep the best model so far: seconds, or a time such as ``"5m"``. A first model is
        finished even if that takes longer. Without a budget the result depends on the seed alone.
    activation : str
        ``"auto"``, or one such as ``"relu"``, ``"tanh"``, ``"softplus:10"``; ``"wide"`` is what `WideRegressor` fits.
    width : int, optional
        Hidden units; chosen from the data unless given.
    decay : float or "auto"
        τ of the penalty, on the scaled table.
    method : str
        ``"auto"``, ``"descent"``, ``"sgd"``, ``"lbfgs"``, ``"newton"`` or ``"levenberg"``.
    iterations, step, batch : int, float, int, optional
        Settings of the method. Refused by methods without them, and by the automatic fit.
    gradient : float, optional
        Stop when the gradient, on the standardised table, is this small; 1e-7 unless given. Refused by the automatic fit.
    linear, intercept, scaling : bool
        Include b·x; include c; train on the standardised table.
    target_scale : {"identity", "log"}
        What is fitted: y, or ln(y) of a positive target.
    calibrate : float, optional
        A share of the rows set aside, so that `predict_interval` gives intervals with a guarantee.
    holdout : float or path, optional
        Rows to test the fit on, which take no part in it: a share such as 0.2, or a file of row numbers counted from 0. Their
        errors are ``to_dict()["test"]``.
    folds : int, optional
        Also fit this many times, each time without one part of the rows; the errors on these parts are ``to_dict()["folds"]``.
    findings : bool
        Also find how the error falls as rows are added, ``to_dict()["learning_curve"]``, and which columns matter,
        ``to_dict()["importance"]``.
    categorical, drop : sequence of str
        Columns whose numbers are names of categories; columns to leave out.
    ordered : mapping of str to sequence of str, optional
        Columns of words that have an order, with the words from the lowest up: ``{"size": ["S", "M", "L"]}``. An ordered
        categorical of pandas is taken so by itself.
    dates : {"auto", "number", "parts", "drop"}
        What becomes of columns of dates and times: days since the first; also month, weekday and hour where they vary, with
        ``"auto"`` where they can say more (months over two years, weekdays of daily stamps over two weeks); or nothing.
    gaps : sequence of str
        Further texts that mean a gap in every column, such as ``["inf", "-", "unknown"]``.
    missing : {"fill", "error"}
        Whether gaps (NaN, None) are filled with the median or the most frequent word of the training rows, or refused.
    merge_repeats : bool
        Merge duplicate rows, adding their weights. On by default, because scikit-learn requires that repeating a row and
        doubling its weight be the same; the command merges them only with ``--merge-repeats``.
    tolerance : float, optional
        The relative gap up to which a network counts as optimal; 1e-6 unless given. Refused where nothing can be certified:
        with an activation other than quadratic or wide, or with a method.
    random_state : int, RandomState or None
        Seed of all random numbers.
    progress : callable, optional
        Called with a dictionary from time to time. An exception in it ends the fit.

    Attributes
    ----------
    network_ : Network
    candidates_ : list of dict
        What was compared: ``name``, cross-validated ``rmse``, ``weight`` in the combination; of single networks
        ``activation``, ``decay`` and ``rmse``.
    outcome_ : str
        What was chosen: ``"affine"``, ``"quadratic"``, ``"wide"`` (one infinitely wide network), ``"combined"`` (`candidates_`
        says of what), or ``"network"`` where the activation was given.
    certificate_ : dict or None
        What is proved: about every infinitely wide network that the fit has, also as a part of a combination, and about the
        quadratic network at its global optimum where that is the fit or a part of it, or beside a fit that has nothing wide.
    objective_, decay_ : float
        What was minimised and the τ that was used, on the scaled table.
    seconds_ : float
        Fitting time in seconds, without the cost of crossing into Python.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from shallows import ShallowsRegressor
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = np.tanh(X[:, 0]) + X[:, 1] ** 2
    >>> model = ShallowsRegressor(effort="quick", random_state=1).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    candidates_: list[dict[str, Any]]
    outcome_: str

    def __init__(
        self,
        *,
        effort: Effort | None = None,
        prefer: Preference | None = None,
        budget: float | str | None = None,
        activation: str = "auto",
        width: int | None = None,
        decay: float | Literal["auto"] = "auto",
        method: str = "auto",
        iterations: int | None = None,
        step: float | None = None,
        batch: int | None = None,
        gradient: float | None = None,
        linear: bool = True,
        intercept: bool = True,
        scaling: bool = True,
        target_scale: Scale = "identity",
        calibrate: float | None = None,
        holdout: float | str | os.PathLike[str] | None = None,
        folds: int | None = None,
        findings: bool = False,
        categorical: Sequence[str] = (),
        ordered: Mapping[str, Sequence[str]] | None = None,
        dates: Dates = "auto",
        gaps: Sequence[str] = (),
        drop: Sequence[str] = (),
        missing: Missing = "fill",
        merge_repeats: bool = True,
        tolerance: float | None = None,
        random_state: RandomState = 0,
        progress: Progress | None = None,
    ) -> None:
        self.effort = effort
        self.prefer = prefer
        self.budget = budget
        self.activation = activation
        self.width = width
        self.decay = decay
        self.method = method
        self.iterations = iterations
        self.step = step
        self.batch = batch
        self.gradient = gradient
        self.linear = linear
        self.intercept = intercept
        self.scaling = scaling
        self.target_scale = target_scale
        self.calibrate = calibrate
        self.holdout = holdout
        self.folds = folds
        self.findings = findings
        self.categorical = categorical
        self.ordered = ordered
        self.dates = dates
        self.gaps = gaps
        self.drop = drop
        self.missing = missing
        self.merge_repeats = merge_repeats
        self.tolerance = tolerance
        self.random_state = random_state
        self.progress = progress

    def _settings(self) -> dict[str, Any]:
        return {
            "activation": None if self.activation == "auto" else self.activation,
            "width": self.width,
            "method": None if self.method == "auto" else self.method,
            "decay": _number_or_auto(self.decay),
            "one_standard_error": False,
            "signs": None,
            "linear": self.linear,
            "intercept": self.intercept,
            "scaling": self.scaling,
            "iterations": self.iterations,
            "step": self.step,
            "batch": self.batch,
            "gradient": self.gradient,
            "effort": self.effort,
            "prefer": self.prefer,
            "budget": None if self.budget is None else str(self.budget),
            "merge_repeats": self.merge_repeats,
            "tolerance": self.tolerance,
            "target_scale": self.target_scale,
        }

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        groups: Any = None,
        time: Any = None,
    ) -> ShallowsRegressor:
        """Fit a network.

        Parameters
        ----------
        X : array of shape (n, d) or frame
            A C-contiguous array of float64 is not copied. Words in a frame become categories.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            How much each row counts, at least 0.
        groups : array of shape (n,) or str, optional
            Rows with one value belong together, as of a patient: they stay in one fold and on one side of a hold-out, and
            intervals are for a row of a new group. The name of a column of X, which is then no input, or a column apart.
        time : array of shape (n,) or str, optional
            Numbers or dates: rows are judged by earlier ones alone. The name of a column of X, which stays
            an input, or a column apart, which is none. Not together with groups.

        Returns
        -------
        self

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            If a descent method ended before its gradient was as small as requested.
        """
        document = self._fit(X, y, sample_weight, groups, time)
        training = document["training"]
        self.candidates_ = document["candidates"]
        self.outcome_ = training.get("outcome", "network")
        if not training.get("converged", True):
            warnings.warn(
                f"{training['method']} ended after {training['iterations']} iterations ({training['stopped']}): the gradient "
                f"is {training['gradient']:.3g}, which is not as small as asked for",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self


class QuadraticRegressor(Fitted):
    """The quadratic network f(x) = Σ v_l (w_l·x)² + c + b·x at its global optimum, with a certificate.

    The objective is ½·mean r² + τ‖M‖_* over symmetric M = Σ v_l w_l w_lᵀ (semidefinite ones, with ``signs``). The
    certificate proves a lower bound on the objective of every quadratic network of any width. The parameters are the options of
    ``shallows fit --activation quadratic``, and the same seed gives the same bits.

    Parameters
    ----------
    decay : float or "auto"
        τ ≥ 0, on the scaled table; ``"auto"`` decides by cross-validation.
    one_standard_error : bool
        With ``"auto"``, take the largest τ within one standard error of the best.
    width : int, optional
        Hidden units; the rank of M unless given.
    signs : {"any", "positive", "negative"}
        Allowed signs of the output weights.
    linear, intercept, scaling : bool
        Include b·x; include c; divide the columns by powers of two near their deviations.
    budget : float or str, optional
        Stop after about this long and keep the best model so far: seconds, or a time such as ``"5m"``. A first model is
        finished even if that takes longer.
    target_scale, calibrate, holdout, folds, findings, categorical, ordered, dates, gaps, drop, missing
        As for `ShallowsRegressor`.
    merge_repeats, random_state, progress
        As for `ShallowsRegressor`.
    tolerance : float, optional
        The relative gap up to which the network counts as optimal; 1e-6 unless given.

    Attributes
    ----------
    network_ : Network
    objective_ : float
        What was minimised, in the units of the scaled table.
    lower_bound_ : float
        Proved: no quadratic network has a lower objective. In the units of the target squared, as `dual_gap_`.
    dual_gap_ : float
        Proved: the objective is at most this much above the optimum.
    relative_gap_ : float
        `dual_gap_` as a share of the objective. Where only rounding is left of the objective, the gap is relative to a
        floor, mostly 1e-7 of the objective of the best function without hidden units; ``theorems("global-optimum")`` has
        the exact rule.
    certificate_ : dict
        The whole certificate, as ``shallows verify`` reads it.
    decay_ : float
        The τ that was used, on the scaled table.
    path_ : list of dict
        The decays that were compared, each with its cross-validated RMSE.
    n_iter_ : int
        Iterations of the solver.
    seconds_ : float
        Fitting time in seconds, without the cost of crossing into Python.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from shallows import QuadraticRegressor
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> model = QuadraticRegressor(decay=0.1).fit(X, X[:, 0] * X[:, 1])
    >>> model.network_.activation
    'quadratic'
    >>> bool(model.relative_gap_ <= 1e-6)
    True
    >>> model.certificate_["certificates"][0]["verdict"]
    'holds'
    """

    lower_bound_: float
    dual_gap_: float
    relative_gap_: float
    path_: list[dict[str, float]]
    n_iter_: int

    def __init__(
        self,
        *,
        decay: float | Literal["auto"] = "auto",
        one_standard_error: bool = False,
        width: int | None = None,
        signs: Signs = "any",
        linear: bool = True,
        intercept: bool = True,
        scaling: bool = True,
        budget: float | str | None = None,
        target_scale: Scale = "identity",
        calibrate: float | None = None,
        holdout: float | str | os.PathLike[str] | None = None,
        folds: int | None = None,
        findings: bool = False,
        categorical: Sequence[str] = (),
        ordered: Mapping[str, Sequence[str]] | None = None,
        dates: Dates = "auto",
        gaps: Sequence[str] = (),
        drop: Sequence[str] = (),
        missing: Missing = "fill",
        merge_repeats: bool = True,
        tolerance: float | None = None,
        random_state: RandomState = 0,
        progress: Progress | None = None,
    ) -> None:
        self.decay = decay
        self.one_standard_error = one_standard_error
        self.width = width
        self.signs = signs
        self.linear = linear
        self.intercept = intercept
        self.scaling = scaling
        self.budget = budget
        self.target_scale = target_scale
        self.calibrate = calibrate
        self.holdout = holdout
        self.folds = folds
        self.findings = findings
        self.categorical = categorical
        self.ordered = ordered
        self.dates = dates
        self.gaps = gaps
        self.drop = drop
        self.missing = missing
        self.merge_repeats = merge_repeats
        self.tolerance = tolerance
        self.random_state = random_state
        self.progress = progress

    def _settings(self) -> dict[str, Any]:
        return {
            "activation": "quadratic",
            "width": self.width,
            "method": None,
            "decay": _number_or_auto(self.decay),
            "one_standard_error": self.one_standard_error,
            "signs": self.signs,
            "linear": self.linear,
            "intercept": self.intercept,
            "scaling": self.scaling,
            "iterations": None,
            "step": None,
            "batch": None,
            "gradient": None,
            "effort": None,
            "prefer": None,
            "budget": None if self.budget is None else str(self.budget),
            "merge_repeats": self.merge_repeats,
            "tolerance": self.tolerance,
            "target_scale": self.target_scale,
        }

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        groups: Any = None,
        time: Any = None,
    ) -> QuadraticRegressor:
        """Fit to the global optimum, and prove it.

        Parameters
        ----------
        X : array of shape (n, d) or frame
            A C-contiguous array of float64 is not copied. Words in a frame become categories.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            How much each row counts, at least 0.
        groups : array of shape (n,) or str, optional
            Rows with one value belong together, as of a patient: they stay in one fold and on one side of a hold-out, and
            intervals are for a row of a new group. The name of a column of X, which is then no input, or a column apart.
        time : array of shape (n,) or str, optional
            Numbers or dates: rows are judged by earlier ones alone. The name of a column of X, which stays
            an input, or a column apart, which is none. Not together with groups.

        Returns
        -------
        self

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            If the proved relative gap is above the tolerance.
        """
        document = self._fit(X, y, sample_weight, groups, time)
        proved = self._certificate
        if proved is None:
            raise ValueError("the table has too many inputs for a quadratic network at its global optimum")
        self.lower_bound_ = _or_nan(proved.lower_bound())
        self.dual_gap_ = _or_nan(proved.gap())
        self.relative_gap_ = _or_nan(proved.relative_gap())
        self.path_ = document["training"]["path"]
        self.n_iter_ = max(1, document["training"]["iterations"])
        if not proved.is_optimal():
            warnings.warn(
                f"the network is not proved to be optimal: its relative gap is {self.relative_gap_:.3g}, the tolerance "
                f"{proved.tolerance():.3g}",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self


def _number_or_auto(value: object) -> float | None:
    if isinstance(value, str) and value == "auto":
        return None
    if isinstance(value, (int, float, np.integer, np.floating)):
        return float(value)
    raise ValueError(f"the decay must be auto or a finite number of at least 0, not {value}")


def _or_nan(number: float | None) -> float:
    return float("nan") if number is None else number
