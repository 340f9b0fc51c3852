"""`predict`: predictions of a network, with the guarantee of their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _display
from ._frames import Floats
from ._network import Network, predicted


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predictions for the rows of a table.

    Attributes
    ----------
    predictions : array of shape (n,)
        In the units of the target.
    intervals : array of shape (n, 2) or None
        From and to, where a coverage was asked for.
    guarantee : float or None
        The share of new targets that is proved to be covered.
    statement : str or None
        How the intervals are made, and what is guaranteed.
    deviations : array of shape (n,) or None
        The posterior standard deviation of f at each row, where it was asked for.
    deviation_statement : str or None
        What the deviations are, and what they are not.
    remarks : list of str
        Remarks about the rows: unknown categories, filled gaps.
    """

    predictions: Floats
    intervals: Floats | None
    guarantee: float | None
    statement: str | None
    deviations: Floats | None
    deviation_statement: str | None
    remarks: list[str]
    _document: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The document that ``shallows predict --json`` prints."""
        return self._document

    def __repr__(self) -> str:
        covered = "" if self.guarantee is None else f", intervals that cover {self.guarantee:.4g} of new targets"
        return f"Prediction({len(self.predictions)} rows{covered})"

    def _repr_html_(self) -> str:
        header = ["prediction"] if self.intervals is None else ["prediction", "from", "to"]
        columns = self.predictions[:, None]
        if self.intervals is not None:
            columns = np.column_stack((columns, self.intervals))
        if self.deviations is not None:
            header, columns = [*header, "deviation"], np.column_stack((columns, self.deviations))
        return _display.table(header, columns[:8].tolist(), repr(self))


def predict(
    model: Network | Any,
    X: Any,
    *,
    coverage: float | None = None,
    deviation: bool = False,
    ignore_extra: bool = False,
    fill: Mapping[str, Any] | None = None,
) -> Prediction:
    """Predict with a network.

    What ``shallows predict`` does, with the same numbers. `Network.predict` and `Network.predict_interval` give the arrays
    alone.

    Parameters
    ----------
    model : Network, fitted estimator or path
    X : array of shape (n, d), frame or path
        The columns of an array are taken by position, those of a frame or file by name; the target may be among them. A
        C-contiguous array of float64 is not copied.
    coverage : float, optional
        Also give intervals that cover this share of new targets, such as 0.9.
    deviation : bool
        Also give the posterior standard deviation of every prediction: of f, to which the noise of a new target is not added.
        For one infinitely wide network.
    ignore_extra : bool
        Ignore columns that the model does not know, which are refused otherwise.
    fill : mapping of str to value, optional
        A value for every row of each missing column.

    Returns
    -------
    Prediction

    Warns
    -----
    UserWarning
        For unknown categories and filled gaps.

    Examples
    --------
    >>> import shallows
    >>> network = shallows.from_weights([[1.0, 0.0]], [1.0], activation="quadratic", names=["a", "b"])
    >>> found = shallows.predict(network, [[3.0, 1.0], [2.0, 5.0]])
    >>> found.predictions
    array([9., 4.])
    >>> found
    Prediction(2 rows)
    """
    found = predicted(model, X, coverage, ignore_extra, fill, deviation)
    document, ends = found.document(), found.ends()
    interval = document.get("interval", {})
    return Prediction(
        predictions=found.values(),
        intervals=None if ends is None else np.column_stack(ends),
        guarantee=interval.get("guarantee"),
        statement=interval.get("statement"),
        deviations=found.deviations(),
        deviation_statement=document.get("deviation", {}).get("statement"),
        remarks=document["remarks"],
        _document=document,
    )
