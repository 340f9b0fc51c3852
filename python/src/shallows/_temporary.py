"""Folders that nobody asked for."""

from __future__ import annotations

import shutil
import tempfile
import weakref


class Temporary:
    """A folder that is there as long as this object. What is pickled goes without it."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="shallows-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()
