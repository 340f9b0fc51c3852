"""Derives the polynomial coefficients and split constants of src/activation/elementary.rs, src/activation/series.rs and,
with the argument `fleet`, of src/fleet/kernel/double.rs and single.rs.

Every polynomial is the Chebyshev interpolant of the function named in its comment, computed with 60 digits,
expanded in powers of its variable and rounded to doubles (or to single precision); the printed error is the largest error of the polynomial
with the rounded coefficients. Run: python3 make_polynomials.py [fleet]
"""

import struct
import sys

from mpmath import atanh, cos, erf, erfc, exp, expm1, factorial, floor, log, mp, mpf, pi, sin, sqrt

mp.dps = 60


def chebyshev(f, low, high, count):
    """Coefficients, constant first, of the interpolant of f at `count` Chebyshev nodes of [low, high]."""
    nodes = [cos(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    values = [f((low + high) / 2 + (high - low) / 2 * x) for x in nodes]
    series = [2 * sum(v * cos(j * pi * (2 * k + 1) / (2 * count)) for k, v in enumerate(values)) / count
              for j in range(count)]
    series[0] /= 2
    # T_j in powers of x, then x = (2 y - low - high)/(high - low).
    powers = [mpf(0)] * count
    before, now = [mpf(1)], [mpf(0), mpf(1)]
    for j in range(count):
        t = before if j == 0 else now
        for i, c in enumerate(t):
            powers[i] += series[j] * c
        if j >= 1:
            step = [mpf(0)] + [2 * c for c in now]
            for i, c in enumerate(before):
                step[i] -= c
            before, now = now, step
    scale, shift = 2 / (high - low), -(low + high) / (high - low)
    out = [mpf(0)]
    for c in reversed(powers):  # Horner with the polynomial scale·y + shift
        next_out = [mpf(0)] * (len(out) + 1)
        for i, o in enumerate(out):
            next_out[i] += o * shift
            next_out[i + 1] += o * scale
        next_out[0] += c
        out = next_out
    return out[:count]


def to_single(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def table(name, note, values, single=False):
    print(f"/// {note}.")
    print(f"const {name}: [{'f32' if single else 'f64'}; {len(values)}] = [")
    for x in values:
        print(f"    {f'{to_single(x):.9g}' if single else repr(float(x))},")
    print("];\n")


def tables(single):
    """Sixteen entries each: one register of single precision, two of double."""
    rounded = to_single if single else float
    table("ROOTS", "2^(i/16)", [mpf(2)**(mpf(i) / 16) for i in range(16)], single)
    inverses = [mpf(rounded(1 / (1 + mpf(i) / 15))) for i in range(16)]
    table("INVERSES", "cᵢ ≈ 1/(1 + i/15)", inverses, single)
    table("LOGARITHMS", "−log₂ cᵢ", [-log(c) / log(mpf(2)) for c in inverses], single)


def polynomial(name, note, f, low, high, count, single=False):
    low, high = mpf(low), mpf(high)
    rounded = [to_single(c) if single else float(c) for c in chebyshev(f, low, high, count)]
    worst = max(abs(sum(mpf(c) * x**i for i, c in enumerate(rounded)) - f(x))
                for x in [low + (high - low) * k / 400 + mpf(10)**-25 for k in range(400)])
    print(f"/// {note}; error {float(worst):.1e}.")
    print(f"const {name}: [{'f32' if single else 'f64'}; {count}] = [")
    for c in rounded:
        print(f"    {f'{c:.9g}' if single else repr(c)},")
    print("];\n")


def parts(name, x, bits, count):
    """x as a sum of doubles; all but the last have `bits` significant bits."""
    out = []
    for k in range(count):
        if k == count - 1:
            part = mpf(float(x))
        else:
            unit = mpf(2)**(floor(log(abs(x), 2)) + 1 - bits)
            part = floor(x / unit) * unit
        out.append(float(part))
        x -= part
    print(f"const {name}: [f64; {count}] = {[repr(p) for p in out]!r};".replace("'", ""))


def erfcx(x):
    return exp(x * x) * erfc(x)


CENTRE = mpf(3)


def tail(y):
    if y >= 1 - mpf(10)**-20:
        return 2 / sqrt(pi)
    x = CENTRE * (1 + y) / (1 - y)
    mp.dps = 60 + int(float(x * x) * 0.5) if x < 60 else 60
    if x < 60:
        value = (1 + 2 * x) * erfcx(x)
    else:
        term, total = mpf(1), mpf(0)
        for k in range(40):
            total += term
            term *= -(2 * k + 1) / (2 * x * x)
        value = (1 + 2 * x) * total / (x * sqrt(pi))
    mp.dps = 60
    return +value


def exponential(r):
    return (expm1(r) - r) / r**2 if abs(r) > mpf(10)**-12 else mpf(1) / 2 + r / 6 + r * r / 24


def binary_exponential(f):
    return expm1(f * log(mpf(2))) / f if abs(f) > mpf(10)**-30 else log(mpf(2))


def short_logarithm(r):
    return (log(1 + r) / r if abs(r) > mpf(10)**-30 else mpf(1)) / log(mpf(2))


def logarithm(s):
    return (atanh(sqrt(s)) / sqrt(s) - 1) / s if s > mpf(10)**-30 else mpf(1) / 3


def near(s):
    return erf(sqrt(s)) / sqrt(s) if s > mpf(10)**-50 else 2 / sqrt(pi)


half_log2 = log(mpf(2)) / 2 * mpf("1.00001")
EXPONENTIAL_2 = ("EXPONENTIAL_2", "(2ᶠ − 1)/f on |f| ≤ ½", binary_exponential, -mpf(1) / 2, mpf(1) / 2)
EXPONENTIAL = ("EXPONENTIAL", "(eʳ − 1 − r)/r² on |r| ≤ ln2/2", exponential, -half_log2, half_log2)
SHORT_EXPONENTIAL = ("SHORT_EXPONENTIAL", "(2ᶠ − 1)/f on |f| ≤ 1/32", binary_exponential, -mpf(1) / 32, mpf(1) / 32)
SHORT_LOGARITHM = ("SHORT_LOGARITHM", "log₂(1 + r)/r on |r| ≤ 1/29", short_logarithm, -mpf(1) / 29, mpf(1) / 29)
LOGARITHM = ("LOGARITHM", "(atanh(√s)/√s − 1)/s on 0 ≤ s ≤ 1/9", logarithm, 0, mpf(1) / 9)
ERF = ("ERF", "erf(√s)/√s on 0 ≤ s ≤ 0.65²", near, 0, mpf("0.65")**2)
CENTRED = f"y = (x − {float(CENTRE)})/(x + {float(CENTRE)})"
SCALED_ERFC = ("SCALED_ERFC", f"(1 + 2x)·e^(x²)·erfc(x) in {CENTRED} for every x ≥ 0", tail, -1, 1)
if sys.argv[1:] == ["fleet"]:
    for of, count in ((EXPONENTIAL_2, 11), (LOGARITHM, 10), (SHORT_EXPONENTIAL, 6), (SHORT_LOGARITHM, 8)):
        polynomial(*of, count)
    tables(single=False)
    for of, count in ((EXPONENTIAL_2, 6), (LOGARITHM, 4), (SHORT_EXPONENTIAL, 3), (SHORT_LOGARITHM, 4), (ERF, 6),
                      (SCALED_ERFC, 12)):
        polynomial(*of, count, single=True)
    tables(single=True)
    sys.exit()

polynomial(*EXPONENTIAL, 11)
polynomial(*LOGARITHM, 11)
quarter = (pi / 4 * mpf("1.00001"))**2
polynomial("SINE", "(sin(√s)/√s − 1)/s on 0 ≤ s ≤ (π/4)²",
           lambda s: (sin(sqrt(s)) / sqrt(s) - 1) / s if s > mpf(10)**-30 else -mpf(1) / 6, 0, quarter, 7)
polynomial("COSINE", "(cos(√s) − 1 + s/2)/s² on 0 ≤ s ≤ (π/4)²",
           lambda s: (cos(sqrt(s)) - 1 + s / 2) / s**2 if s > mpf(10)**-15 else mpf(1) / 24 - s / 720, 0, quarter, 7)
polynomial(*ERF, 11)
polynomial(*SCALED_ERFC, 25)
parts("LN2", log(mpf(2)), 38, 2)
parts("HALF_PI", pi / 2, 33, 4)
mp.dps = 100
print("/// 1/√(r!) as an unevaluated sum of four doubles.")
print("const INVERSE_ROOT_FACTORIAL: [[f64; PARTS]; 64] = [")
for r in range(64):
    x = 1 / sqrt(factorial(r))
    row = []
    for _ in range(4):
        row.append(float(x))
        x -= row[-1]
    print(f"    {row!r},")
print("];")
