"""`teach`: planted data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from . import _display, _samples, _shallows
from ._frames import Floats
from ._network import Network


@dataclass(frozen=True, eq=False)
class Teaching:
    """Planted samples and the network behind them.

    Attributes
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    network : Network
        The teacher.
    seed : int
    hash : str
        The fingerprint of the samples, as certificates carry it.
    """

    X: Floats
    y: Floats
    network: Network
    seed: int
    hash: str

    _document: dict[str, Any] = field(repr=False, default_factory=dict)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the samples as ``shallows teach`` does: CSV, Parquet or NPY by ending."""
        _shallows.write_samples(path, self.X, self.y, self.network.inputs, self.network.target)

    def to_dict(self) -> dict[str, Any]:
        """The document that ``shallows teach --json`` prints; `network` is the teacher."""
        return self._document

    def __repr__(self) -> str:
        n, d = self.X.shape
        return f"Teaching({n} samples of {d} inputs, {self.network!r})"

    def _repr_html_(self) -> str:
        names = [*self.network.inputs[:8], self.network.target]
        rows = [[*x[:8].tolist(), float(y)] for x, y in zip(self.X[:5], self.y[:5])]
        return _display.table(names, rows, repr(self))


def teach(
    *,
    activation: str = "relu",
    inputs: int = 10,
    width: int = 5,
    samples: int = 1000,
    design: str | os.PathLike[str] | npt.ArrayLike = "gaussian",
    noise: float = 0.0,
    orthogonal: bool = False,
    rank: int | None = None,
    spectrum: Sequence[float] | None = None,
    outputs: str | Sequence[float] = "ones",
    seed: int = 0,
) -> Teaching:
    """Make planted data: a teacher network, inputs, noise.

    What ``shallows teach`` does; the same seed gives the same bits. The labels are y = Σ_l v_l φ(w_l·x) + noise.

    Parameters
    ----------
    activation : str
        φ.
    inputs, width, samples : int
        d, k and n.
    design : {"gaussian", "sphere"}, array of shape (d, d) or path
        The distribution of the inputs: standard normal, uniform on the unit sphere, or N(0, Σ) with Σ as an array or in a file.
    noise : float
        Standard deviation of the label noise.
    orthogonal : bool
        Orthonormal hidden weights; otherwise their entries are N(0, 1/d).
    rank : int, optional
        Rank of the hidden weights.
    spectrum : sequence of float, optional
        Eigenvalues of W*ᵀW*.
    outputs : str or sequence of float
        Output weights: ``"ones"``, ``"signs"``, ``"uniform:LOW:HIGH"``, or given.
    seed : int

    Returns
    -------
    Teaching

    Examples
    --------
    >>> import shallows
    >>> lesson = shallows.teach(inputs=4, width=2, samples=100, orthogonal=True)
    >>> lesson
    Teaching(100 samples of 4 inputs, Network(4 inputs, 2 relu units))
    >>> bool((lesson.network.predict(lesson.X) == lesson.y).all())
    True
    """
    if sum([bool(orthogonal), rank is not None, spectrum is not None]) > 1:
        raise ValueError("only one of orthogonal, rank and spectrum can be given")
    if isinstance(design, os.PathLike):
        design = os.fspath(design)
    covariance = None if isinstance(design, str) else _samples.converted(design, "the covariance")
    if covariance is not None and covariance.ndim != 2:
        raise ValueError(f"the covariance must have two dimensions, not {covariance.ndim}")
    settings = {
        "activation": activation,
        "inputs": inputs,
        "width": width,
        "samples": samples,
        "design": design if isinstance(design, str) else "gaussian",
        "noise": noise,
        "orthogonal": orthogonal,
        "rank": rank,
        "spectrum": spectrum,
        "outputs": outputs if isinstance(outputs, str) else ",".join(repr(float(v)) for v in outputs),
        "seed": seed,
    }
    X, y, model, document = _shallows.teach(settings, covariance)
    return Teaching(X, y, Network(model), seed, document["data"]["hash"], document)
