"""Writes activation.txt: φ, φ', φ'' of activations at chosen doubles, correctly rounded.

A line with a name opens a section; each line below it holds the bits, in hexadecimal, of z, φ(z), φ'(z), φ''(z).
Everything is computed with at least 150 digits and rounded once. Run: python3 make_activation.py > activation.txt
"""

import random
import struct
from fractions import Fraction

from mpmath import cos, erf, erfc, exp, expm1, factorial, log, log1p, mp, mpf, pi, sin, sqrt

mp.prec = 600


def rounded(x):
    """The double nearest to a multiple-precision number, subnormals included."""
    if x == 0:
        return 0.0
    sign, man, exponent, _ = x._mpf_
    if exponent < -6000:
        return -0.0 if sign else 0.0
    if exponent > 3000:
        return float("-inf") if sign else float("inf")
    value = Fraction(int(man)) * Fraction(2)**exponent
    try:
        value = value.numerator / value.denominator
    except OverflowError:
        value = float("inf")
    return -value if sign else value


def bits(x):
    return struct.pack(">d", x).hex()


def quadratic(a, b, c):
    a, b, c = mpf(a), mpf(b), mpf(c)

    def jet(z):
        with mp.workprec(7000 if abs(z) < 1e-30 or abs(z) > 1e30 else 1500):
            return a * z * z + b * z + c, 2 * a * z + b, 2 * a
    return jet


def softplus(b):
    b = mpf(b)

    def jet(z):
        p = b * z
        u = exp(-abs(p))
        return max(z, mpf(0)) + log1p(u) / b, (1 if p >= 0 else u) / (1 + u), b * u / (1 + u)**2
    return jet


def sigmoid(b):
    b = mpf(b)

    def jet(z):
        p = b * z
        u = exp(-abs(p))
        complement = -expm1(-abs(p))
        sign = -1 if p > 0 else 1
        return (1 if p >= 0 else u) / (1 + u), b * u / (1 + u)**2, sign * b**2 * u * complement / (1 + u)**3
    return jet


def tanh(z):
    t = abs(z)
    u, complement = exp(-2 * t), -expm1(-2 * t)
    sign = 1 if z >= 0 else -1
    return sign * complement / (1 + u), 4 * u / (1 + u)**2, -sign * 8 * u * complement / (1 + u)**3


def erf_jet(z):
    if abs(z) > 60:
        return mpf(1 if z > 0 else -1), mpf(0), mpf(0)
    slope = 2 / sqrt(pi) * exp(-z * z)
    return erf(z), slope, -2 * z * slope


def gelu(z):
    if abs(z) > 60:
        return (z, mpf(1), mpf(0)) if z > 0 else (mpf(0), mpf(0), mpf(0))
    density = exp(-z * z / 2) / sqrt(2 * pi)
    below = erfc(-z / sqrt(mpf(2))) / 2
    return z * below, below + z * density, density * (2 - z * z)


def cosine(z):
    return cos(z), -sin(z), -cos(z)


def hermite(c):
    scaled = [mpf(x) / sqrt(factorial(r)) for r, x in enumerate(c)]

    def jet(z):
        with mp.workprec(500 if 1e-9 < abs(z) < 1e3 else 3000):
            he = [mpf(1), z]
            for r in range(1, len(c)):
                he.append(z * he[r] - r * he[r - 1])
            return (sum(a * he[r] for r, a in enumerate(scaled)),
                    sum(a * r * he[r - 1] for r, a in enumerate(scaled) if r > 0),
                    sum(a * r * (r - 1) * he[r - 2] for r, a in enumerate(scaled) if r > 1))
    return jet


def leaky(s):
    return lambda z: (z, mpf(1), mpf(0)) if z > 0 else (s * z, mpf(s), mpf(0))


def neighbours(x, count=2):
    """x and the doubles around it."""
    step = Fraction(1, 2**52)
    return [x] + [float(Fraction(x) * (1 + k * step)) for k in range(-count, count + 1) if k]


def common(scale, dense):
    """Arguments of all sizes, with most of them where |z·scale| is moderate."""
    out = [0.0, -0.0, 5e-324, -5e-324, 1.5e-323, 2.5e-310, -2.2250738585072014e-308, 1.7976931348623157e308,
           -1.7976931348623157e308, 1e300, -1e-300]
    for _ in range(20):
        out.append(random.choice([-1, 1]) * 2.0**random.uniform(-1074, 1023.9))
    for _ in range(dense):
        out.append(random.uniform(-3, 3) / scale)
    for _ in range(dense):
        out.append(random.choice([-1, 1]) * 10**random.uniform(-9, 1.6) / scale)
    for k in range(-8, 9):
        out.append(k / 4 / scale)
    return [z for z in out if abs(z) < 1.7976931348623159e308]


def roots(jet, low, high, steps):
    """Doubles around the roots of φ, φ' and φ'' in [low, high]."""
    out = []
    grid = [low + (high - low) * mpf(k) / steps for k in range(steps + 1)]
    jets = [jet(z) for z in grid]
    for order in range(3):
        for k in range(steps):
            a, b = grid[k], grid[k + 1]
            if jets[k][order] * jets[k + 1][order] < 0:
                negative = jets[k][order] < 0
                for _ in range(70):
                    middle = (a + b) / 2
                    if (jet(middle)[order] < 0) == negative:
                        a = middle
                    else:
                        b = middle
                out += neighbours(float(a), 1)
    return out


