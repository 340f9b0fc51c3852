"""`landscape`: every critical level of a planted quadratic network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from . import _display, _samples, _shallows
from ._certify import Certificate
from ._display import Picture
from ._frames import Floats
from ._network import Network, given
from ._samples import Samples
from ._shallows import Model


@dataclass(frozen=True, eq=False)
class Landscape:
    """The landscape of the population risk L = ½E(f − f*)² of a planted quadratic network.

    Attributes
    ----------
    spectrum : array of shape (d,)
        The eigenvalues of M* = W*ᵀ Diag(v*) W*, the largest first.
    barrier : float or None
        Every W of rank below d has at least this risk; None where none is claimed.
    levels : list of dict
        Critical levels from the lowest: ``subset`` (numbers of eigenvalues from 1), ``level``, ``index``, ``curvature``.
    start : dict
        Where descent would start: ``name``, ``risk``, ``level_below``, ``level_above``, ``safe``.
    safe : bool
        Proved: descent from there that never rises and ends at stationary points ends at the teacher.
    certificates : list of dict
        What is proved about this teacher, this start, and teachers like it.
    certificate : Certificate
        The same with the proofs: what ``shallows landscape --certificate`` writes, and `verify` judges without a table.
    """

    spectrum: Floats
    barrier: float | None
    levels: list[dict[str, Any]]
    start: dict[str, Any]
    safe: bool
    certificates: list[dict[str, Any]]
    certificate: Certificate = field(repr=False)
    _document: dict[str, Any] = field(repr=False)
    _question: tuple[Model | None, Model | None, Samples | None, dict[str, Any]] = field(repr=False)

    @cached_property
    def figures(self) -> dict[str, Picture]:
        """What ``shallows landscape -o FOLDER`` draws: ``levels``, ``line``, ``descent``, ``slice``; drawn when asked for."""
        return _display.pictures(_shallows.landscape(*self._question, draws=True)[1])

    def to_dict(self) -> dict[str, Any]:
        """The numbers that ``shallows landscape --json`` prints, without paths and times."""
        return self._document

    def __repr__(self) -> str:
        barrier = "no barrier" if self.barrier is None else f"barrier {self.barrier:.5g}"
        return f"Landscape({len(self.levels)} levels, {barrier}, start {'safe' if self.safe else 'not proved safe'})"

    def _repr_html_(self) -> str:
        def row(level: dict[str, Any]) -> tuple[object, ...]:
            members = " ".join(map(str, level["subset"])) or "none"
            return members, len(level["subset"]), level["level"], level["index"], level["curvature"]

        header = ("set", "rank", "level", "index", "most negative curvature")
        return _display.table(header, map(row, self.levels), repr(self))


def landscape(
    teacher: Network | Any = None,
    *,
    inputs: int | None = None,
    width: int | None = None,
    spectrum: Sequence[float] | None = None,
    student_width: int | None = None,
    start: str | Network | os.PathLike[str] = "trace",
    samples: int | None = None,
    X: Any = None,
    y: Any = None,
    levels: int = 16,
    seed: int = 0,
) -> Landscape:
    """Show the whole landscape of a planted quadratic network.

    What ``shallows landscape`` does, with the same numbers.

    Parameters
    ----------
    teacher : Network or path, optional
        A quadratic network without affine part; drawn from the following parameters unless given.
    inputs, width : int, optional
        d, and m, the hidden units of the teacher and the student; as many inputs as eigenvalues and as many units as inputs
        unless given.
    spectrum : sequence of float, optional
        Eigenvalues of W*ᵀW*; W* has standard normal entries unless given.
    student_width : int, optional
        Units of the student, where it is narrower or wider than the teacher.
    start : {"paper", "width", "trace", "spectral", "zero"}, Network or path
        Where descent would start.
    samples : int, optional
        Samples drawn for the starts trace and spectral; 10000 unless given. Refused for other starts, and where samples are
        given.
    X, y
        Samples to use instead, as for `recover`.
    levels : int
        Number of levels to show.
    seed : int

    Returns
    -------
    Landscape

    Examples
    --------
    >>> import shallows
    >>> found = shallows.landscape(spectrum=[3.0, 2.0, 1.0], width=4, start="zero")
    >>> found
    Landscape(8 levels, barrier 1.25, start not proved safe)
    >>> [round(level["level"], 9) for level in found.levels[:2]]
    [0.0, 1.25]
    >>> shallows.verify(found.certificate).certificate
    Certificate(energy-barrier holds, safe-start fails)
    """
    if X is None and y is not None:
        raise ValueError("y is given without X\nhint: give both, or neither")
    known = None if teacher is None else _loaded(teacher)
    drawn = dict(inputs=inputs, width=width, spectrum=spectrum)
    if known is not None and any(given is not None for given in drawn.values()):
        raise ValueError("inputs, width and spectrum describe a random teacher: give either these or teacher")
    first = None
    if isinstance(start, Network):
        first, name = start._model, "a network"
    else:
        name = os.fspath(start)
        first = _loaded(name) if _shallows.is_file_of_start(name) else None
    settings = {
        "inputs": inputs,
        "width": width,
        "spectrum": spectrum,
        "student_width": student_width,
        "start": name,
        "samples": samples,
        "levels": levels,
        "seed": seed,
    }
    question = (known, first, None if X is None else _samples.samples(X, y), settings)
    document, _, certificate = _shallows.landscape(*question, draws=False)
    return Landscape(
        spectrum=np.array(document["spectrum"]),
        barrier=document["barrier"],
        levels=document["levels"],
        start=document["start"],
        safe=document["start"]["safe"],
        certificates=document["certificates"],
        certificate=Certificate(certificate),
        _document=document,
        _question=question,
    )


def _loaded(model: Any) -> Model:
    """The model of whatever has one; a file is read now, since figures are drawn later."""
    found = given(model)
    return found if isinstance(found, Model) else Model.load_quadratic(found)
