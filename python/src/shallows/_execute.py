"""`execute`: a plan of `check`, run, with every proved bound beside what is observed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from . import _samples, _shallows
from ._check import Check
from ._display import Picture
from ._network import Network

Progress = Callable[[dict[str, Any]], object]


@dataclass(frozen=True, eq=False)
class Execution:
    """A planned run.

    Attributes
    ----------
    network : Network or None
        None where rows were divided by their norms, which a network cannot do.
    proven : dict
        What was proved: ``rate``, ``path``, ``residual``, …
    observed : dict
        What was observed: ``rate``, ``path``, ``distance``, ``residual``, ``iterations``, ``reason``.
    comparisons : list of dict
        For each bound: ``name``, ``worst`` (the largest share of it that was reached), ``violated`` (the iteration, or None).
    picture : Picture
        Proved and observed residuals.
    """

    network: Network | None
    proven: dict[str, Any]
    observed: dict[str, Any]
    comparisons: list[dict[str, Any]]
    picture: Picture
    _document: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The document that ``shallows fit --plan --json`` prints, without paths."""
        return self._document

    def __repr__(self) -> str:
        held = "every bound held" if all(one["violated"] is None for one in self.comparisons) else "a bound was violated"
        return f"Execution({self.observed['iterations']} iterations, {held})"

    def _repr_html_(self) -> str:
        return self.picture.svg


def execute(
    plan: Check | str | os.PathLike[str],
    X: Any,
    y: Any = None,
    *,
    iterations: int | None = None,
    budget: float | str | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    ordered: Mapping[str, Sequence[str]] | None = None,
    dates: Literal["auto", "number", "parts", "drop"] = "auto",
    gaps: Sequence[str] = (),
    missing: Literal["fill", "error"] = "fill",
    progress: Progress | None = None,
) -> Execution:
    """Execute a plan of `check`, and compare every proved bound with the run.

    What ``shallows fit --plan`` does, with the same numbers.

    Parameters
    ----------
    plan : Check or path
        What was checked, or the file that `Check.save_plan` has written.
    X, y
        The rows that were checked, as for `check`.
    iterations : int, optional
        At most so many; those of the plan unless given.
    budget : float or str, optional
        End after about this long: seconds, or a time such as ``"5m"``.
    drop, categorical : sequence of str
        Columns of a frame or file to leave out; columns whose numbers are names of categories.
    ordered, dates, gaps
        As for `ShallowsRegressor`.
    missing : {"fill", "error"}
        What becomes of gaps.
    progress : callable, optional
        Called with a dictionary now and then.

    Returns
    -------
    Execution

    Examples
    --------
    >>> import shallows
    >>> lesson = shallows.teach(activation="tanh", inputs=3, width=2, samples=12, design="sphere")
    >>> found = shallows.check(lesson.X, lesson.y, find_scale=True, width=40)
    >>> shallows.execute(found, lesson.X, lesson.y, iterations=5)
    Execution(5 iterations, every bound held)
    """
    if missing not in ("fill", "error"):
        raise ValueError(f"missing must be fill or error, not {missing}")
    if isinstance(plan, Check) and plan._plan is None:
        raise ValueError("nothing was proved, so there is no plan to execute\nhint: shallows.check(X, y, find_scale=True) looks for one")
    settings = {
        "iterations": iterations,
        "budget": None if budget is None else str(budget),
        "drop": drop,
        "categorical": categorical,
        "ordered": dict(ordered or {}),
        "dates": dates,
        "gaps": gaps,
        "refuse_gaps": missing == "error",
    }
    given: str | Path = plan._plan or "" if isinstance(plan, Check) else Path(plan)
    document, model, drawing = _shallows.execute(given, _samples.samples(X, y), settings, progress)
    return Execution(
        network=None if model is None else Network(model),
        proven=document["proven"],
        observed=document["observed"],
        comparisons=document["comparisons"],
        picture=Picture("curves", drawing),
        _document=document,
    )
