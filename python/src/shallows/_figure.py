"""`figure`: the published figures, reproduced."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _display, _shallows
from ._display import Picture
from ._temporary import Temporary

Progress = Callable[[dict[str, Any]], object]


@dataclass(frozen=True, eq=False)
class Figure:
    """A published figure, reproduced.

    Attributes
    ----------
    name, source, published : str
        Name of the figure; where it was published; the published number in words.
    findings : list of dict
        What is found: ``what``, ``value``, ``low``, ``high`` (its 95 % interval), ``published``, ``gap``.
    picture : Picture
    csv : str
        The numbers behind it.
    trainings : int
        Runs behind it.
    folder : Path
        Where the picture, the numbers and the stores of its sweeps are; the same call resumes them.
    """

    name: str
    source: str
    published: str
    findings: list[dict[str, Any]]
    picture: Picture
    csv: str
    trainings: int
    folder: Path
    _document: dict[str, Any] = field(repr=False)
    _kept: Temporary | None = field(repr=False)

    @property
    def svg(self) -> str:
        """The text of an SVG file."""
        return self.picture.svg

    @property
    def png(self) -> bytes:
        """The bytes of a PNG file."""
        return self.picture.png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture; the ending, .svg or .png, says how."""
        self.picture.save(path)

    def to_dict(self) -> dict[str, Any]:
        """The numbers that ``shallows figure --json`` prints for one figure."""
        return self._document

    def __repr__(self) -> str:
        return f"Figure({self.name}: {len(self.findings)} findings from {self.trainings} runs)"

    def _repr_html_(self) -> str:
        keys = ("what", "published", "value", "low", "high")
        rows = [[finding[key] for key in keys] for finding in self.findings]
        return self.svg + _display.table(("number", "published", "found", "from", "to"), rows, self.published)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_png_(self) -> bytes:
        return self.png


def figure(
    name: str,
    *,
    quick: bool = True,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Figure:
    """Reproduce a published figure, with intervals; a stopped sweep behind it can be resumed.

    What ``shallows figure`` does, with the same numbers.

    Parameters
    ----------
    name : str
        One of `figures`.
    quick : bool
        Fewer networks and smaller grids: a minute or less rather than hours. On by default; the command needs
        ``--quick``.
    folder : path, optional
        Where the picture, the numbers and the stores of the sweeps are kept; a temporary one unless given.
    progress : callable, optional
        Called with a dictionary after each run.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import shallows
    >>> found = shallows.figure("barrier")
    >>> found.name, found.svg[:4]
    ('barrier', '<svg')
    """
    kept = Temporary() if folder is None else None
    place = Path(kept.name if kept is not None else os.fspath(folder))  # type: ignore[arg-type]
    document, drawing, csv = _shallows.figure(name, os.fspath(place), bool(quick), progress)
    return Figure(
        name=document["name"],
        source=document["source"],
        published=document["published"],
        findings=document["findings"],
        picture=Picture(document["name"], drawing),
        csv=csv,
        trainings=document["trainings"],
        folder=place,
        _document=document,
        _kept=kept,
    )


def figures() -> list[dict[str, str]]:
    """The published figures: ``name``, ``source``, ``shows`` and ``published`` of each.

    Examples
    --------
    >>> import shallows
    >>> "sjl-2a" in [one["name"] for one in shallows.figures()]
    True
    """
    return _shallows.studies()
