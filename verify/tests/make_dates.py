"""Dates and times by Python's calendar, as `dates.txt`: `python make_dates.py > dates.txt`.

Each line: the text, the order of day and month, microseconds since 1970-01-01, month, weekday (0 is Monday), hour; with
tabs between them. Texts that no date has follow with `none` in place of the numbers.
"""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1)
MICROSECOND = timedelta(microseconds=1)
FORMATS = [
    ("%Y-%m-%d", "day-first"),
    ("%Y-%m-%d", "month-first"),
    ("%Y/%m/%d", "month-first"),
    ("%d.%m.%Y", "month-first"),
    ("%d/%m/%Y", "day-first"),
    ("%m/%d/%Y", "month-first"),
    ("%m-%d-%Y", "month-first"),
    ("%d %B %Y", "month-first"),
    ("%b %d %Y", "day-first"),
    ("%B %d, %Y", "day-first"),
    ("%d-%b-%Y", "day-first"),
    ("%Y-%b-%d", "day-first"),
    ("%Y-%m-%d", "none"),
    ("%d.%m.%Y", "none"),
    ("%d%b%Y", "none"),
    ("%a, %d %b %Y", "none"),
    ("%A %B %d, %Y", "month-first"),
]
TIMES = ["", " %H:%M", " %H:%M:%S", "T%H:%M:%S.%f", " %I:%M %p", " %I:%M:%S%p", "T%H:%M:%SZ", " %H:%M:%S+00:00"]
NONE = [
    "2023-02-29", "1900-02-29", "2100-2-29", "2024-13-01", "2024-00-10", "2024-01-00", "2024-04-31", "31/04/2024",
    "2024-01-01 24:00", "2024-01-01 12:60", "2024-01-01 12:00:60", "2024-01-01 13:00 pm", "0:30 am", "2024-01-01 12",
    "2024-01-01 12:00+24:00", "2024-01-01 12:00+0", "2024-01-01 12:00+1é2", "2024-01-01 12:00+éé", "é:00", "1é:00",
    "2024-01-01é12:00", "é2024-01-01", "Febé 2024", "fébruary 1 2024", "Feb-24", "24", "2004", "2004Q5", "2004Q0",
    "Q1", "Q", "Q2 04", "May", "May 5", "Mayor 5 2000", "1 and 2", "1.2.3.4", "2024-01-01-01", "12:", ":30", ":", "12:3",
    "1:2:3", "12:30:1", "12:30:10.", "12:30:10.1234567890", "+12:30", "-", "/", "..", "--", "T", "t12:30t", "", " ",
    "00/00/0000", "99/99/99", "2024-1", "20240101", "1e5", "0x10", "١٢:٣٠", "２０２４-０１-０１", "Z", "2024-01-01 Z",
    "2024-01-01 UTC", "1 January", "January 32 2024", "29 Feb 2023", "9999999999-01-01", "2024-01-01 -12:00",
    "Fri, 03 Jan 2019", "Thu", "Thu, 2019", "Thu, 03/01/2019", "Thurs, 3 Jan 2019", "Jan 3 2019 Thu", "Thu Thu 3 Jan 2019",
    "Oct-75", "Oct75", "75Oct", "03Jan", "32Jan2019", "003Jan2019", "3rd Jan 2019", "03Jan2019:10:00:00", "Jan20190",
]  # fmt: skip
# Day and month could be exchanged, so that a column decides.
OPEN = ["1/2/2019", "12-11-2019", "1/2/19 10:00", "01/03/2019 10:00+02:00"]


def line(text: str, order: str, moment: datetime) -> str:
    """One line of the file."""
    if moment.tzinfo is not None:
        moment = moment.astimezone(timezone.utc).replace(tzinfo=None)
    since = (moment - EPOCH) // MICROSECOND
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    hour = ((moment - midnight) // MICROSECOND) / 3_600_000_000
    return f"{text}\t{order}\t{since}\t{moment.month}\t{moment.weekday()}\t{hour!r}"


def main() -> None:
    """Write the file."""
    draw = random.Random(20)
    edges = [date(y, m, d) for y in (1000, 1582, 1899, 1900, 1970, 2000, 2100, 2400, 9999) for m, d in ((1, 1), (2, 28), (3, 1), (12, 31))]
    days = edges + [date(y, 2, 29) for y in (1600, 1904, 1972, 2000, 2024, 2400)]
    days += [date(1000, 1, 1) + timedelta(draw.randrange(3_287_000)) for _ in range(400)]
    for at, day in enumerate(days):
        form, order = FORMATS[at % len(FORMATS)]
        time = draw.choice(TIMES)
        clock = datetime(day.year, day.month, day.day, *(draw.randrange(n) for n in (24, 60, 60, 10**6)))
        text = clock.strftime(form.replace("%Y", f"{day.year:04}") + time)
        moment = datetime.strptime(text.replace("Z", ""), form + time.replace("Z", "").replace("+00:00", "+00:00"))
        print(line(text, order, moment))
    for text, order, moment in [
        ("2/9/24", "month-first", datetime(2024, 2, 9)),
        ("2/9/24", "day-first", datetime(2024, 9, 2)),
        ("1-1-69", "day-first", datetime(1969, 1, 1)),
        ("1-1-68", "day-first", datetime(2068, 1, 1)),
        ("29-Feb-24", "day-first", datetime(2024, 2, 29)),
        ("3 sept 1999", "day-first", datetime(1999, 9, 3)),
        ("February 2024", "day-first", datetime(2024, 2, 1)),
        ("2024-02", "day-first", datetime(2024, 2, 1)),
        ("2004Q1", "day-first", datetime(2004, 1, 1)),
        ("2004-Q4", "day-first", datetime(2004, 10, 1)),
        ("2004 q3", "day-first", datetime(2004, 7, 1)),
        ("Q2 2004", "day-first", datetime(2004, 4, 1)),
        ("0:00", "day-first", datetime(1970, 1, 1)),
        ("23:59:59.999999999", "day-first", datetime(1970, 1, 1, 23, 59, 59, 999999)),
        ("12:30 am", "day-first", datetime(1970, 1, 1, 0, 30)),
        ("9:05PM", "day-first", datetime(1970, 1, 1, 21, 5)),
        ("2024-01-01 00:30+01:00", "day-first", datetime(2023, 12, 31, 23, 30)),
        ("2024-01-01T00:30:00-0530", "day-first", datetime(2024, 1, 1, 6, 0)),
        ("2024-01-01 00:30 UTC", "day-first", datetime(2024, 1, 1, 0, 30)),
        ("2024-01-01 00:30:00.5 +02", "day-first", datetime(2023, 12, 31, 22, 30, 0, 500000)),
        ("13/1/2019", "none", datetime(2019, 1, 13)),
        ("1/13/2019", "none", datetime(2019, 1, 13)),
        ("5-5-19 10:00", "none", datetime(2019, 5, 5, 10)),
        ("3JAN19", "none", datetime(2019, 1, 3)),
        ("1Sept2019", "none", datetime(2019, 9, 1)),
        ("Jan2019", "none", datetime(2019, 1, 1)),
        ("2019Feb03", "none", datetime(2019, 2, 3)),
        ("Thu, 03 Jan 2019 10:00:00 +0100", "none", datetime(2019, 1, 3, 9)),
        ("thursday 3-jan-19", "none", datetime(2019, 1, 3)),
    ]:
        print(line(text, order, moment))
    for text in NONE:
        for order in ("day-first", "month-first", "none"):
            print(f"{text}\t{order}\tnone")
    for text in OPEN:
        print(f"{text}\tnone\tnone")


if __name__ == "__main__":
    main()
