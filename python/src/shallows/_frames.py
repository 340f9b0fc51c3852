"""Frames of pandas and polars as columns of numbers and texts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
#: The cells of a column: numbers with NaN for a gap, or texts with None for a gap.
Cells = Floats | list[str | None]


def is_frame(X: object) -> bool:
    """Whether this is a frame of pandas or polars: named columns that each have a kind of their own."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "shape") and hasattr(X, "__getitem__")


def names(X: Any) -> list[str]:
    """The names of the columns of a frame, which must differ."""
    found = [str(name) for name in X.columns]
    twice = next((name for at, name in enumerate(found) if name in found[:at]), None)
    if twice is not None:
        raise ValueError(f'X has several columns called "{twice}"\nhint: give every column a name of its own')
    return found


def is_numeric(X: Any) -> bool:
    """Whether every column of a frame holds numbers (a truth value is a word, as in a file)."""
    return all(_is_number(column.dtype) for column in _series(X))


def categories(X: Any) -> list[str]:
    """The columns that the frame itself calls categories and gives no order."""
    kinds = ("category", "Categorical", "Enum")
    columns = zip(names(X), _series(X))
    return [name for name, column in columns if _kind(column.dtype) in kinds and not _is_ordered(column.dtype)]


def orders(X: Any) -> dict[str, list[str]]:
    """The categories of the columns that the frame calls ordered, from the lowest up."""
    columns = [(name, column.dtype) for name, column in zip(names(X), _series(X)) if _is_ordered(column.dtype)]
    return {name: [str(text(word)) for word in dtype.categories] for name, dtype in columns if len(dtype.categories) > 1}


def _is_ordered(dtype: Any) -> bool:
    return getattr(dtype, "ordered", None) is True


def columns(X: Any) -> list[Cells]:
    """The cells of every column, as a file would hold them."""
    return [cells(column) for column in _series(X)]


def has_gaps(X: Any) -> bool:
    """Whether a cell of a frame is missing."""
    return any(None in cells if isinstance(cells, list) else bool(np.isnan(cells).any()) for cells in columns(X))


def _series(X: Any) -> list[Any]:
    names(X)
    return [X[name] for name in X.columns]


def _kind(dtype: Any) -> str:
    return str(dtype).split("(")[0]


def _is_number(dtype: Any) -> bool:
    numeric = getattr(dtype, "is_numeric", None)
    if callable(numeric):  # polars
        return bool(numeric())
    kind = getattr(dtype, "kind", "O")
    return kind in "iuf"


def cells(column: Any) -> Cells:
    if _is_number(column.dtype):
        if hasattr(column, "cast"):  # polars
            return np.array(column.cast(float).to_numpy(), dtype=np.float64)
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)
    return [text(cell) for cell in column.to_list()]


def text(cell: object) -> str | None:
    """The text of a cell; numbers in the shortest form that reads back as the same number, times between dates in days."""
    if _is_gap(cell):
        return None
    if isinstance(cell, str):
        return cell
    if isinstance(cell, (bool, np.bool_)):
        return "true" if cell else "false"
    if isinstance(cell, (timedelta, np.timedelta64)):  # a Timedelta of pandas is one, too
        return repr(float(np.timedelta64(cell) / np.timedelta64(1, "D")))
    if isinstance(cell, (int, float, np.integer, np.floating)):
        return repr(float(cell)) if isinstance(cell, (float, np.floating)) else str(int(cell))
    return str(cell)


def _is_gap(cell: object) -> bool:
    """Whether this is None, NaN, NaT or NA."""
    if cell is None or isinstance(cell, str):
        return cell is None
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):  # pandas.NA, and cells that are arrays
        return str(cell) == "<NA>"
