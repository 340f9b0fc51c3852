"""`sweep`: grids of runs: success rates, thresholds and figures."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _display, _shallows
from ._display import Picture
from ._plot import plot
from ._temporary import Temporary

Progress = Callable[[dict[str, Any]], object]

#: The columns of `Sweep.cells`.
_CELL = [
    *((name, np.int64) for name in ("n", "k", "d", "trainings", "successes", "undecided")),
    *((name, np.float64) for name in ("success", "low", "high")),
    *((name, np.int64) for name in ("networks", "all_starts")),
]


@dataclass(frozen=True, eq=False)
class Sweep:
    """The runs of a grid, counted.

    Attributes
    ----------
    cells : structured array
        One row for each cell: ``n``, ``k``, ``d``, ``trainings`` (its runs), ``successes``, ``undecided``, ``success`` (the share),
        ``low``, ``high`` (Wilson's 95 % interval), ``networks``, ``all_starts``.
    thresholds : list of dict
        Along the size with the most values, for each line of cells: ``line``, ``axis``, ``half`` (where half of them succeed),
        ``low``, ``high``, ``kind``, ``beyond``.
    done, total, new : int
        Runs in the store, of the whole sweep, and new ones.
    name : str
    seed : int
    store : Path
        The SQLite file that holds every run; the same call resumes the sweep. A temporary one is not pickled.
    """

    cells: npt.NDArray[np.void]
    thresholds: list[dict[str, Any]]
    done: int
    total: int
    new: int
    name: str
    seed: int
    store: Path
    _document: dict[str, Any] = field(repr=False)
    _folder: Temporary | None = field(repr=False)

    def plot(
        self,
        *,
        x: str | None = None,
        y: str | None = None,
        start: int = 1,
        stop: int | None = None,
        collapse: str = "k*d/n",
        success: str | None = None,
        all_starts: bool = False,
    ) -> dict[str, Picture]:
        """Draw what ``shallows plot`` draws.

        Parameters
        ----------
        x, y : {"n", "k", "d"}, optional
            The horizontal and the vertical size of the map; curves run along x.
        start, stop : int
            Where curves and thresholds begin and end.
        collapse : str
            An expression in n, k, d; plotted against it, all cells should lie on one curve.
        success : str, optional
            ``"verdict"``, ``"descent:TOLERANCE[:ITERATIONS]"`` or ``"recovers-teacher[:TOLERANCE]"``.
        all_starts : bool
            Count planted networks for which every start succeeds, instead of runs.

        Returns
        -------
        dict of str to Picture
            ``curves``, ``map``, ``collapse``, ``stopping``, those for which there is data.
        """
        return plot(
            self.store, x=x, y=y, start=start, stop=stop, collapse=collapse, success=success, all_starts=all_starts
        ).pictures

    def to_dict(self) -> dict[str, Any]:
        """The numbers that ``shallows sweep --json`` prints, without paths and times."""
        return self._document

    def __repr__(self) -> str:
        return f"Sweep({self.done} of {self.total} runs in {len(self.cells)} cells)"

    def _repr_html_(self) -> str:
        keys = ("n", "k", "d", "trainings", "success", "low", "high")
        rows = [[cell[name].item() for name in keys] for cell in self.cells]
        return _display.table([*keys[:3], "runs", *keys[4:]], rows, repr(self))


def sweep(
    specification: str | os.PathLike[str] | Mapping[str, Any],
    *,
    store: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Train a grid of networks; a sweep that is stopped can be resumed.

    What ``shallows sweep`` does, with the same numbers and the same store. After Ctrl-C every finished run is kept, and
    the same call resumes the sweep.

    Parameters
    ----------
    specification : path, str or mapping
        A TOML file, its text (with at least one line break), or its tables as dictionaries. The README has all keys.
    store : path, optional
        Where the results are stored. By default, as for the command, the name of the file with the ending .db, in the
        current folder; a temporary file for a text or a mapping.
    progress : callable, optional
        Called with a dictionary after runs, skipping some if the callback is slow: ``done``, ``total``, ``cells_done``,
        ``cells``, ``successes``.

    Returns
    -------
    Sweep

    Examples
    --------
    >>> import shallows
    >>> found = shallows.sweep({
    ...     "trials": 4,
    ...     "grid": {"n": 20, "k": [1, 8], "d": 3},
    ...     "student": {"activation": "softplus:10"},
    ...     "training": {"step": "adaptive", "iterations": 500},
    ...     "success": {"tolerance": 1e-2},
    ... })
    >>> found
    Sweep(8 of 8 runs in 2 cells)
    >>> found.cells["k"].tolist()
    [1, 8]
    """
    given = _text_or_file(specification)
    folder = None
    if store is None and not isinstance(given, Path):
        folder = Temporary()
        store = Path(folder.name) / "sweep.db"
    document = _shallows.sweep(given, None if store is None else os.fspath(store), progress)
    runs = document["trainings"]
    return Sweep(
        cells=np.array([tuple(cell[key] for key, _ in _CELL) for cell in document["cells"]], dtype=_CELL),
        thresholds=document["thresholds"],
        done=runs["done"],
        total=runs["total"],
        new=runs["new"],
        name=document["name"],
        seed=document["seed"],
        store=Path(document["store"]),
        _document=document,
        _folder=folder,
    )


def _text_or_file(specification: str | os.PathLike[str] | Mapping[str, Any]) -> str | Path:
    """The text of a specification, or the file that holds it."""
    if isinstance(specification, Mapping):
        return toml(specification)
    if isinstance(specification, str) and "\n" in specification:
        return specification
    return Path(specification)


def toml(tables: Mapping[str, Any]) -> str:
    """Dictionaries of numbers, texts, truth values and lists of them as TOML, tables one level deep."""
    plain = {key: value for key, value in tables.items() if not isinstance(value, Mapping)}
    lines = [f"{key} = {_value(value)}" for key, value in plain.items() if value is not None]
    for name, entries in tables.items():
        if isinstance(entries, Mapping):
            lines.append(f"[{name}]")
            lines += [f"{key} = {_value(value)}" for key, value in entries.items() if value is not None]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple, range, np.ndarray)):
        return f"[{', '.join(_value(one) for one in value)}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_value(one)}' for key, one in value.items() if one is not None)} }}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    raise TypeError(f"a specification holds numbers, texts, truth values and lists of them, not {type(value).__name__}")
