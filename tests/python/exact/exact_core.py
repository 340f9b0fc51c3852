"""What the exact checker rests on: JSON, linear algebra with fractions, tables and rows, networks."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import exact_dates
from exact_dates import BLANKS, is_padded, written_number

Result = tuple[str, str, bool, str]
Monomial = tuple[int, ...]

GAPS = {"", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?"}
DECIMAL_COMMA = re.compile(r"[+-]?([0-9]*),([0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
# Powers of ten stand for the doubles nearest to them.
LEAST_MEASURE, AFFINE_PART = Fraction(1e-290), Fraction(1e-10)


class Refused(Exception):
    """The file or the table is not what the page describes, or they do not belong together."""


class NotJudged(Exception):
    """A file of an older format, which carries no proof."""


class NotConfirmed(Exception):
    """A claim that does not follow from its proof."""


# --- JSON -------------------------------------------------------------------------------------------------------------


def read_document(content: str) -> dict[str, Any]:
    """Parse JSON; repeated keys and numbers that are not finite are refused."""

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            names = [key for key, _ in pairs]
            raise Refused(f"repeated key {next(key for key in names if names.count(key) > 1)!r}")
        return result

    def constant(word: str) -> float:
        raise Refused(f"{word} is not a JSON number")

    try:
        document = json.loads(content, object_pairs_hook=distinct, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        raise Refused(f"not a JSON document: {error}") from error
    if not isinstance(document, dict):
        raise Refused("the document is not an object")
    return document


def members(value: Any, keys: str, where: str) -> list[Any]:
    """The values of an object that has exactly the given keys, in their order."""
    if not isinstance(value, dict):
        raise Refused(f"{where} is not an object")
    names = keys.split()
    for key in value:
        if key not in names:
            raise Refused(f"{where} has the unknown key {key!r}")
    for key in names:
        if key not in value:
            raise Refused(f"{where} lacks the key {key!r}")
    return [value[key] for key in names]


def number(value: Any, where: str) -> Fraction:
    """The exact value of the double that a JSON number stands for."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused(f"{where} is not a number")
    try:
        double = float(value)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        raise Refused(f"{where} is not finite")
    return Fraction(double)


