"""`explain`: what a network says about its inputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import _display, _samples, _shallows
from ._display import Picture
from ._network import Network, given, warn


@dataclass(frozen=True, eq=False)
class Explanation:
    """How a network uses its inputs.

    Attributes
    ----------
    inputs : list of str
    target : str
        What the network gives: the target, or its logarithm.
    importance : dict or None
        If rows with a target were given: ``rmse``, ``rows``, ``repeats``, and for each of ``columns``, the most important
        first, by how much the RMSE grows when it is shuffled (``increase``, ``standard_error``).
    interactions : dict or None
        Of the quadratic part f(x) = Σ M_ab x_a x_b + b·x + c: ``M``, the strongest ``terms``, the ``linear`` part, the
        ``intercept`` and the ``units``; None for a network without one. Squares of inputs that are 0 or 1, and products of two
        inputs of one column, say nothing of their own on any row: they count towards the linear part.
    layers : dict or None
        Of an infinitely wide network: the share that each layer has of the variance of the predictions (``shares``, which add
        up to 1 and may be negative), and how far a column must move to matter to it (``scales``).
    effects : dict or None
        What moving a column does to the prediction (``columns``: a curve over ``places``, and its ``spread``)
        and what two do together beyond what each does alone (``pairs``: ``strength``, ``interaction``, ``effect``).
    figures : dict of Picture
        The effects drawn, by name: ``columns`` with all curves on one page, a curve for each column, maps of the strongest pairs.
    picture : Picture
        The matrix of a quadratic network, or the importances of another.
    remarks : list of str
        Remarks about the rows.
    """

    inputs: list[str]
    target: str
    importance: dict[str, Any] | None
    interactions: dict[str, Any] | None
    layers: dict[str, Any] | None
    effects: dict[str, Any] | None
    figures: dict[str, Picture] = field(repr=False)
    picture: Picture
    remarks: list[str]
    _document: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The document that ``shallows explain --json`` prints."""
        return self._document

    def __repr__(self) -> str:
        model = self._document["model"]
        infinite = model["width"] is None
        units = "infinitely wide" if infinite else _display.counted(model["width"], f"{model['activation']} unit")
        return f"Explanation({units}, {_display.counted(len(self.inputs), 'input')})"

    def _repr_html_(self) -> str:
        if self.importance is not None:
            rows = [[one["column"], one["increase"], one["standard_error"]] for one in self.importance["columns"]]
            return _display.table(("column shuffled", "RMSE grows by", "standard error"), rows, repr(self))
        if self.effects is not None:
            rows = [[one["column"], one["spread"]] for one in self.effects["columns"]]
            return _display.table(("column", "spread of its effect"), rows, repr(self))
        terms = [] if self.interactions is None else self.interactions["terms"]
        rows = [[" · ".join(one["inputs"]), one["coefficient"], one["times_deviations"]] for one in terms]
        return _display.table(("term", "coefficient", "× standard deviations"), rows, repr(self))


def explain(
    model: Network | Any,
    X: Any = None,
    y: Any = None,
    *,
    top: int = 10,
    repeats: int | None = None,
    seed: int | None = None,
) -> Explanation:
    """Explain how a network uses its inputs.

    What ``shallows explain`` does, with the same numbers. A quadratic network is f(x) = Σ M_ab x_a x_b + b·x + c: its
    strongest pairs and squares are listed, with their coefficients in the units of the columns. With rows they are ranked by
    what they are worth in standard deviations. With rows and their target, for any network: how much the error grows when a
    column is shuffled, and what moving a column does to the prediction, alone and together with another. An infinitely wide
    network keeps its rows and needs none for that.

    Parameters
    ----------
    model : Network, fitted estimator or path
    X : array of shape (n, d), frame or path, optional
        Rows with the inputs of the model. A network that is neither quadratic nor infinitely wide needs them, with the target.
    y : array of shape (n,), optional
        The target, where it is not a column of X.
    top : int
        How many terms, units and pairs to list, and columns to draw.
    repeats : int, optional
        How often each column is shuffled, at least 2; 10 unless given. Refused without rows that have the target.
    seed : int, optional
        Seed of the shuffles; 0 unless given. Refused without rows that have the target.

    Returns
    -------
    Explanation

    Warns
    -----
    UserWarning
        For unknown categories, filled gaps, and rows without a target.

    Examples
    --------
    >>> import shallows
    >>> network = shallows.from_weights([[1.0, 2.0]], [1.0], activation="quadratic", names=["a", "b"])
    >>> found = shallows.explain(network)
    >>> found
    Explanation(1 quadratic unit, 2 inputs)
    >>> [(term["inputs"], term["coefficient"]) for term in found.interactions["terms"]]
    [(['a', 'b'], 4.0), (['b', 'b'], 4.0), (['a', 'a'], 1.0)]
    """
    if X is None and y is not None:
        raise ValueError("y is given without X\nhint: give both, or neither")
    samples = None if X is None else _samples.inputs(X, y)
    settings = {"top": top, "repeats": repeats, "seed": seed}
    document, drawing, effects, remarks = _shallows.explain(given(model), samples, settings)
    warn(remarks)
    return Explanation(
        inputs=document["inputs"],
        target=document["target"],
        importance=document.get("importance"),
        interactions=document.get("interactions"),
        layers=document.get("layers"),
        effects=document.get("effects"),
        figures=_display.pictures(effects),
        picture=Picture("explain", drawing),
        remarks=remarks,
        _document=document,
    )
