"""Dates of the exact checker against those that Python's own parser reads.

Runs under pytest, or by itself: ``python test_exact_dates.py``.
"""

from __future__ import annotations

from pathlib import Path

import exact_dates

REFERENCES = Path(__file__).parents[3] / "verify" / "tests" / "dates.txt"


def test_dates_and_their_parts_are_those_of_the_references() -> None:
    for line in REFERENCES.read_text().splitlines():
        text, order, *expected = line.split("\t")
        moment = exact_dates.moment(text, order)
        if expected == ["none"]:
            assert moment is None, line
            continue
        assert moment == int(expected[0]), line
        parts = [exact_dates.part(part, moment, 0) for part in ("month", "weekday", "hour")]
        assert parts == [float(number) for number in expected[1:]], line


def test_numbers_are_read_as_people_write_them() -> None:
    known = {"1,234,567.5": 1234567.5, "$1,000": 1000.0, "-$3": -3.0, "−12 %": -12.0, "007": 7.0, "(5)": None, "1,00": None}
    for text, number in known.items():
        assert exact_dates.written_number(text) == number, text


if __name__ == "__main__":
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function()
            print(f"{name}: passed")