def whole(value: Any, where: str, least: int = -(2**53), most: int = 2**53) -> int:
    """A whole number within the given limits, written without point and exponent."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Refused(f"{where} is not a whole number between {least} and {most}")
    return value


def truth(value: Any, where: str) -> bool:
    """A JSON boolean."""
    if not isinstance(value, bool):
        raise Refused(f"{where} is neither true nor false")
    return value


def text(value: Any, where: str) -> str:
    """A JSON string that can be written in UTF-8."""
    if not isinstance(value, str):
        raise Refused(f"{where} is not a string")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Refused(f"{where} is not Unicode text") from error
    return value


def items(value: Any, where: str, count: int | None = None) -> list[Any]:
    """A JSON list, of the given length where there is one."""
    if not isinstance(value, list):
        raise Refused(f"{where} is not a list")
    if count is not None and len(value) != count:
        raise Refused(f"{where} has {len(value)} entries instead of {count}")
    return value


def read_facts(value: Any, names: str) -> dict[str, Fraction | None]:
    """The claimed facts by name; those that are left out or null are None."""
    if not isinstance(value, dict):
        raise Refused("facts is not an object")
    every = dict.fromkeys(names.split()) | value
    return {name: optional(number, fact, name) for name, fact in zip(names.split(), members(every, names, "facts"))}


def numbers(value: Any, where: str, count: int | None = None) -> list[Fraction]:
    """A list of numbers."""
    return [number(entry, where) for entry in items(value, where, count)]


def optional(read: Callable[..., Any], value: Any, *arguments: Any) -> Any:
    """What ``read`` makes of a value, or None for null."""
    return None if value is None else read(value, *arguments)


# --- exact linear algebra ---------------------------------------------------------------------------------------------


class Vector(NamedTuple):
    """Rational numbers with one common denominator."""

    numerators: list[int]
    denominator: int

    @staticmethod
    def of(values: Iterable[Fraction]) -> Vector:
        """The vector with the given entries."""
        listed = list(values)
        denominator = math.lcm(*(value.denominator for value in listed))
        return Vector([value.numerator * (denominator // value.denominator) for value in listed], denominator)

    def fractions(self) -> list[Fraction]:
        """The entries."""
        return [Fraction(numerator, self.denominator) for numerator in self.numerators]


def dot(*vectors: Vector) -> Fraction:
    """The sum over the entries of the product of all vectors."""
    total = sum(math.prod(entries) for entries in zip(*(vector.numerators for vector in vectors), strict=True))
    return Fraction(total, math.prod(vector.denominator for vector in vectors))


def times(first: Vector, second: Vector) -> Vector:
    """The product, entry by entry."""
    pairs = zip(first.numerators, second.numerators, strict=True)
    return Vector([a * b for a, b in pairs], first.denominator * second.denominator)


def combination(vectors: Sequence[Vector], factors: Sequence[Fraction], size: int) -> Vector:
    """The sum of the vectors, each times its factor."""
    scaled = Vector.of(f / vector.denominator for f, vector in zip(factors, vectors, strict=True))
    totals = [0] * size
    for factor, vector in zip(scaled.numerators, vectors):
        if factor:
            totals = [total + factor * entry for total, entry in zip(totals, vector.numerators, strict=True)]
    return Vector(totals, scaled.denominator)


def solve_gram(gram: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve a system with a Gram matrix by fraction-free elimination; None when the matrix is singular.

    A Gram matrix is positive semidefinite, so it is singular exactly when one of its leading minors, which are the
    pivots of this elimination, vanishes.
    """
    size = len(gram)
    rows = [Vector.of([*row, entry]).numerators for row, entry in zip(gram, right, strict=True)]
    previous = 1
    for step in range(size):
        pivot = rows[step][step]
        if pivot == 0:
            return None
        for row in range(step + 1, size):
            lead = rows[row][step]
            rows[row] = [0] * (step + 1) + [
                (pivot * rows[row][column] - lead * rows[step][column]) // previous
                for column in range(step + 1, size + 1)
            ]
        previous = pivot
    solution = [Fraction(0)] * size
    for row in reversed(range(size)):
        known = sum((rows[row][column] * solution[column] for column in range(row + 1, size)), Fraction(0))
        solution[row] = (rows[row][size] - known) / rows[row][row]
    return solution


def is_semidefinite(matrix: list[list[Fraction]]) -> bool:
    """Whether a symmetric matrix is positive semidefinite, by exact LDLᵀ with diagonal pivots."""
    rest = [list(row) for row in matrix]
    while rest:
        diagonal = [rest[i][i] for i in range(len(rest))]
        if min(diagonal) < 0:
            return False
        chosen = max(range(len(rest)), key=lambda i: diagonal[i])
        if diagonal[chosen] == 0:
            return all(entry == 0 for row in rest for entry in row)
        others = [i for i in range(len(rest)) if i != chosen]
        column = {i: rest[i][chosen] / diagonal[chosen] for i in others}
        rest = [[rest[i][j] - column[i] * rest[chosen][j] for j in others] for i in others]
    return True


# --- tables and rows --------------------------------------------------------------------------------------------------


