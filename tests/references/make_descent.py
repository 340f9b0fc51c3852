"""Writes descent.json: networks at their start with the exact constants of the theorems about descent.

Numbers that the program reads are the bits of doubles in hexadecimal, joined by blanks. Every exact number is a pair
of doubles, the neighbours from below and from above of what 120 digits give. σ_min is the root of the smallest
eigenvalue of the exact matrix JJᵀ, rows multiplied by √wᵢ (for Φ they are not). Under "boundary" labels are scaled so
that an inequality is an equality up to the stated excess, computed from the labels as rounded.
Run: python3 make_descent.py > descent.json
"""

import json
import random
import struct
from fractions import Fraction

from mpmath import cos, eigsy, erf, erfc, exp, log1p, matrix, mp, mpf, pi, sign, sin, sqrt

mp.dps = 120
random.seed(7)


def bits(x):
    return struct.pack(">d", x).hex()


def row(numbers):
    return " ".join(bits(x) for x in numbers)


def fraction(x):
    negative, man, exponent, _ = x._mpf_
    value = Fraction(int(man)) * Fraction(2)**exponent
    return -value if negative else value


def around(x):
    """The doubles next to a number, below and above."""
    if x == 0:
        return row([0.0, 0.0])
    exact = fraction(x)
    try:
        near = exact.numerator / exact.denominator
    except OverflowError:
        return row([1.7976931348623157e308, float("inf")])
    step = struct.unpack(">q", struct.pack(">d", near))[0]
    other = lambda k: struct.unpack(">d", struct.pack(">q", step + k))[0]
    low = near if Fraction(near) <= exact else other(-1)
    high = near if Fraction(near) >= exact else other(1)
    return row([low, high])


def logistic(b, z):
    u = exp(-abs(b * z))
    return u, (1 if z >= 0 else u) / (1 + u)


# φ, φ', sup|φ''| (none where there is none).
def softplus(b):
    return (lambda z: max(z, mpf(0)) + log1p(logistic(b, z)[0]) / b), (lambda z: logistic(b, z)[1]), mpf(b) / 4


def sigmoid(b):
    def slope(z):
        u = logistic(b, z)[0]
        return b * u / (1 + u)**2
    return (lambda z: logistic(b, z)[1]), slope, mpf(b)**2 / (6 * sqrt(mpf(3)))


def tanh_slope(z):
    u = exp(-2 * abs(z))
    return 4 * u / (1 + u)**2


def tanh_value(z):
    u = exp(-2 * abs(z))
    return sign(z) * (1 - u) / (1 + u)


def leaky(s):
    return (lambda z: z if z > 0 else mpf(s) * z), (lambda z: mpf(1) if z > 0 else mpf(s)), None


ACTIVATIONS = {
    "tanh": (tanh_value, tanh_slope, 4 / (3 * sqrt(mpf(3)))),
    "softplus": softplus(mpf(1)),
    "softplus:1000.0": softplus(mpf(1000)),
    "sigmoid": sigmoid(mpf(1)),
    "erf": (erf, lambda z: 2 / sqrt(pi) * exp(-z * z), 2 * sqrt(mpf(2)) / sqrt(pi) * exp(mpf(-1) / 2)),
    "gelu": (lambda z: z * erfc(-z / sqrt(mpf(2))) / 2,
             lambda z: erfc(-z / sqrt(mpf(2))) / 2 + z * exp(-z * z / 2) / sqrt(2 * pi), 2 / sqrt(2 * pi)),
    "cos": (cos, lambda z: -sin(z), mpf(1)),
    "quadratic": (lambda z: z * z, lambda z: 2 * z, mpf(2)),
    "relu": leaky(0.0),
    "leaky-relu:-0.3": leaky(-0.3),
    "abs": (abs, sign, None),
}


def normal(n, d, scale=1.0):
    return [[scale * random.gauss(0, 1) for _ in range(d)] for _ in range(n)]


def eigenvalues(K):
    """Ascending, of a matrix of any size of its entries."""
    size = max(abs(x) for x in K)
    if size == 0:
        return [mpf(0)] * K.rows
    return [size * x for x in eigsy(K / size, eigvals_only=True)]


