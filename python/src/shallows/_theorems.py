"""`theorems`: the catalogue of what can be proved."""

from __future__ import annotations

from typing import Any

from . import _shallows


def theorems(id: str | None = None) -> dict[str, Any]:
    """What can be proved, as ``shallows theorems --json`` prints it.

    Parameters
    ----------
    id : str, optional
        Only this one.

    Returns
    -------
    dict
        ``theorems``, each with ``id``, ``title``, ``claim``, ``hypotheses``, ``evidence``, ``limits`` and ``source``; and
        with all of them ``not_certifiable``, published claims that cannot be certified.

    Examples
    --------
    >>> import shallows
    >>> [one["id"] for one in shallows.theorems("wide-quadratic")["theorems"]]
    ['wide-quadratic']
    """
    return _shallows.theorems(id)