@dataclass
class Table:
    """Cells as text: gaps that the certificate names are empty, decimal commas are points."""

    columns: list[str]
    rows: list[list[str]]
    #: The columns in which a comma does not separate thousands.
    open_columns: set[int] = field(default_factory=set)
    #: The format of the certificate, which says how some cells are read.
    version: int = 5

    def place(self, name: str) -> int:
        """Which column has this name."""
        if self.columns.count(name) != 1:
            raise Refused(f"the table has {self.columns.count(name)} columns named {name!r}")
        return self.columns.index(name)

    def cells(self, name: str) -> list[str]:
        """The cells of the column with this name."""
        place = self.place(name)
        return [row[place] for row in self.rows]

    def value(self, name: str, cell: str) -> float | None:
        """The double nearest to the number in a cell of a column, or None where there is none."""
        value = read_number(cell)
        is_open = "," in cell and self.place(name) in self.open_columns
        return written_number(cell) if value is None and self.version >= 5 and cell and not is_open else value

    def word(self, cell: str) -> str | float:
        """What a word is compared by; since format 5 digits after a zero are compared as they stand."""
        return cell if self.version >= 5 and is_padded(cell) else word(cell)

    def named_word(self, name: str) -> str | float:
        """The same of a word of a recipe, which has to be that of a cell."""
        read = self.word(name)
        if name in GAPS or name != name.strip(BLANKS) or name != (number_name(read) if isinstance(read, float) else read):
            raise Refused(f"no cell is the word {name!r}")
        return read


def read_number(cell: str) -> float | None:
    """The double nearest to a decimal number, or None for other words."""
    if not NUMBER.fullmatch(cell):
        return None
    value = float(cell)
    if not math.isfinite(value):
        raise Refused(f"{cell} is too large for a double")
    return value


def number_name(value: float) -> str:
    """The word that a number is: the fewest digits that read back as it, with an exponent outside of 1e-5 to 1e15."""
    digits = Decimal(repr(value + 0.0)).normalize()
    if value == 0 or 1e-5 <= abs(value) < 1e15:
        return format(digits, "f") if value else "0"
    sign, figures, _ = digits.as_tuple()
    mantissa = str(figures[0]) + ("." + "".join(map(str, figures[1:])) if len(figures) > 1 else "")
    return f"{'-' if sign else ''}{mantissa}e{digits.adjusted()}"


def decimal_comma(cell: str) -> tuple[str, bool] | None:
    """The same number with a point, and whether the comma can separate no thousands."""
    found = DECIMAL_COMMA.fullmatch(cell)
    if found is None or not math.isfinite(float(cell.replace(",", "."))):
        return None
    whole, fraction = found[1], found[2]
    return cell.replace(",", "."), len(fraction) != 3 or len(whole) not in (1, 2, 3) or whole[0] == "0"