def root(x):
    return sqrt(x) if x > 0 else mpf(0)


def constants(name, X, y, W, v, weights):
    """In full precision: everything about a network at its start."""
    value, slope, curvature = ACTIVATIONS[name]
    n, d, k = len(X), len(X[0]), len(W)
    X, W = [[mpf(x) for x in r] for r in X], [[mpf(x) for x in r] for r in W]
    v, y, w = [mpf(x) for x in v], [mpf(x) for x in y], [mpf(x) for x in (weights or [1.0] * n)]
    dot = lambda a, b: sum((p * q for p, q in zip(a, b)), mpf(0))
    Z = [[dot(x, u) for u in W] for x in X]
    P = [[value(z) for z in r] for r in Z]
    S = [[vl * slope(z) for vl, z in zip(v, r)] for r in Z]
    gram = lambda A, B: matrix([[dot(A[i], A[j]) * (dot(B[i], B[j]) if B else 1) for j in range(n)]
                                  for i in range(n)])
    weighted = lambda K: matrix([[K[i, j] * sqrt(w[i] * w[j]) for j in range(n)] for i in range(n)])
    hidden, output = weighted(gram(S, X)), gram(P, None)
    both = hidden + weighted(output)
    inputs = weighted(gram(X, None))
    ends = lambda K: [root(x) for x in (lambda e: (e[0], e[-1]))(sorted(eigenvalues(K)))]
    residual = sqrt(sum(w[i] * (dot(v, P[i]) - y[i])**2 for i in range(n)))
    longest = max(sqrt(dot(x, x)) for x in X)
    norm = ends(inputs)[1]
    lipschitz = curvature * max(abs(x) for x in v) * norm * longest if curvature is not None else None
    return {"hidden": ends(hidden), "both": ends(both), "features": ends(output), "residual": residual,
            "inputs": norm, "lipschitz": lipschitz, "outputs": [dot(v, p) for p in P]}


def stored(kind, name, X, y, W, v, weights=None):
    c = constants(name, X, y, W, v, weights)
    case = {"kind": kind, "activation": name, "n": len(X), "d": len(X[0]), "k": len(W),
            "X": row(x for r in X for x in r), "y": row(y), "W": row(x for r in W for x in r), "v": row(v),
            "weights": row(weights) if weights else "", "residual": around(c["residual"]),
            "inputs": around(c["inputs"]), "lipschitz": around(c["lipschitz"]) if c["lipschitz"] is not None else ""}
    for part in ["hidden", "both", "features"]:
        smallest, largest = c[part]
        # What is left of an exact zero.
        case[part] = [around(smallest if smallest > largest * mpf(10)**-50 else mpf(0)), around(largest)]
    return case


def labels(n, scale=1.0):
    return [scale * random.gauss(0, 1) for _ in range(n)]


def huge_weights(X, k, size):
    """Rows with w·x = O(1) for the first row of X and ‖w‖ about `size`."""
    x = X[0]
    square = sum(a * a for a in x)
    W = []
    for _ in range(k):
        u = [random.gauss(0, 1) for _ in x]
        along = sum(a * b for a, b in zip(u, x)) / square
        u = [a - along * b for a, b in zip(u, x)]
        z = random.gauss(0, 1)
        W.append([size * a + z * b / square for a, b in zip(u, x)])
    return W


