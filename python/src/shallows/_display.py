"""Tables and figures in a notebook."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence
from typing import Any

from ._shallows import Drawing


def table(header: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table as HTML."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(_text(cell))}</td>' for cell in row)}</tr>" for row in rows)
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def certificates(found: Iterable[dict[str, Any]], caption: str = "") -> str:
    """What is proved, a theorem in each row, as HTML."""
    rows = [(one["theorem"], one["verdict"], one.get("statement", "")) for one in found]
    return table(("theorem", "verdict", "what it says"), rows, caption)


def counted(count: int, noun: str) -> str:
    """``1 unit``, ``2 units``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _text(cell: object) -> str:
    if cell is None:
        return "–"
    return f"{cell:.5g}" if isinstance(cell, float) else str(cell)


class Picture:
    """A figure, as SVG and as PNG; a notebook shows it.

    Examples
    --------
    >>> import shallows
    >>> picture = shallows.landscape(spectrum=[3, 2, 1]).figures["levels"]
    >>> picture.svg.startswith("<svg")
    True
    >>> picture
    Picture(levels)
    """

    def __init__(self, name: str, drawing: Drawing) -> None:
        self.name = name
        self._drawing = drawing

    @property
    def svg(self) -> str:
        """The text of an SVG file."""
        return self._drawing.svg()

    @property
    def png(self) -> bytes:
        """The bytes of a PNG file."""
        return self._drawing.png()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file; its ending, .svg or .png, says which."""
        self._drawing.save(path)

    def __repr__(self) -> str:
        return f"Picture({self.name})"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_png_(self) -> bytes:
        return self.png


def pictures(drawn: Iterable[tuple[str, Drawing]]) -> dict[str, Picture]:
    """Figures by their names."""
    return {name: Picture(name, drawing) for name, drawing in drawn}
