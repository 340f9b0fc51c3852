"""`check`: what theory promises before any training."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from . import _display, _samples, _shallows
from ._network import Network

Progress = Callable[[dict[str, Any]], object]


@dataclass(frozen=True)
class Check:
    """What theory promises for samples, an activation and a width.

    Attributes
    ----------
    proved : bool
        Whether what was asked for is proved: convergence of the planned run, unless theorems were named.
    certificates : list of dict
        For each theorem ``theorem``, ``verdict`` (``"holds"``, ``"undecided"`` or ``"fails"``), ``statement`` and ``checks``:
        its hypotheses, each with ``margin``, ``error`` and ``verdict``.
    width, scale : int, float or None
        Of the network; the result of a search, or None if it found nothing.
    plan : dict or None
        A start and a step with a proof; `save_plan` writes it for ``shallows fit --plan``. If the smallest scale was
        searched for, the start has twice that scale.
    rivals : tuple of Network or None
        Two quadratic networks that agree on every row and differ elsewhere.
    spectrum : dict
        The quantities behind the theorems: singular values, σ_min(X∗X), average slope and curvature of φ.
    """

    proved: bool
    certificates: list[dict[str, Any]]
    width: int | None
    scale: float | None
    plan: dict[str, Any] | None
    rivals: tuple[Network, Network] | None
    spectrum: dict[str, Any]
    _document: dict[str, Any] = field(repr=False)
    _plan: str | None = field(repr=False)

    def verdict(self, theorem: str) -> str:
        """The verdict of one theorem.

        Raises
        ------
        KeyError
            If the theorem does not apply to this activation.
        """
        return {one["theorem"]: str(one["verdict"]) for one in self.certificates}[theorem]

    def save_plan(self, path: str | os.PathLike[str]) -> None:
        """Write the plan, the same file as that of ``shallows check --plan``.

        Raises
        ------
        ValueError
            If there is no plan.
        """
        if self._plan is None:
            raise ValueError("there is no plan: convergence is not proved for this start")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self._plan)

    def to_dict(self) -> dict[str, Any]:
        """The numbers that ``shallows check --json`` prints, without paths and times."""
        return self._document

    def __repr__(self) -> str:
        found = ", ".join(f"{one['theorem']} {one['verdict']}" for one in self.certificates)
        return f"Check({'proved' if self.proved else 'not proved'}: {found})"

    def _repr_html_(self) -> str:
        caption = "What was asked for is proved" if self.proved else "What was asked for is not proved"
        rows = [
            (one["theorem"], one["verdict"], part["hypothesis"], part["margin"], part["verdict"])
            for one in self.certificates
            for part in one["checks"]
        ]
        return _display.table(("theorem", "verdict", "hypothesis", "margin", "holds?"), rows, caption)


def check(
    X: Any,
    y: Any = None,
    *,
    activation: str = "softplus",
    width: int | None = None,
    scale: float | None = None,
    rows: Literal["auto", "raw", "unit", "scaled"] = "auto",
    radius: float | None = None,
    start: Literal["antisymmetric", "random"] = "antisymmetric",
    seed: int = 0,
    find_width: bool = False,
    find_scale: bool = False,
    both_layers: bool = False,
    tolerance: float = 1e-6,
    affine: bool = False,
    rival: bool = False,
    certificate: str | os.PathLike[str] | None = None,
    theorems: Sequence[str] = (),
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    ordered: Mapping[str, Sequence[str]] | None = None,
    dates: Literal["auto", "number", "parts", "drop"] = "auto",
    gaps: Sequence[str] = (),
    progress: Progress | None = None,
) -> Check:
    """Say, before any training, what theory promises for these samples, this activation and width.

    What ``shallows check`` does, with the same numbers. The network is f(x) = Σ v_l φ(w_l·x) with ±scale as output weights.
    Every verdict is proved: holds, fails (a hypothesis is false, and the theorem says nothing) or undecided.

    Parameters
    ----------
    X : array of shape (n, d), frame or path
        A C-contiguous array of float64 is not copied.
    y : array of shape (n,) or str
        Or the name of the column in a frame or file, which is the last unless given.
    activation : str
        φ, such as ``"softplus"``, ``"relu"``, ``"quadratic"``.
    width : int, optional
        k, an even number; four times as many hidden weights as rows unless given.
    scale : float, optional
        The size of the output weights; ‖y‖/√(kn) unless given.
    rows : {"auto", "raw", "unit", "scaled"}
        How the rows are prepared: not at all, divided by their norms, or standardised with a constant input.
    radius : float, optional
        The norm of the longest row after scaling; 20 unless given. Refused where rows are not scaled.
    start : {"antisymmetric", "random"}
    seed : int
        Seed of the start.
    find_width, find_scale : bool
        Search for the smallest width, or output scale, with a proof.
    both_layers : bool
        Plan a run on both layers.
    tolerance : float
        The plan is done when ‖r‖ has fallen to this fraction of its start.
    affine, rival : bool
        For quadratic networks: with intercept and linear part; show two that agree on every row.
    certificate : path, optional
        Where to write what was judged, with the proofs, for ``shallows verify``: the theorems that are named, or all.
        ``determined`` is about the rows as they are: beside others it gets a file with ``.determined`` before the ending.
    theorems : sequence of str
        Theorems to check.
    drop, categorical : sequence of str
        Columns of a frame or file to leave out; columns whose numbers are names of categories.
    ordered, dates, gaps
        As for `ShallowsRegressor`.
    progress : callable, optional
        Called with a dictionary from time to time.

    Returns
    -------
    Check

    Examples
    --------
    >>> import shallows
    >>> lesson = shallows.teach(activation="tanh", inputs=3, width=2, samples=12, design="sphere")
    >>> found = shallows.check(lesson.X, lesson.y, find_scale=True, width=40)
    >>> found.proved, found.verdict("descent-converges")
    (True, 'holds')
    """
    settings = {
        "activation": activation,
        "rows": rows,
        "radius": radius,
        "width": width,
        "scale": scale,
        "start": start,
        "seed": seed,
        "find_width": find_width,
        "find_scale": find_scale,
        "both_layers": both_layers,
        "tolerance": tolerance,
        "affine": affine,
        "rival": rival,
        "certificate": None if certificate is None else os.fspath(certificate),
        "theorems": [theorems] if isinstance(theorems, str) else theorems,
        "drop": drop,
        "categorical": categorical,
        "ordered": dict(ordered or {}),
        "dates": dates,
        "gaps": gaps,
    }
    document, plan, rivals = _shallows.check(_samples.samples(X, y), settings, progress)
    return Check(
        proved=document["proved"],
        certificates=document["certificates"],
        width=document["width"],
        scale=document["scale"],
        plan=document["plan"],
        rivals=None if rivals is None else (Network(rivals[0]), Network(rivals[1])),
        spectrum=document["spectrum"],
        _document=document,
        _plan=plan,
    )
