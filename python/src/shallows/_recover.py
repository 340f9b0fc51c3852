"""`recover`: the weights of a planted network from samples."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from . import _display, _samples, _shallows
from ._network import Network, given

Progress = Callable[[dict[str, Any]], object]


@dataclass(frozen=True)
class Recovery:
    """What was found behind samples, and what supports it.

    Attributes
    ----------
    verdict : {"recovered", "not-recovered", "refused"}
        Held-out rows decide; the support is evidence, not proof.
    reason : str or None
        Why it is not recovered, or refused.
    network : Network or None
        The recovered network; None unless it is recovered.
    exact : bool
        Whether it reproduces the labels of rows it has never seen up to rounding.
    units : list of dict
        Of the best network found, the largest first: ``weights``, ``bias``, ``norm``, ``output_weight`` and standard errors.
    evidence : dict or None
        Errors on held-out and other rows, the noise, and the size below which a unit would not be seen.
    match : dict or None
        The units beside a teacher's: ``error`` (e(Q), 0 is perfect), ``output_error``, ``signs_right``, ``units``.
    warnings : list of str
    """

    verdict: str
    reason: str | None
    network: Network | None
    exact: bool
    units: list[dict[str, Any]]
    evidence: dict[str, Any] | None
    match: dict[str, Any] | None
    warnings: list[str]
    _document: dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        """Whether the weights are recovered."""
        return self.verdict == "recovered"

    def to_dict(self) -> dict[str, Any]:
        """The numbers that ``shallows recover --json`` prints, without paths and times."""
        return self._document

    def __repr__(self) -> str:
        if self.verdict == "recovered":
            return f"Recovery(recovered: {_display.counted(len(self.units), 'unit')}{', exact' if self.exact else ''})"
        return f"Recovery({self.verdict}: {self.reason})"

    def _repr_html_(self) -> str:
        header = ("unit", "norm", "±", "output weight", "±", "direction ± (radians)")
        keys = ("norm", "norm_error", "output_weight", "output_weight_error", "direction_error")
        rows = [(at + 1, *(unit[key] for key in keys)) for at, unit in enumerate(self.units)]
        return _display.table(header, rows, repr(self))


def recover(
    X: Any,
    y: Any = None,
    *,
    activation: str = "relu",
    units: int | None = None,
    teacher: Network | Any = None,
    inputs: Literal["auto", "standard", "whiten"] = "auto",
    biases: bool = False,
    intercept: bool = False,
    linear: bool = False,
    seed: int = 0,
    drop: Sequence[str] = (),
    certificate: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Recovery:
    """Find the weights of the planted network behind samples with Gaussian inputs.

    What ``shallows recover`` does, with the same numbers. The labels are taken to be y = Σ v_l φ(w_l·x) + noise with
    x ~ N(μ, Σ) and at most as many units as inputs. Rows that were held out decide.

    Parameters
    ----------
    X : array of shape (n, d), frame or path
        A C-contiguous array of float64 is not copied.
    y : array of shape (n,) or str
        Or the name of the column in a frame or file, which is the last unless given.
    activation : str
        φ.
    units : int, optional
        Hidden units; as many as stand out in the second moments unless given.
    teacher : Network or path, optional
        For comparison.
    inputs : {"auto", "standard", "whiten"}
        The assumed distribution of the inputs: N(0, I), N(μ, Σ), or the former unless a test rejects it.
    biases, intercept, linear : bool
        Parts that the network may have.
    seed : int
        Seed of the held-out rows and of all other random numbers.
    drop : sequence of str
        Columns of a frame or file to leave out.
    certificate : path, optional
        Where to write what is proved about the designed objective F of the recovered units, for ``shallows verify``. F is about
        relu, leaky relu and abs units without biases and with positive output weights; nothing is written for others.
    progress : callable, optional
        Called with a dictionary from time to time.

    Returns
    -------
    Recovery

    Examples
    --------
    >>> import shallows
    >>> lesson = shallows.teach(inputs=5, width=3, samples=600, orthogonal=True, seed=1)
    >>> found = shallows.recover(lesson.X, lesson.y, teacher=lesson.network)
    >>> found
    Recovery(recovered: 3 units, exact)
    >>> bool(found.match["error"] < 1e-10)
    True
    """
    if isinstance(units, (int, np.integer)) and units < 1:
        raise ValueError(f"units must be None or a positive whole number, not {units}")
    settings = {
        "activation": activation,
        "units": units,
        "inputs": inputs,
        "biases": biases,
        "intercept": intercept,
        "linear": linear,
        "seed": seed,
        "drop": drop,
        "certificate": None if certificate is None else os.fspath(certificate),
    }
    known = None if teacher is None else given(teacher)
    document, model = _shallows.recover(_samples.samples(X, y), known, settings, progress)
    return Recovery(
        verdict=document["verdict"],
        reason=document["reason"],
        network=None if model is None else Network(model),
        exact=document["exact"],
        units=document["units"],
        evidence=document["evidence"],
        match=document["match"],
        warnings=document["warnings"],
        _document=document,
    )