def instances():
    for name in ACTIVATIONS:
        for n, d, k in [(1, 1, 1), (3, 2, 6), (5, 4, 8), (4, 3, 2)]:
            yield "benign" if (n, d, k) != (4, 3, 2) else "narrow", name, normal(n, d), labels(n), normal(k, d), labels(k)
        for e in [10, 20, 30, 45]:
            X = normal(3, 3)
            X[1] = [x * (1 + 2.0**-e) for x in X[0]] if e != 20 else [x + 2.0**-e * random.gauss(0, 1) for x in X[0]]
            yield "near", name, X, labels(3), normal(8, 3), labels(8)
        for p in [3, 6, 9, 11]:
            X = normal(2, 3)
            X[1] = [x * (1 + 2.0**-30) for x in X[0]]
            yield "huge", name, X, labels(2), huge_weights(X, 8, 10.0**p), [1.0] * 4 + [-1.0] * 4
        for scale in [1e-150, 1e-60, 1e60, 1e150]:
            yield "outputs", name, normal(3, 2), labels(3), normal(6, 2), labels(6, scale)
        for scale in [1e-150, 1e-90, 1e70, 1e150]:
            yield "inputs", name, normal(3, 2, scale), labels(3), normal(6, 2, 1 / scale), labels(6)
        X, W = normal(3, 2), normal(3, 2)
        yield "antisymmetric", name, X, labels(3), W + W, [2.5] * 3 + [-2.5] * 3
        yield "weighted", name, normal(4, 3), labels(4), normal(8, 3), labels(8), [1.0, 7.0, 0.03125, 400.3]
        yield "weighted", name, normal(3, 3, 1e-3), labels(3), normal(8, 3), labels(8), [1e9, 3e9, 1e-6]
        X = normal(3, 2)
        X[1] = [0.0, 0.0]
        yield "zero row", name, X, labels(3), normal(6, 2), labels(6)
        yield "subnormal", name, [[1.6e-162]], [1.0], [[1e160], [3e161]], [1e150, -2e150]
        yield "subnormal", name, normal(2, 3, 2e-162), labels(2), normal(4, 3, 1e161), labels(4, 1e149), [3.0, 1e12]
        yield "subnormal", name, [[1.6e-162]], [1e-20], [[1e161], [1e161]], [1e150, -1e150]
        yield "unweighted row", name, normal(3, 3), labels(3), normal(4, 3), labels(4), [0.0, 1.0, 50.0]


def counterexample():
    """n = 2, nearly equal rows, huge weights: an eigensolver's word is not enough."""
    x = [0.6, -0.48, 0.64]
    X = [x, [a * (1 + 2.0**-30) for a in x]]
    return "counterexample", "tanh", X, [0.0, 0.0], huge_weights(X, 50, 1e11), [1.0] * 25 + [-1.0] * 25


def boundaries():
    """Labels on either side of where an inequality becomes an equality."""
    for index, name in enumerate(["tanh", "softplus", "sigmoid", "erf", "gelu", "cos", "quadratic"]):
        n, d, k = [(1, 1, 2), (2, 3, 4), (3, 2, 8)][index % 3]
        X, W = normal(n, d), normal(k, d)
        v = [3.0] * (k // 2) + [-3.0] * (k // 2)
        if index % 2 == 0:
            W[k // 2:] = [list(w) for w in W[:k // 2]]
        c = constants(name, X, [0.0] * n, W, v, None)
        (sigma, norm), lipschitz, f = c["hidden"], c["lipschitz"], c["outputs"]
        beta = norm + sigma * 17 / 16
        direction = [mpf(x) for x in labels(n)]
        length = sqrt(sum(x * x for x in direction))
        shares = {"first": 1, "second": mpf(3) / 4 / (1 + sigma**2 / (8 * beta**2)), "printed": mpf(1) / 8}
        cases = []
        for which, share in shares.items():
            for power in [16.5, 16, 15.5, 15, 14.5, 14, 13, 12, 11, 10, 8, 6]:
                for side in [-1, 1]:
                    t = share * sigma**2 / (2 * lipschitz) * (1 + side * mpf(10)**-power) / length
                    y = [float(f[i] + t * direction[i]) for i in range(n)]
                    r = sqrt(sum((f[i] - mpf(y[i]))**2 for i in range(n)))
                    need = 2 * lipschitz * r
                    gamma = mpf(3) / 4 - need / (8 * beta**2)
                    excess = {"first": need / sigma**2, "second": need / (gamma * sigma**2),
                              "printed": 8 * need / sigma**2}[which] - 1
                    cases.append({"which": which, "y": row(y), "excess": bits(float(excess))})
        yield {"activation": name, "n": n, "d": d, "k": k, "X": row(x for r in X for x in r),
               "W": row(x for r in W for x in r), "v": row(v), "cases": cases}


file = {"instances": [stored(*case) for case in instances()] + [stored(*counterexample())],
        "boundary": list(boundaries())}
lines = [f'"{name}": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]" for name, cases in file.items()]
print("{\n" + ",\n".join(lines) + "\n}")
