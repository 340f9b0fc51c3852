"""`export`: a network in another format."""

from __future__ import annotations

import os
from typing import Any, Literal

from . import _shallows
from ._network import given


def export(
    model: Any,
    path: str | os.PathLike[str],
    *,
    format: Literal["json", "onnx", "safetensors"] | None = None,
    precision: Literal["f32", "f64"] | None = None,
    activation: str | None = None,
) -> dict[str, Any]:
    """Write a network in another format.

    What ``shallows export`` does, with the same bytes.

    Parameters
    ----------
    model : Network, fitted estimator or path
    path : path
        Where to write.
    format : {"json", "onnx", "safetensors"}, optional
        By the ending of the path unless given.
    precision : {"f32", "f64"}, optional
        Of the numbers in an ONNX file; ``"f64"`` unless given. Refused for other formats, whose numbers are exact.
    activation : str, optional
        For a file from elsewhere that does not say which activation it has.

    Returns
    -------
    dict
        ``path`` and ``bytes``, as ``shallows export --json`` prints them.

    Examples
    --------
    >>> import shallows, tempfile, pathlib
    >>> network = shallows.teach(activation="relu", inputs=2, width=2, samples=1).network
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = shallows.export(network, pathlib.Path(folder) / "m.onnx", precision="f32")
    >>> written["bytes"] > 0
    True
    """
    settings = {"format": format, "precision": precision, "activation": activation}
    return _shallows.export(given(model), os.fspath(path), settings)