random.seed(1)
logistic_edges = [s * x for x in [36.0, 37.5, 40.0, 350.0, 700.0, 708.0, 709.5, 740.0, 744.0, 745.0, 745.1332, 746.0,
                                  0.34657359, 0.34657360, 1.0397207, 1.0397208] for s in (-1, 1)]
logistic_edges += [random.uniform(-760, 0) for _ in range(25)]
gauss_edges = [s * x for x in [0.65, 0.6499999999999999, 5.8, 5.95, 6.1, 20.0, 26.0, 26.5, 26.64, 27.0, 27.2, 27.3, 28.0,
                               35.0, 37.5, 38.0, 38.4, 38.56, 38.6, 40.0, 1.4142135623730951, 0.7517915246935645,
                               8.2, 8.3] for s in (-1, 1)]
gauss_edges += [random.uniform(-40, 8) for _ in range(60)] + [random.uniform(-27.3, 27.3) for _ in range(40)]
circle = []
for k in [1, 2, 3, 5, 7, 100, 12345, 651891, 1018591, 1018592, 1100000, 10**9, 10**15]:
    circle += neighbours(rounded(k * pi / 2), 1) + neighbours(rounded(k * pi / 2 + pi / 4), 1)
circle += [6381956970095103.0 * 2.0**797, -6381956970095103.0 * 2.0**797, 1.6e6, -1.6e6, 1600000.0000000002, 1e22]
circle += [random.uniform(-1.6e6, 1.6e6) for _ in range(60)]

sections = {"relu": (lambda z: (z, mpf(1), mpf(0)) if z > 0 else (mpf(0), mpf(0), mpf(0)), common(1, 10)),
            "abs": (lambda z: (abs(z), mpf((z > 0) - (z < 0)), mpf(0)), common(1, 10)),
            "leaky-relu": (leaky(0.01), common(1, 10)), "leaky-relu:-0.3": (leaky(-0.3), common(1, 10))}
for coefficients in [(1.0, 0.0, 0.0), (-0.75, 1.3, 0.4), (1e100, -3e50, 2.0), (1e-100, -1.0, 1e-100), (3.1, 0.7, 0.0),
                     (1.0, -2.0, 1.0), (2e-80, 0.0, -7.3e90), (1.1, 2.2, 1.1)]:
    a, b, c = coefficients
    jet = quadratic(a, b, c)
    points = common(1, 25)
    points += [random.choice([-1, 1]) * 10**random.uniform(*span) for span in [(-160, -50), (50, 160), (-300, 300)]
               for _ in range(8)]
    with mp.workprec(1500):
        near = [-mpf(b) / (2 * mpf(a))]
        d = mpf(b)**2 - 4 * mpf(a) * mpf(c)
        if d >= 0:
            near += [(-mpf(b) + s * sqrt(d)) / (2 * mpf(a)) for s in (-1, 1)]
    for root in near:
        if root != 0:
            points += neighbours(rounded(root), 6) + [rounded(root) * (1 + 2.0**-k) for k in (30, 38, 42, 48)]
    name = "quadratic" if coefficients == (1.0, 0.0, 0.0) else "quadratic:" + ",".join(repr(x) for x in coefficients)
    sections[name] = (jet, points)
for b in [1.0, 0.3, 7.0, 123.456, 1e100, 1e-100]:
    points = common(b, 50) + [z / b for z in logistic_edges]
    points += [random.uniform(-1250, -600) / b for _ in range(30)] if b > 100 or b < 0.01 else []
    points += [random.choice([-1, 1]) * 10**random.uniform(-324, -300) for _ in range(8)]
    suffix = "" if b == 1 else f":{b!r}"
    sections["softplus" + suffix] = (softplus(b), points)
    sections["sigmoid" + suffix] = (sigmoid(b), points)
sections["tanh"] = (tanh, common(1, 80) + [z / 2 for z in logistic_edges])
sections["erf"] = (erf_jet, common(1, 80) + gauss_edges)
sections["gelu"] = (gelu, common(1, 80) + gauss_edges)
sections["cos"] = (cosine, common(1, 60) + circle)
relu_2, relu_4 = rounded(1 / (2 * sqrt(pi))), rounded(-1 / (2 * sqrt(pi)) / sqrt(mpf(12)))
for c in [[0.0, 0.0, relu_2, 0.0, relu_4], [0.5, -0.25, 0.0, 1.0], [1 / (1 + r) * (-1)**r for r in range(64)],
          [0.0] * 20 + [1.0], [1e100, 0.0, 0.0, -2e-100, 1e-100], [3.0], [0.0, 1e-100], [1.0, 2.0, 1e90, 0.0, 1.0, 1e-90]]:
    jet = hermite(c)
    points = common(1, 25) + [random.choice([-1, 1]) * 10**random.uniform(*span) for span in [(1, 4), (3, 30), (0, 300)]
                              for _ in range(6)] + [2048.0, 2048.0000000000005, -2047.9]
    if max(c) < 1e10:
        points += roots(jet, mpf("-13.013"), mpf("13.02"), 200)
    name = "hermite:" + ",".join(repr(x) for x in c)
    sections[name] = (jet, points)

for name, (jet, points) in sections.items():
    print(name)
    for z in points:
        print(" ".join(bits(x) for x in [z] + [rounded(mpf(y)) for y in jet(mpf(z))]))
