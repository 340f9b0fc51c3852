"""Tests of the exact checker on rows in a form: scaled, merged, and forged ones.

Runs under pytest, or by itself: ``python test_exact_forms.py``.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from exact_core import Refused, read_rows  # noqa: E402
from test_exact_checker import Instance, digest  # noqa: E402

Formed = tuple[list[list[float]], list[float], list[float] | None]


def read(instance: Instance, form: Any, formed: Formed, names: list[str] | None = None) -> Any:
    """The rows of an instance in a form, with the fingerprint of ``formed``; None where they are refused."""
    names = names or instance.names
    rows = instance.document()["rows"] | {"form": form, "inputs": names, "hash": digest(names, "y", *formed)}
    try:
        return read_rows(rows, instance.table(), 5)
    except Refused:
        return None


def form(scaled: Any, merged: Any = None) -> dict[str, Any]:
    """A form."""
    return {"scaled": scaled, "merged": merged}


def test_rows_are_divided_by_their_norms_in_doubles() -> None:
    x = [[3.0, 4.0], [0.0, -0.0], [-1e200, 1e200], [0.1, 0.3]]
    instance = Instance(x, [1.0, 2.0, 3.0, 4.0])
    root, third = math.sqrt((0.1 / 0.3) * (0.1 / 0.3) + 1.0), 0.1 / 0.3
    formed = [[0.75 / 1.25, 1.0 / 1.25], [0.0, 0.0], [-1 / math.sqrt(2), 1 / math.sqrt(2)], [third / root, 1.0 / root]]
    assert read(instance, form("unit"), (formed, instance.y, None)).doubles == [list(c) for c in zip(*formed)]
    # One digit in the last place is another row.
    formed[3][0] = math.nextafter(formed[3][0], 1.0)
    assert read(instance, form("unit"), (formed, instance.y, None)) is None
    assert read(instance, form(None), (x, instance.y, None)) is not None
    assert read(instance, form("unit"), (x, instance.y, None)) is None


def test_standardised_rows_have_one_more_input() -> None:
    instance = Instance([[0.3, 5.0], [0.9, 5.0]], [1.1, 2.3])
    names = ["x0", "x1", "one"]
    details = {"centre": [0.1, 5.0], "scale": [0.3, None], "factor": -0.7, "target_centre": 0.2, "target_scale": 3.0}
    formed = [[(e - 0.1) / 0.3 * -0.7, 0.0, -0.7] for e in (0.3, 0.9)]
    y = [(e - 0.2) / 3.0 for e in instance.y]
    rows = read(instance, form({"standardised": details}), (formed, y, None), names)
    assert rows.inputs == 3 and rows.doubles[2] == [-0.7, -0.7]
    # Another order of the same operations rounds otherwise.
    other = [[(e - 0.1) * -0.7 / 0.3, 0.0, -0.7] for e in (0.3, 0.9)]
    assert other != formed and read(instance, form({"standardised": details}), (other, y, None), names) is None
    assert read(instance, form({"standardised": details}), ([row[:2] for row in formed], y, None)) is None
    assert read(instance, form({"standardised": details}), (formed, y, None), ["x0", "x1", "x1"]) is None
    for change in (
        {"scale": [0.3, 0.0]}, {"scale": [-0.3, None]}, {"factor": 0.0}, {"target_scale": 0.0}, {"target_scale": -3.0},
        {"centre": [0.1]}, {"centre": [0.1, 5.0, 0.0], "scale": [0.3, None, None]}, {"further": 1}, {"factor": "1"},
    ):  # fmt: skip
        wrong = form({"standardised": details | change})
        assert read(instance, wrong, (formed, y, None), names) is None, change
    # What is too large is not finite.
    large = details | {"scale": [1e-320, None]}
    infinite = [[math.copysign(math.inf, -0.7 * (e - 0.1)), 0.0, -0.7] for e in (0.3, 0.9)]
    assert read(Instance([[1e300, 5.0], [0.9, 5.0]], instance.y), form({"standardised": large}), (infinite, y, None), names) is None


def test_equal_rows_become_one() -> None:
    x = [[1.0, 0.0], [2.0, 1.0], [1.0, -0.0], [1.0, 0.0], [5.0, 5.0], [-1.0, 0.0]]
    y = [0.1, 4.0, 0.2, 0.4, 9.0, 7.0]
    merged = [[1.0, 0.0], [2.0, 1.0], [5.0, 5.0], [-1.0, 0.0]]
    label = (0.1 + 0.2 + 0.4) / 3.0
    rows = read(Instance(x, y), form(None, "equal"), (merged, [label, 4.0, 9.0, 7.0], [3.0, 1.0, 1.0, 1.0]))
    assert rows.count == 4 and rows.weights == [3, 1, 1, 1]
    # Rows of weight zero are left out before; labels are weighted, in the order of the rows.
    w = [0.1, 1.0, 0.3, 0.0, 0.0, 2.0]
    label = (0.1 * 0.1 + 0.3 * 0.2) / (0.1 + 0.3)
    formed = ([*merged[:2], merged[3]], [label, 4.0, 7.0], [0.1 + 0.3, 1.0, 2.0])
    assert read(Instance(x, y, w), form(None, "equal"), formed) is not None
    # Equal labels stay as they are, and without a group there are no weights unless there were some.
    same = Instance([[1.0], [1.0], [1.0]], [0.1] * 3)
    assert (0.1 + 0.1 + 0.1) / 3.0 != 0.1
    assert read(same, form(None, "equal"), ([[1.0]], [0.1], [3.0])) is not None
    assert read(same, form(None, "equal"), ([[1.0]], [(0.1 + 0.1 + 0.1) / 3.0], [3.0])) is None
    alone = Instance([[1.0], [2.0]], [1.0, 2.0])
    assert read(alone, form(None, "equal"), (alone.x, alone.y, None)) is not None
    assert read(alone, form(None, "equal"), (alone.x, alone.y, [1.0, 1.0])) is None
    ones = Instance(alone.x, alone.y, [1.0, 1.0])
    assert read(ones, form(None, "equal"), (ones.x, ones.y, [1.0, 1.0])) is not None
    for wrong in ("both", True, {"even": None}):
        assert read(alone, form(None, wrong), (alone.x, alone.y, None)) is None


def test_signs_are_chosen_where_a_network_does_not_tell_rows_apart() -> None:
    x = [[0.0, -2.0], [1.0, -1.0], [0.0, 2.0], [-1.0, 1.0]]
    y = [3.0, 1.0, 5.0, 1.0]
    flipped = [[0.0, 2.0], [1.0, -1.0]]
    assert read(Instance(x, y), form(None, "even"), (flipped, [4.0, 1.0], [2.0, 2.0])) is not None
    assert read(Instance(x, y), form(None, "odd"), (flipped, [1.0, 0.0], [2.0, 2.0])) is not None
    assert read(Instance(x, y), form(None, "odd"), (flipped, [4.0, 1.0], [2.0, 2.0])) is None
    # First the scaling, then the merging.
    halves = ([[0.0, 1.0], [1 / math.sqrt(2), -1 / math.sqrt(2)]], [4.0, 1.0], [2.0, 2.0])
    assert read(Instance(x, y), form("unit", "even"), halves) is not None
    for wrong in ({"scaled": "unit"}, {"scaled": "UNIT", "merged": None}, form("unit", "even") | {"more": 1}, "unit", []):
        assert read(Instance(x, y), wrong, halves) is None


if __name__ == "__main__":
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function()
            print(f"{name}: passed")
