"""`plot` and `replay`: what a sweep has found, drawn; one of its runs again."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from . import _display, _shallows
from ._display import Picture


@dataclass(frozen=True, eq=False)
class Plot:
    """What a sweep has found, drawn.

    Attributes
    ----------
    pictures : dict of str to Picture
        ``curves``, ``map``, ``collapse``, ``stopping``, as far as there is something to be seen.
    thresholds : list of dict
        For each line of cells: ``line``, ``axis``, ``half`` (where half of them succeed), ``low``, ``high``, ``kind``, ``beyond``.
    collapse : dict
        The same for all cells on the expression.
    """

    pictures: dict[str, Picture]
    thresholds: list[dict[str, Any]]
    collapse: dict[str, Any]
    _document: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The document that ``shallows plot --json`` prints."""
        return self._document

    def __repr__(self) -> str:
        return f"Plot({', '.join(self.pictures)})"

    def _repr_html_(self) -> str:
        return "".join(picture.svg for picture in self.pictures.values())


def plot(
    store: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    x: str | None = None,
    y: str | None = None,
    start: int = 1,
    stop: int | None = None,
    collapse: str = "k*d/n",
    success: str | None = None,
    all_starts: bool = False,
) -> Plot:
    """Draw what a sweep has found: maps, curves with intervals, thresholds, a collapse.

    What ``shallows plot`` does, with the same numbers. The sweep may still be running.

    Parameters
    ----------
    store : path
        What `sweep` has written.
    folder : path, optional
        Where figures and tables are written, as SVG, PNG and CSV; nothing is written unless given.
    x, y : {"n", "k", "d"}, optional
        The size along which success is followed; the other size of the map.
    start, stop : int
        Where curves and thresholds begin and end.
    collapse : str
        An expression in n, k, d on which all cells are to lie on one curve.
    success : str, optional
        ``"verdict"``, ``"descent:TOLERANCE[:ITERATIONS]"`` or ``"recovers-teacher[:TOLERANCE]"``.
    all_starts : bool
        Count planted networks whose every start succeeds rather than runs.

    Returns
    -------
    Plot
    """
    settings = {
        "x": x,
        "y": y,
        "start": start,
        "stop": stop,
        "collapse": collapse,
        "success": success,
        "all_starts": all_starts,
    }
    document, drawings = _shallows.plot(os.fspath(store), None if folder is None else os.fspath(folder), settings)
    return Plot(
        pictures=_display.pictures(drawings),
        thresholds=document["thresholds"],
        collapse=document["collapse"],
        _document=document,
    )


def replay(store: str | os.PathLike[str], trial: int) -> dict[str, Any]:
    """Repeat one run of a sweep from its stored seed, and compare every bit.

    Parameters
    ----------
    store : path
        What `sweep` has written.
    trial : int
        The number of the run: the column ``id`` of the table ``trials``.

    Returns
    -------
    dict
        What ``shallows lab replay --json`` prints: the run as ``stored`` and as ``replayed``, whether they are ``identical``,
        in which ``differences``, and whether version and processor make them ``comparable``.
    """
    return _shallows.replay(os.fspath(store), trial)
