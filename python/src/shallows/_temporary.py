"""Folders that nobody asked for."""

from __future__ import annotations

import tempfile


class Temporary(tempfile.TemporaryDirectory[str]):
    """A folder that is there as long as this object. What is pickled goes without it."""

    def __init__(self) -> None:
        super().__init__(prefix="shallows-")

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()
