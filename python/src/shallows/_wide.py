"""The infinitely wide network as an estimator."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from ._fitted import Dates, Fitted, Missing, Progress, RandomState
from ._frames import Floats
from ._network import predicted

Scale = Literal["identity", "log"]
LayerSet = Literal["rough-relu", "rough-erf", "rough-mixed", "ranks", "quadratic"]


class WideRegressor(Fitted):
    """The infinitely wide network: the laws of its hidden weights by evidence, its output layer at the global optimum.

    The network is f(x) = Σ ∫ a(w, u) φ(w·x + u) dμ(w, u) + c + b·x, summed over layers, each with an activation φ and a law μ
    of its hidden weights. Its functions are those of the kernel κ = Σ s·E φ(w·x + u) φ(w·x' + u) + s₀(1 + x·x'), and so it
    predicts what the Gaussian process with this covariance does. The scales of the laws, the signals s and the noise are chosen
    by evidence; of several sets of layers the one that predicts rows left out best is taken. The certificate proves how far
    f is from the best function of these laws.

    The parameters are the options of ``shallows fit --activation wide``, and the same seed gives the same bits.

    Parameters
    ----------
    sets : sequence of {"rough-relu", "rough-erf", "rough-mixed", "ranks", "quadratic"}, optional
        The sets of layers that are compared, each with an affine layer; all unless given. `layers_` shows what is in the one
        that was taken.
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
        It holds the distinct rows of the fit.
    set_ : str
        The set of layers that was taken.
    compared_ : dict of str to float
        The root mean squared error on rows left out of every set that was compared.
    layers_ : list of dict
        The layers: ``law``, ``signal`` (s, the variance of the output weights), ``scales`` (ℓ of every input, by its name; none
        for the affine layer) and ``bias`` (β, 0 where the law has none). Inputs are standardised, for the set ``"ranks"`` after
        they have been replaced by their ranks: ``network_.laws`` has what is subtracted and divided by, and the unit of f.
        ``help(shallows.WideRegressor.predict)`` has the kernels.
    noise_ : float
        The standard deviation of the noise of a target, for a row of mean weight, in the units of what was fitted.
    log_evidence_ : float or None
        The logarithm of the probability density of the targets under the laws and the noise that were chosen, as
        ``log_marginal_likelihood_value_`` of scikit-learn's Gaussian process; without the prior on the laws. None where it was
        not computed.
    left_out_error_ : float
        The root mean squared error on rows left out one at a time (equal rows together), laws and noise kept.
    objective_ : float
        What was minimised: ½·mean r² + (ρ/2)·‖f − mean‖², in units of the variance of the target.
    lower_bound_ : float
        Proved: no function of these laws has a lower objective. In the units of the target squared, as `dual_gap_`.
    dual_gap_ : float
        Proved: the objective is at most this much above the optimum. ``relative_gap_`` is known more closely.
    relative_gap_ : float
        Proved: the gap as a share of the objective, or of its floor where only rounding is left of it; see
        ``theorems("wide-optimum")``. NaN, as the others, where nothing is proved.
    prediction_distance_ : float
        Proved: on the rows of the fit predictions are within this of those of the exact optimum.
    certificate_ : dict or None
        The whole certificate, as ``shallows verify`` reads it; ``to_dict()["certificates"]`` has it in numbers and words.
    decay_ : float
        ρ, what half the squared norm of the function is multiplied by in the objective.
    seconds_ : float
        Fitting time in seconds, without the cost of crossing into Python.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from shallows import WideRegressor
    >>> X = np.random.default_rng(0).uniform(-2, 2, size=(80, 2))
    >>> model = WideRegressor().fit(X, np.sin(3 * X[:, 0]) + np.abs(X[:, 1]))
    >>> mean, std = model.predict([[0.5, -1.0], [9.0, 9.0]], return_std=True)
    >>> bool(abs(mean[0] - (np.sin(1.5) + 1.0)) < 0.1)
    True
    >>> bool(std[1] > std[0])
    True
    >>> model.certificate_["certificates"][0]["verdict"]
    'holds'
    >>> model.layers_[-1]["law"]
    'affine'
    """

    set_: str
    compared_: dict[str, float]
    layers_: list[dict[str, Any]]
    noise_: float
    log_evidence_: float | None
    left_out_error_: float
    lower_bound_: float
    dual_gap_: float
    relative_gap_: float
    prediction_distance_: float

    def __init__(
        self,
        *,
        sets: Sequence[LayerSet] | None = None,
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
        self.sets = sets
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
            "activation": "wide",
            "sets": self.sets,
            "one_standard_error": False,
            "linear": True,
            "intercept": True,
            "scaling": True,
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
    ) -> WideRegressor:
        """Choose the laws, solve for the output layer, and prove how far it is from the best.

        Parameters
        ----------
        X : array of shape (n, d) or frame
            A C-contiguous array of float64 is not copied. Words in a frame become categories.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            How much each row counts, at least 0: the variance of its noise is divided by it.
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
            If the network is not proved to be optimal within the tolerance.
        """
        document = self._fit(X, y, sample_weight, groups, time)
        training, [found] = document["training"], document["wide"]
        inputs = [self.network_.inputs[at] for at in found["kept"]]
        self.set_ = training["set"]
        self.compared_ = {one["name"]: one["rmse"] for one in document["candidates"]}
        self.layers_ = [layer | {"scales": dict(zip(inputs, layer["scales"]))} for layer in found["layers"]]
        self.noise_ = found["unit"] * found["noise"] ** 0.5
        self.log_evidence_ = training["log_evidence"]
        self.left_out_error_ = found["left_out_error"]
        self._prove(document["certificates"])
        return self

    def _prove(self, certificates: list[dict[str, Any]]) -> None:
        """What the certificate says in numbers; a warning where it is not enough."""
        nothing = float("nan")
        facts = certificates[0] if certificates else {}
        gap = None if self._certificate is None else self._certificate.gap()
        self.lower_bound_ = facts.get("lower_bound", nothing)
        self.dual_gap_ = nothing if gap is None else gap
        self.relative_gap_ = facts.get("relative_gap", nothing)
        self.prediction_distance_ = facts.get("prediction_distance", nothing)
        if self._certificate is None or not self._certificate.is_optimal():
            proved = "nothing is proved of its gap"
            if self._certificate is not None and facts.get("relative_gap") is not None:
                tolerance = self._certificate.tolerance()
                proved = f"its relative gap is {self.relative_gap_:.3g}, the tolerance {tolerance:.3g}"
            words = f"the network is not proved to be optimal: {proved}"
            warnings.warn(words, ConvergenceWarning, stacklevel=3)

    @overload
    def predict(self, X: Any, return_std: Literal[False] = False) -> Floats: ...

    @overload
    def predict(self, X: Any, return_std: Literal[True]) -> tuple[Floats, Floats]: ...

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Predict the target, and how far the function may be from that if the laws hold.

        The deviation is that of f, not of a new target: as of scikit-learn's ``GaussianProcessRegressor`` with the noise in
        ``alpha``, whereas a ``WhiteKernel`` there adds it. That of a new target is ``np.hypot(std, model.noise_)``. The laws and the
        noise count as known, though they were chosen from the rows, and no coverage is proved of it: `predict_interval` has
        intervals with a guarantee.

        With z the standardised inputs, t = (z − z')/ℓ, r = ‖t‖, and for layers with a bias ã = (z/ℓ, β), the kernels are

        ==================  ==============================================================================
        ``rough-by-input``  exp(−Σ|t_j|)
        ``rough``           exp(−r): ``Matern(ℓ, nu=0.5)`` of scikit-learn
        ``t3``, ``t5``      (1 + √3r)·exp(−√3r), (1 + √5r + 5r²/3)·exp(−√5r): ``Matern`` with nu=1.5 and 2.5
        ``relu``            ‖ã‖‖ã'‖(√(1−c²) + (π − arccos c)c)/π, c the cosine between ã and ã'
        ``erf``             (2/π)·arcsin(2ã·ã'/√((1 + 2‖ã‖²)(1 + 2‖ã'‖²)))
        ``quadratic``       ‖z/ℓ‖²‖z'/ℓ‖² + 2((z/ℓ)·(z'/ℓ))²
        ``affine``          1 + z·z'
        ==================  ==============================================================================

        each times the signal of its layer. The covariance of f is their sum times the square of ``network_.laws[0]["unit"]``, which is
        such that errors on rows left out are as large as their deviations, in the mean square.

        Parameters
        ----------
        X : array of shape (n, d) or frame
            The columns of the fit.
        return_std : bool
            Also give the posterior standard deviations.

        Returns
        -------
        array of shape (n,)
            In the units of the target.
        array of shape (n,)
            Only with ``return_std``: the posterior standard deviation of f, in the units of what was fitted: of the target, or
            with ``target_scale="log"`` of its logarithm.
        """
        X = self._inputs(X)
        found = predicted(self.network_, X, deviation=bool(return_std))
        deviations = found.deviations()
        return found.values() if deviations is None else (found.values(), deviations)