def read_table(source: str | Path | Sequence[Sequence[Any]], gaps: Sequence[str] = (), version: int = 5) -> Table:
    """Read a CSV file, or a list of rows of cells of which the first names the columns; ``gaps`` are further gaps."""
    separator = ","
    if isinstance(source, (str, Path)):
        try:
            content = Path(source).read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise Refused(f"the table cannot be read: {error}") from error
        declared = re.match(r'("?)sep=([,;\t|])\1\r?\n', content, re.IGNORECASE | re.ASCII)
        content = content[declared.end() :] if declared else content
        first = re.sub(r'"[^"]*"', "", content.lstrip("\r\n").splitlines()[0] if content.strip(BLANKS) else "")
        separator = declared[2] if declared else max(",;\t", key=first.count)
        try:
            lines = [line for line in csv.reader(io.StringIO(content, newline=""), delimiter=separator) if line]
        except csv.Error as error:
            raise Refused(f"the table cannot be read: {error}") from error
    else:
        lines = [[cell if isinstance(cell, str) else repr(cell) for cell in row] for row in source]
    if not lines:
        raise Refused("the table is empty")
    columns, *rows = [[cell.strip(BLANKS) for cell in line] for line in lines]
    rows = [row for row in rows if len(row) == len(columns) or row != [""]]
    if any(len(row) != len(columns) for row in rows):
        raise Refused("the rows of the table differ in length")
    if len(columns) > 1 and columns[-1] == "" and all(row[-1] == "" for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    name_index(columns)
    table = Table(columns, rows, version=version)
    has_points = any("." in cell and read_number(cell) is not None for row in rows for cell in row if cell not in GAPS)
    is_decimal = settle_commas(table, False, has_points) if separator != "," else False
    if gaps:
        means_gap = {table.word(text.strip(BLANKS)) for text in gaps}
        if is_decimal:
            commas = (decimal_comma(text.strip(BLANKS)) for text in gaps)
            means_gap |= {float(found[0]) for found in commas if found is not None}
        table.rows = [["" if cell not in GAPS and table.word(cell) in means_gap else cell for cell in row] for row in table.rows]
        is_decimal = settle_commas(table, is_decimal, has_points) if separator != "," else False
    if separator != "," and not has_points:
        for at in range(len(columns)):
            words = [row[at] for row in table.rows if row[at] not in GAPS and read_number(row[at]) is None]
            shows = any("," in cell and (cell.count(",") > 1 or "." in cell) for cell in words)
            if is_decimal or not shows:
                table.open_columns.add(at)
    return table


def name_index(columns: list[str]) -> None:
    """Name the first columns, but not the last, where they have no names."""
    unnamed = next((at for at, name in enumerate(columns) if name != ""), len(columns))
    known, number = set(columns), 0
    for at in range(min(unnamed, len(columns) - 1)):
        while (name := f"index{number or ''}") in known:
            number += 1
        columns[at] = name
        known.add(name)


def settle_commas(table: Table, is_decimal: bool, has_points: bool) -> bool:
    """Whether commas are decimal; if so, they become points in the columns that can be read so."""
    found = {}
    for at in range(len(table.columns)):
        cells = [row[at] for row in table.rows]
        words = [c for c in cells if c not in GAPS and not is_padded(c) and read_number(c) is None]
        commas = [decimal_comma(cell) for cell in words]
        if commas and None not in commas:
            found[at] = any(clear for _, clear in commas)
    if not (is_decimal or any(found.values())):
        return False
    if has_points:
        raise Refused("a decimal point, where other columns have decimal commas")
    for at in found:
        for row in table.rows:
            number = decimal_comma(row[at])
            row[at] = number[0] if number else str(int(row[at])) if is_padded(row[at]) else row[at]
    return True


def word(cell: str) -> str | float:
    """What a word of a category is compared by: its value for a number, small letters for truth values."""
    value = read_number(cell)
    if value is not None:
        return value
    return cell.lower() if cell.lower() in ("true", "false") else cell


def less_centre(name: str, centre: float) -> str:
    """The name of a column less a centre: the fewest digits that read back as the centre, without an exponent."""
    digits = format(Decimal(repr(abs(centre))), "f")
    return f"{name} {'+' if centre < 0 else '−'} {digits.removesuffix('.0')}"


def apply_step(
    step: Any, table: Table, chosen: list[int], forbidden: set[str]
) -> tuple[list[str], list[list[float]], int]:
    """The inputs of one step of a recipe by name, each as a list over the chosen rows, and the number of unknown words."""
    name, treatment = members(step, "name treatment", "a step of the recipe")
    name = text(name, "the name of a step")
    if isinstance(treatment, dict) and set(treatment) == {"dropped"}:
        return [], [], 0
    if name in forbidden:
        raise Refused(f"{name!r} is the target or the weight and cannot be an input")
    column = table.cells(name)
    cells = [column[row] for row in chosen]
    gap = [float(cell in GAPS) for cell in cells]
    if treatment == "gaps-only":
        return [f"{name} missing"], [gap], 0
    unknown = 0
    if not isinstance(treatment, dict) or len(treatment) != 1:
        raise Refused(f"unknown treatment of {name!r}")
    kind, details = next(iter(treatment.items()))
    if kind == "number" or (kind == "centred" and table.version >= 4):
        keys = "centre median gaps" if kind == "centred" else "median gaps"
        *centre, median, gaps = members(details, keys, f"the treatment of {name!r}")
        filler = optional(number, median, "median")
        values = []
        for cell in cells:
            value = table.value(name, cell) if cell not in GAPS else None if filler is None else float(filler)
            if value is None:
                raise Refused(f"{cell!r} in {name!r} is not a number")
            values.append(value)
        names, inputs = [name], [values]
        for m in centre:
            middle = float(number(m, "centre"))
            names, inputs = [less_centre(name, middle)], [[value - middle for value in values]]
    elif kind == "category":
        reference, levels, other, gaps = members(details, "reference levels other gaps", f"the treatment of {name!r}")
        base = optional(text, reference, "reference")
        known = [table.named_word(text(level, "a level")) for level in items(levels, "levels")]
        if len(set(known)) != len(known) or (base is not None and table.named_word(base) in known):
            raise Refused(f"the levels of {name!r} are not different")
        words = [None if cell in GAPS else table.word(cell) for cell in cells]
        inputs = [[float(entry == level) for entry in words] for level in known]
        names = [f"{name}={level}" for level in levels]
        usual = {None, *known} | (set() if base is None else {table.word(base)})
        strange = [float(entry not in usual) for entry in words]
        if truth(other, "other"):
            rest = "other"
            while table.version >= 5 and rest in (reference, *levels):
                rest += "′"
            names.append(f"{name}={rest}")
            inputs.append(strange)
        else:
            unknown = int(sum(strange))
    elif kind == "date" and table.version >= 5:
        names, inputs, gaps = date_step(name, details, cells)
    elif kind == "ordered" and table.version >= 5:
        levels, median, gaps = members(details, "levels median gaps", f"the treatment of {name!r}")
        known = [table.named_word(text(level, "a level")) for level in items(levels, "levels")]
        place = optional(whole, median, "median", 0, len(known) - 1)
        if not known or len(set(known)) != len(known):
            raise Refused(f"the levels of {name!r} are none, or not different")
        words = [None if cell in GAPS else table.word(cell) for cell in cells]
        if any(entry not in known if entry is not None else place is None for entry in words):
            raise Refused(f"{name!r} has a word that is not one of the list, or a gap")
        names, inputs = [name], [[float(place if entry is None else known.index(entry)) for entry in words]]
    else:
        raise Refused(f"unknown treatment of {name!r}: {kind}")
    if gaps not in ("never", "input", "shared"):
        raise Refused(f"unknown treatment of gaps in {name!r}")
    if gaps == "never" and any(gap):
        raise Refused(f"{name!r} has a gap")
    if gaps == "input":
        return [*names, f"{name} missing"], [*inputs, gap], unknown
    return names, inputs, unknown


def date_step(name: str, details: Any, cells: list[str]) -> tuple[list[str], list[list[float]], Any]:
    """The inputs of a column of dates."""
    most = 4 * 10**6 * exact_dates.DAY
    keys = "order offsets origin parts median gaps"
    order, offsets, origin, parts, median, gaps = members(details, keys, f"the treatment of {name!r}")
    origin, median = whole(origin, "origin", -most, most), optional(whole, median, "median", -most, most)
    parts = [text(part, "a part") for part in items(parts, "parts")]
    if order not in ("day-first", "month-first", "none") or origin % exact_dates.DAY != 0:
        raise Refused(f"unknown order or origin of {name!r}")
    if offsets not in ("never", "sometimes", "always"):
        raise Refused(f"unknown offsets of {name!r}")
    if not parts or len(set(parts)) != len(parts) or not set(parts) <= {"days", "month", "weekday", "hour"}:
        raise Refused(f"the parts of {name!r} are none, unknown or not different")
    moments = []
    for cell in cells:
        value = read_number(cell)
        is_plain = value is not None and value == int(value) and abs(value) <= 2**62 and not is_padded(cell)
        moment = median if cell in GAPS else int(value) if is_plain else exact_dates.moment(cell, order)
        if moment is None:
            raise Refused(f"{cell!r} in {name!r} is not a date")
        moments.append(moment)
    called = {"days": f"{name} − {exact_dates.written(origin)}"}
    inputs = [[exact_dates.part(part, moment, origin) for moment in moments] for part in parts]
    return [called.get(part, f"{name} {part}") for part in parts], inputs, gaps


def logarithm(value: float) -> float:
    """The double nearest to ln(value), from 60 digits; a tie that these cannot decide is refused."""
    if value <= 0:
        raise Refused("the logarithm of a target that is not positive")
    context = Context(prec=60)
    digits = context.ln(Decimal(value))
    radius = abs(digits).scaleb(-58)
    low, high = float(context.subtract(digits, radius)), float(context.add(digits, radius))
    if low != high:
        raise Refused("a logarithm is too close to the middle of two doubles")
    return low


@dataclass
class Rows:
    """The rows that count, exactly, and how many inputs and rows there are."""

    inputs: int
    count: int
    x: list[Vector]
    y: Vector
    omega: Vector
    weights: list[Fraction]
    doubles: list[list[float]]
    unknown_words: int


def fingerprint(names: list[str], fitted: str, x: list[list[float]], y: list[float], w: list[float] | None) -> str:
    """The SHA-256 of rows, given by columns ``x[j][i]``."""
    count = struct.Struct("<Q").pack
    double = struct.Struct("<d").pack
    parts = [b"shallows data 1\n", count(len(y)), count(len(names))]
    for name in [*names, fitted]:
        parts += [count(len(name.encode())), name.encode()]
    parts += [double(column[row] + 0.0) for row in range(len(y)) for column in x]
    parts += [double(value + 0.0) for value in y]
    parts += [b"\0"] if w is None else [b"\1", *(double(value + 0.0) for value in w)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


# --- forms of rows: operations of doubles, rounded to nearest, in the order written -----------------------------------


@dataclass
class Standardised:
    """Inputs are centred and scaled (a scale of None makes zeros), one more input is the factor; labels likewise."""

    centre: list[float]
    scale: list[float | None]
    factor: float
    target_centre: float
    target_scale: float


def read_form(value: Any) -> tuple[str | Standardised | None, str | None]:
    """What is done to the rows after the recipe: the scaling, then the merging."""
    scaled, merged = members(value, "scaled merged", "form")
    if merged not in (None, "equal", "even", "odd"):
        raise Refused("unknown way to merge rows")
    if scaled in (None, "unit"):
        return scaled, merged
    (details,) = members(scaled, "standardised", "scaled")
    keys = "centre scale factor target_centre target_scale"
    centre, scale, factor, target_centre, target_scale = members(details, keys, "standardised")
    form = Standardised(
        [float(entry) for entry in numbers(centre, "centre")],
        [optional(lambda one: float(number(one, "scale")), entry) for entry in items(scale, "scale", len(centre))],
        *(float(number(one, "form")) for one in (factor, target_centre, target_scale)),
    )
    if any(entry is not None and entry <= 0 for entry in form.scale) or form.factor == 0 or form.target_scale <= 0:
        raise Refused("a scale is not positive, or the factor is zero")
    return form, merged


def scaled_rows(
    form: str | Standardised, x: list[list[float]], y: list[float]
) -> tuple[list[list[float]], list[float]]:
    """Rows of norm 1, or standardised columns; ``x[j][i]`` is input j of row i."""
    if isinstance(form, Standardised):
        if len(form.centre) != len(x):
            raise Refused("the form is not one for the inputs of the recipe")
        standardised = [
            [0.0 if scale is None else (entry - centre) / scale * form.factor for entry in column]
            for column, centre, scale in zip(x, form.centre, form.scale)
        ]
        labels = [(label - form.target_centre) / form.target_scale for label in y]
        return [*standardised, [form.factor] * len(y)], labels
    rows = []
    for row in ([column[i] for column in x] for i in range(len(y))):
        most = max(map(abs, row), default=0.0)
        if most > 0:
            row = [entry / most for entry in row]
            square = 0.0
            for entry in row:
                square += entry * entry
            row = [entry / math.sqrt(square) for entry in row]
        rows.append(row)
    return [[row[j] for row in rows] for j in range(len(x))], y


def merged_rows(
    kind: str, x: list[list[float]], y: list[float], w: list[float] | None
) -> tuple[list[list[float]], list[float], list[float] | None]:
    """Rows of weight 0 left out and equal rows made one; signs chosen first where a network does not tell them apart."""
    groups: dict[tuple[float, ...], list[tuple[float, float]]] = {}
    for i, label in enumerate(y):
        row, weight = tuple(column[i] for column in x), 1.0 if w is None else w[i]
        if weight == 0:
            continue
        if kind != "equal" and next((entry for entry in row if entry != 0), 1.0) < 0:
            row = tuple(-entry for entry in row)
            label = -label if kind == "odd" else label
        # 0 and −0 are equal, as keys too.
        groups.setdefault(row, []).append((label, weight))
    labels, weights = [], []
    for group in groups.values():
        total = product = 0.0
        for label, weight in group:
            total += weight
            product += weight * label
        same = all(label == group[0][0] for label, _ in group)
        labels.append(group[0][0] if same else product / total)
        weights.append(total)
    repeated = any(len(group) > 1 for group in groups.values())
    return [[row[j] for row in groups] for j in range(len(x))], labels, weights if w is not None or repeated else None


def read_scale(value: Any, target: str, centres: bool) -> tuple[Callable[[float], float], str]:
    """What is done to each label, and the name of what is fitted."""
    if value == "identity":
        return (lambda label: label), target
    if value == "log":
        return logarithm, f"ln({target})"
    if not isinstance(value, dict) or not centres:
        raise Refused("unknown target_scale")
    centre = float(number(members(value, "centred", "target_scale")[0], "the centre of the target"))
    return (lambda label: label - centre), less_centre(target, centre)


def read_rows(value: Any, source: str | Path | Sequence[Sequence[Any]] | None, version: int) -> Rows:
    """Apply the recipe to the table and compare the fingerprint, as the format of the file says."""
    gap_words: list[str] = []
    if version >= 5 and isinstance(value, dict) and "gap_words" in value:
        gap_words = [text(entry, "a gap") for entry in items(value["gap_words"], "gap_words")]
        value = {key: entry for key, entry in value.items() if key != "gap_words"}
    keys = "hash count table_rows inputs target target_scale weight recipe selected form"
    digest, count, table_rows, names, target, scale, weight, recipe, selected, form = members(value, keys, "rows")
    scaling, merging = (None, None) if form is None else read_form(form)
    count, table_rows = whole(count, "count", 1), whole(table_rows, "table_rows", 1)
    names = [text(name, "the name of an input") for name in items(names, "inputs")]
    target, weight = text(target, "target"), optional(text, weight, "weight")
    scaled_label, fitted = read_scale(scale, target, version >= 4)
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text(digest, "hash")):
        raise Refused("the hash does not have 64 hexadecimal digits")
    if selected is None:
        chosen = list(range(table_rows))
    else:
        chosen = [whole(row, "selected", 0, table_rows - 1) for row in items(selected, "selected")]
    if len(chosen) != count or len(set(chosen)) != count:
        raise Refused("the selected rows are not `count` different rows")
    if source is None:
        raise Refused("the claims are about rows: a table is needed")
    table = read_table(source, gap_words, version)
    if len(table.rows) != table_rows:
        raise Refused(f"the table has {len(table.rows)} rows instead of {table_rows}")

    def plain(name: str) -> list[float]:
        column = table.cells(name)
        truth = {"true": 1.0, "false": 0.0} if version >= 5 else {}
        values = [
            None if column[row] in GAPS else truth.get(column[row].lower(), table.value(name, column[row])) for row in chosen
        ]
        if any(entry is None for entry in values):
            raise Refused(f"{name!r} has a cell that is not a number")
        return values

    y = [scaled_label(entry) for entry in plain(target)]
    w = None if weight is None else plain(weight)
    forbidden = {target} | ({weight} if weight is not None else set())
    steps = [apply_step(step, table, chosen, forbidden) for step in items(recipe, "recipe")]
    x = [column for _, columns, _ in steps for column in columns]
    made = [name for own, _, _ in steps for name in own]
    if len(names) != len(made) + isinstance(scaling, Standardised) or names[: len(made)] != made:
        raise Refused("the inputs are not those of the recipe")
    if len(set(names)) != len(names):
        raise Refused("two inputs have the same name")
    if w is not None and (min(w) < 0 or sum(w) == 0):
        raise Refused("the weights are not those of rows")
    if scaling is not None:
        x, y = scaled_rows(scaling, x, y)
    if merging is not None:
        x, y, w = merged_rows(merging, x, y, w)
    if not all(math.isfinite(entry) for column in [*x, y, w or []] for entry in column):
        raise Refused("a centre or the form makes numbers that are not finite")
    count = len(y)
    while scale != "identity" and fitted in names:
        fitted += "′"
    if fingerprint(names, fitted, x, y, w) != digest.lower():
        raise Refused("the fingerprint is that of other rows")
    weights = [Fraction(1)] * count if w is None else [Fraction(entry) for entry in w]
    counts = [row for row in range(count) if weights[row] > 0]
    total = sum(weights)
    return Rows(
        len(x),
        count,
        [Vector.of(Fraction(column[row]) for row in counts) for column in x],
        Vector.of(Fraction(y[row]) for row in counts),
        Vector.of(weights[row] / total for row in counts),
        [weights[row] for row in counts],
        x,
        sum(unknown for _, _, unknown in steps),
    )


# --- networks ---------------------------------------------------------------------------------------------------------


def activation_parts(name: str) -> tuple[str, list[Fraction]]:
    """The kind of an activation and its parameters as they are written."""
    kind, colon, rest = name.partition(":")
    parameters = [read_number(part) for part in rest.split(",")] if colon else []
    if any(value is None or not (value == 0 or 1e-100 <= abs(value) <= 1e100) for value in parameters):
        raise Refused(f"unknown activation {name!r}")
    return kind, [Fraction(value) for value in parameters]


# The names of φ(z) = z².
SQUARES = ("quadratic", []), ("quadratic", [Fraction(1), Fraction(0), Fraction(0)])


@dataclass
class Network:
    """f(x) = Σ_l v_l φ(w_l·x + u_l) + c + b·x."""

    activation: str
    W: list[list[Fraction]]
    u: list[Fraction]
    v: list[Fraction]
    c: Fraction
    b: list[Fraction]

    def is_quadratic(self) -> bool:
        """Whether φ(z) = z² and there are no hidden biases."""
        return activation_parts(self.activation) in SQUARES and not any(self.u)

    def matrix(self) -> list[list[Fraction]]:
        """M = Σ_l v_l w_l w_lᵀ."""
        size = range(len(self.b))
        units = list(zip(self.v, self.W, strict=True))
        return [[sum((v * w[i] * w[j] for v, w in units), Fraction(0)) for j in size] for i in size]


def read_network(value: Any, inputs: int | None, where: str) -> Network:
    """Read a network; its number of inputs is that of the rows."""
    activation, W, u, v, c, b = members(value, "activation W u v c b", where)
    activation = text(activation, "activation")
    v = numbers(v, "v")
    W = [numbers(row, "a row of W", inputs) for row in items(W, "W", len(v))]
    if inputs is None:
        inputs = len(W[0]) if W else len(b) if isinstance(b, list) else 0
        if any(len(row) != inputs for row in W):
            raise Refused("the rows of W differ in length")
    u = [Fraction(0)] * len(v) if u is None else numbers(u, "u", len(v))
    b = [Fraction(0)] * inputs if b is None else numbers(b, "b", inputs)
    return Network(activation, W, u, v, Fraction(0) if c is None else number(c, "c"), b)


def quadratic_values(matrix: list[list[Fraction]], b: list[Fraction], c: Fraction, x: list[Vector], n: int) -> Vector:
    """xᵀMx + b·x + c in every row."""
    size = range(len(x))
    columns = [times(x[i], x[j]) for i in size for j in range(i + 1)] + x + [Vector([1] * n, 1)]
    factors = [matrix[i][j] * (1 if i == j else 2) for i in size for j in range(i + 1)] + b + [c]
    return combination(columns, factors, n)
