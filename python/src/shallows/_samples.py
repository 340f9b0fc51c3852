"""Samples as the native half takes them: an array, the columns of a frame, or a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _frames
from ._frames import Cells, Floats

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Samples:
    """What the native half reads."""

    X: Floats | list[Cells] | str
    names: list[str]
    count: int
    y: Floats | None
    target: str | None
    weights: Floats | None
    weight: str | None
    #: The name of the column of groups or of times, and its cells where it is no column of X.
    groups: str | None = None
    time: str | None = None
    apart: Cells | None = None


def samples(X: Any, y: Any = None, weights: Any = None) -> Samples:
    """Samples from arrays, from a frame, or from a file.

    Parameters
    ----------
    X : array of shape (n, d), frame or path
    y : array of shape (n,) or str, optional
        The labels; or, of a frame or file, the name of their column. The last column of a frame or file unless given.
    weights : array of shape (n,) or str, optional
        How much each row counts; or, of a frame or file, the name of the column that says so.
    """
    if isinstance(X, (str, os.PathLike)):
        for given, what in ((y, "y"), (weights, "sample_weight")):
            if given is not None and not isinstance(given, str):
                raise TypeError(f"{what} must be the name of a column of {os.fspath(X)}, not {type(given).__name__}")
        return Samples(os.fspath(X), [], 0, None, y, None, weights)
    if _frames.is_frame(X):
        return _of_frame(X, y, weights)
    rows = _matrix(X)
    if y is None or isinstance(y, str):
        raise TypeError("y must be an array where X is one")
    labels = vector(y, "y", len(rows))
    names = numbered(rows.shape[1])
    counted = None if weights is None else vector(weights, "sample_weight", len(rows))
    target = name_of(y, names)
    weight = None if counted is None else free([*names, target], own_name(weights) or ["sample_weight"])
    return Samples(rows, names, len(rows), labels, target, counted, weight)


def inputs(X: Any, y: Any = None) -> Samples:
    """Rows from an array, from a frame, or from a file, with or without labels.

    Parameters
    ----------
    X : array of shape (n, d), frame or path
    y : array of shape (n,), optional
    """
    if isinstance(X, (str, os.PathLike)):
        if y is not None:
            raise TypeError(f"y must be a column of {os.fspath(X)}: leave it out")
        return Samples(os.fspath(X), [], 0, None, None, None, None)
    if _frames.is_frame(X):
        labels = None if y is None else vector(y, "y", len(X))
        return Samples(_frames.columns(X), _frames.names(X), len(X), labels, None, None, None)
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"X must have two dimensions, not {rows.ndim}")
    labels = None if y is None else vector(y, "y", len(rows))
    return Samples(rows, numbered(rows.shape[1]), len(rows), labels, None, None, None)


def _of_frame(X: Any, y: Any, weights: Any) -> Samples:
    names = _frames.names(X)
    count = len(X)
    by_name = y is None or isinstance(y, str)
    labels = None if by_name else vector(y, "y", count)
    target = y if by_name else name_of(y, names)
    named = weights is None or isinstance(weights, str)
    counted = None if named else vector(weights, "sample_weight", count)
    weight = weights if named else free([*names, str(target)], own_name(weights) or ["sample_weight"])
    return Samples(_frames.columns(X), names, count, labels, target, counted, weight)


def dependence(groups: Any, time: Any, names: Sequence[str], count: int) -> dict[str, Any]:
    """Which rows depend on each other: the name of a column of X, or a column apart from it."""
    if groups is not None and time is not None:
        raise ValueError("groups and time cannot be given together\nhint: leave one of them out")
    what, given = ("groups", groups) if groups is not None else ("time", time)
    if given is None:
        return {}
    if isinstance(given, str):
        return {what: given}
    return {what: free(names, own_name(given) or [what]), "apart": _cells(given, what, count)}


def _cells(values: Any, what: str, count: int) -> Cells:
    """The cells of a column that is given as an array or a series."""
    series = values if hasattr(values, "dtype") and hasattr(values, "to_list") else None
    entries = np.asarray(values)
    if entries.ndim != 1:
        raise ValueError(f"{what} must have one dimension, not {entries.ndim}")
    if len(entries) != count:
        raise ValueError(f"{what} has {len(entries)} entries, but X has {count} rows")
    if series is not None:
        return _frames.cells(series)
    if entries.dtype.kind in "iuf":
        return np.ascontiguousarray(entries, dtype=np.float64)
    return [_frames.text(cell) for cell in entries.tolist()]


def name_of(y: Any, names: Sequence[str]) -> str:
    """What labels are called: what they call themselves, or y."""
    return free(names, own_name(y) or ["y", "target"])


def numbered(count: int) -> list[str]:
    """What columns without names are called, as by the command."""
    return [f"x{j + 1}" for j in range(count)]


def own_name(values: Any) -> list[str]:
    """What a series calls itself, if anything."""
    name = getattr(values, "name", None)
    return [name] if isinstance(name, str) and name else []


def free(taken: Sequence[str], wished: Sequence[str]) -> str:
    """The first of the wished names that is not taken, or one made from the last."""
    for name in wished:
        if name not in taken:
            return name
    at = 2
    while f"{wished[-1]}{at}" in taken:
        at += 1
    return f"{wished[-1]}{at}"


def _matrix(X: Any) -> Floats:
    """A C-contiguous array of float64; X itself where it is one."""
    rows = converted(X, "X")
    if rows.ndim != 2:
        raise ValueError(f"X must have two dimensions, not {rows.ndim}")
    return rows


def vector(values: npt.ArrayLike, what: str, count: int | None = None) -> Floats:
    """A vector of float64, of this length where one is wanted."""
    entries = converted(values, what)
    if entries.ndim != 1:
        raise ValueError(f"{what} must have one dimension, not {entries.ndim}")
    if count is not None and len(entries) != count:
        raise ValueError(f"{what} has {len(entries)} entries, but X has {count} rows")
    return entries


def converted(values: Any, what: str) -> Floats:
    """Numbers as C-contiguous float64, with a word where they were floats of another precision or whole numbers."""
    entries = np.asarray(values)
    if entries.dtype.kind not in "fiub":
        try:
            entries = entries.astype(np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"{what} must hold numbers, not {entries.dtype}") from None
    elif entries.dtype != np.float64 and isinstance(values, np.ndarray):
        warnings.warn(f"{what} was converted from {entries.dtype} to float64", UserWarning, stacklevel=5)
    return np.ascontiguousarray(entries, dtype=np.float64)
