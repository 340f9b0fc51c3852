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
    width: int | None = None,
    seed: int | None = None,
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
        Of the network in an ONNX file; ``"f64"`` unless given. Refused for other formats, whose numbers are exact.
    activation : str, optional
        For a file from elsewhere that does not say which activation it has.
    width : int, optional
        Replace infinitely wide networks by finite ones with so many units, drawn from their laws; the output layer is
        solved exactly. Where the model sees ranks of its inputs, only an ONNX file holds the result.
    seed : int, optional
        Of these units; that of the model unless given. Refused without a width.

    Returns
    -------
    dict
        ``path`` and ``bytes``, as ``shallows export --json`` prints them; with a width also ``finite``, what was drawn
        and how far that moves predictions at the rows of the fit.

    Notes
    -----
    An ONNX graph has an input for every column that the model uses, with the name of the column and N values: doubles for
    numbers, in both precisions, with NaN for a gap; strings for words, with ``""`` for a gap. A column of which only the gaps
    count is one of words. Predictions are doubles. The columns of a frame run as they are::

        feed = {column.name: frame[column.name].to_numpy() for column in session.get_inputs()}
        [prediction] = session.run(None, feed)

    The recipe is in the graph, except for its words: where ``predict`` refuses a row the prediction is NaN, and unknown
    words are taken as ``predict`` takes them, without a warning.

    Examples
    --------
    >>> import shallows, tempfile, pathlib
    >>> network = shallows.teach(activation="relu", inputs=2, width=2, samples=1).network
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = shallows.export(network, pathlib.Path(folder) / "m.onnx", precision="f32")
    >>> written["bytes"] > 0
    True
    """
    settings = {"format": format, "precision": precision, "activation": activation, "width": width, "seed": seed}
    return _shallows.export(given(model), os.fspath(path), settings)
