"""Dates of FORMAT.md §9 by Python's calendar, which has the years 1 to 9999, and numbers as people write them."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction

DAY, HOUR, SECOND = 86_400_000_000, 3_600_000_000, 1_000_000
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = (
    "january february march april may june july august september october november december".split()
)
# The characters with Unicode's property White_Space.
BLANKS = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
CLOCK = re.compile(
    rf"([0-9][0-9]?):([0-9][0-9])(?::([0-9][0-9])(?:\.([0-9]{{1,9}}))?)?(?:[{BLANKS}]*([ap]m))?", re.IGNORECASE
)
OFFSET = re.compile(r"([+-])(\d\d)(?::?(\d\d))?", re.ASCII)
WRITTEN = re.compile(
    rf"[-−+]?[{BLANKS}]*([$€£¥]?)[{BLANKS}]*([0-9]+|[0-9]{{1,3}}(?:,[0-9]{{3}})+)(\.[0-9]+)?[{BLANKS}]*([$€£¥%]?)"
)


def is_padded(cell: str) -> bool:
    """Whether these are digits after a zero."""
    return re.fullmatch(r"0\d+", cell, re.ASCII) is not None


def written_number(cell: str) -> float | None:
    """The number that a person wrote."""
    found = WRITTEN.fullmatch(cell)
    if found is None or (found[1] and found[4]):
        return None
    value = float(found[2].replace(",", "") + (found[3] or ""))
    return -value if cell[0] in "-−" else value


def moment(cell: str, order: str) -> int | None:
    """Microseconds since the beginning of 1970-01-01; None where there is no date."""
    if order == "none":
        found = {moment(cell, order) for order in ("day-first", "month-first")} - {None}
        return found.pop() if len(found) == 1 else None
    cell = cell.strip(BLANKS)
    if len(cell.encode()) > 60:
        return None
    time = clock(cell)
    if time is not None:
        return time
    colon = cell.find(":")
    at = max(cell.rfind(mark, 0, colon) for mark in " Tt") if colon >= 0 else -1
    written, rest = (cell, None) if at < 0 else (cell[:at].strip(BLANKS), cell[at + 1 :].strip(BLANKS))
    offset = 0
    if rest is not None:
        for suffix in ("Z", "z", " UTC", " GMT"):
            if rest.endswith(suffix):
                rest = rest.removesuffix(suffix)
                break
        else:
            split = max(rest.rfind("+"), rest.rfind("-"))
            if split >= 0:
                found = OFFSET.fullmatch(rest[split:])
                if found is None or int(found[2]) > 23 or int(found[3] or 0) > 59:
                    return None
                offset = (int(found[2]) * 60 + int(found[3] or 0)) * 60 * SECOND * (-1 if found[1] == "-" else 1)
                rest = rest[:split].rstrip(BLANKS)
        time = clock(rest)
        if time is None:
            return None
    day = day_of(written, order)
    return None if day is None else day * DAY + (time or 0) - offset


def clock(cell: str) -> int | None:
    """Microseconds since midnight."""
    found = CLOCK.fullmatch(cell)
    if found is None:
        return None
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if found[5]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[5].lower() == "pm" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return ((hour * 60 + minute) * 60 + second) * SECOND + int((found[4] or "").ljust(6, "0")[:6])


def day_of(written: str, order: str) -> int | None:
    """Days since 1970-01-01."""
    if found := re.fullmatch(r"(\d{4})-(\d\d)", written, re.ASCII):
        return day_number(found[1], found[2], "1")
    if found := re.fullmatch(r"(\d{4})([-/.])(\d\d?)\2(\d\d?)", written, re.ASCII):
        return day_number(found[1], found[3], found[4])
    if found := re.fullmatch(r"(\d\d?)([-/.])(\d\d?)\2(\d{4}|\d\d)", written, re.ASCII):
        is_day_first = order == "day-first" or found[2] == "."
        day, month = (found[1], found[3]) if is_day_first else (found[3], found[1])
        return day_number(found[4], month, day)
    quarter = re.fullmatch(r"(?P<year>\d{4})[- ]*q(?P<q>[1-4])|q(?P<r>[1-4])[- ](?P<last>\d{4})", written, re.ASCII | re.I)
    if quarter:
        return day_number(quarter["year"] or quarter["last"], str(3 * int(quarter["q"] or quarter["r"]) - 2), "1")
    parts = [part for part in re.split(r"[ \-/,.]|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])", written) if part]
    if parts and (weekday := place_of(parts[0], WEEKDAYS)) is not None:
        day = named_day(parts[1:])
        return day if day is not None and (day + 3) % 7 == weekday else None
    return named_day(parts)


def named_day(parts: list[str]) -> int | None:
    """The day that these words and numbers name, one of them a month."""
    named = [at for at, part in enumerate(parts) if month_called(part)]
    if not named or named[0] > 1:
        return None
    at = named[0]
    month, rest = str(month_called(parts[at])), parts[:at] + parts[at + 1 :]
    if not all(re.fullmatch(r"\d{1,4}", part, re.ASCII) for part in rest):
        return None
    lengths = [len(part) for part in rest]
    if lengths == [4]:
        return day_number(rest[0], month, "1")
    if len(rest) == 2 and lengths[0] <= 2 and lengths[1] in (2, 4):
        return day_number(rest[1], month, rest[0])
    if len(rest) == 2 and at == 1 and lengths[0] == 4 and lengths[1] <= 2:
        return day_number(rest[0], month, rest[1])
    return None


def month_called(name: str) -> int | None:
    """The number of an English month."""
    place = 8 if name.lower() == "sept" else place_of(name, MONTHS)
    return None if place is None else place + 1


def place_of(name: str, names: list[str]) -> int | None:
    """Which of these names it is, in full or its first three letters."""
    return next((at for at, full in enumerate(names) if name.lower() in (full, full[:3])), None)


def day_number(year: str, month: str, day: str) -> int | None:
    """Days since 1970-01-01; a year of two digits is one from 1969 to 2068."""
    full = int(year) if len(year) == 4 else int(year) + (2000 if int(year) < 69 else 1900)
    try:
        return date(full, int(month), int(day)).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return None


def part(name: str, moment: int, origin: int) -> float:
    """What is taken of a moment."""
    day = moment // DAY
    if name == "days":
        return float(Fraction(moment - origin)) / DAY
    if name == "hour":
        return (moment - DAY * day) / HOUR
    calendar = date.fromordinal(day + date(1970, 1, 1).toordinal())
    return float(calendar.month if name == "month" else calendar.weekday())


def written(moment: int) -> str:
    """The day of a moment."""
    return date.fromordinal(moment // DAY + date(1970, 1, 1).toordinal()).isoformat()
