"""The native half of `shallows`: arrays and settings in, arrays and records out."""

import os
from collections.abc import Callable
from typing import Any, final

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_Cells = _Floats | list[str | None]
_Progress = Callable[[dict[str, Any]], object]

__all__ = ["Model", "__version__", "fit_array", "fit_table", "has_gaps"]

__version__: str

@final
class Model:
    @classmethod
    def load(cls, path: str | os.PathLike[str], activation: str | None = None) -> Model: ...
    @classmethod
    def from_bytes(cls, bytes: bytes) -> Model: ...
    @classmethod
    def from_weights(
        cls,
        activation: str,
        W: _Floats,
        v: _Floats,
        bias: _Floats | None,
        intercept: float | None,
        linear: _Floats | None,
        names: list[str],
        target: str,
    ) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def to_onnx(self, single: bool) -> bytes: ...
    def save_onnx(self, path: str | os.PathLike[str], single: bool) -> None: ...
    def document(self) -> dict[str, Any]: ...
    @property
    def summary(self) -> str: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def target(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def activations(self) -> list[str]: ...
    def predict(self, X: _Floats) -> _Floats: ...
    def predict_table(self, columns: list[_Cells], names: list[str], count: int) -> _Floats: ...
    def intervals(self, X: _Floats, level: float) -> tuple[_Floats, _Floats]: ...
    def intervals_table(
        self, columns: list[_Cells], names: list[str], count: int, level: float
    ) -> tuple[_Floats, _Floats]: ...
    def interval_statement(self, level: float) -> tuple[str, float]: ...

def has_gaps(X: _Floats) -> bool: ...
def fit_array(
    X: _Floats,
    y: _Floats,
    weights: _Floats | None,
    names: list[str],
    target: str,
    weight: str,
    settings: str,
    progress: _Progress | None,
) -> tuple[Model, dict[str, Any], str | None]: ...
def fit_table(
    columns: list[_Cells],
    names: list[str],
    count: int,
    target: str,
    weight: str | None,
    settings: str,
    progress: _Progress | None,
) -> tuple[Model, dict[str, Any], str | None]: ...
