"""References for the elementary functions and the activations: python make_elementary.py, with mpmath.

elementary.txt: function, the bits of the argument, the value as high + low + lowest, three doubles whose sum is within
2^-150 of it relatively. activation.txt: name, the bits of z, φ(z) and φ'(z) in the same way (at a kink the slope from the left).
"""
import math, random, struct
from mpmath import mp, mpf
import mpmath as m

mp.prec = 2400
random.seed(7)
bits = lambda x: struct.unpack("<Q", struct.pack("<d", x))[0]

def expansion(value):
    parts, rest = [], mpf(value)
    for _ in range(3):
        part = float(rest) if abs(rest) > mpf(2) ** -1080 else 0.0
        if math.isinf(part):
            return None
        parts.append(part)
        rest -= mpf(part)
    return parts

def magnitudes(count, least, most):
    return [random.choice([-1, 1]) * random.uniform(1, 2) * 2.0 ** random.randint(least, most) for _ in range(count)]

def neighbours(x):
    return [x, math.nextafter(x, math.inf), math.nextafter(x, -math.inf)]

tiny = [5e-324, -5e-324, 1e-310, -2.3e-308, 2.0 ** -1022, -(2.0 ** -1022), 2.0 ** -1000]
specials = [0.0, 1.0, -1.0] + tiny
for c in [0.35, 0.25, 0.5, 0.65, 0.7, 0.75, 1.0, 2.0, 6.0, 10.0, 20.0]:
    specials += neighbours(c) + neighbours(-c)
halves = [float((k + mpf(1) / 2) * m.log(2)) for k in list(range(-1076, 1025, 61)) + [-2, -1, 0, 1]]
quarters = [float(k * m.pi / 4) for k in list(range(-40, 41)) + [10 ** 3, 10 ** 5 + 1, 1335087, 1335086]]
arguments = {
    "exp": specials + halves + sum((neighbours(h) for h in halves), []) + [random.uniform(-745, 709.7) for _ in range(300)]
        + magnitudes(200, -60, 5) + [709.782712893384, -745.1332191019411, -745.2, -708.4, -744.44],
    "exp_m1": specials + [random.uniform(-50, 709) for _ in range(150)] + magnitudes(300, -80, 4) + magnitudes(30, -1074, -500),
    "ln": [x for x in map(abs, specials + magnitudes(300, -1074, 1022) + magnitudes(200, -3, 3)) if x > 0]
        + [1 + random.uniform(-1, 1) * 2.0 ** -random.randint(1, 52) for _ in range(200)]
        + [y * 2.0 ** e for e in range(-1000, 1001, 125) for y in neighbours(math.sqrt(2)) + neighbours(math.sqrt(0.5))]
        + [float(k) for k in range(1, 200)] + [1.7976931348623157e308],
    "ln_1p": [abs(x) for x in specials + magnitudes(300, -80, 3) + magnitudes(60, -1074, -500) + magnitudes(60, 3, 900)],
    "sin": specials + quarters + sum((neighbours(q) for q in quarters), []) + magnitudes(400, -60, 18)
        + [1048576.0, -1048576.0, 1048575.3],
    "tanh": specials + magnitudes(400, -80, 4) + magnitudes(40, -1074, -500) + [random.uniform(-25, 25) for _ in range(200)],
    "erf": specials + magnitudes(300, -80, 2) + magnitudes(40, -1074, -500) + [random.uniform(-7, 7) for _ in range(300)],
}
arguments["cos"] = arguments["sin"]
functions = {
    "exp": m.exp, "exp_m1": m.expm1, "ln": m.log, "ln_1p": m.log1p,
    "sin": m.sin, "cos": m.cos, "tanh": m.tanh, "erf": m.erf,
}
limits = {"sin": 2.0 ** 20, "cos": 2.0 ** 20}
with open("elementary.txt", "w") as file:
    for name, f in functions.items():
        for x in arguments[name]:
            if abs(x) > limits.get(name, math.inf):
                continue
            if name in ("exp_m1", "tanh", "erf", "ln_1p") and 0 < abs(x) < 2.0 ** -600:
                value = mpf(x) * (2 / m.sqrt(m.pi) if name == "erf" else 1)
            else:
                value = f(mpf(x))
            parts = expansion(value)
            if parts:
                file.write(f"{name} {bits(x):016x} " + " ".join(f"{bits(p):016x}" for p in parts) + "\n")

def softplus(b):
    return (lambda z: (m.log1p(m.exp(-b * abs(z))) / b + max(z, 0)), lambda z: 1 / (1 + m.exp(-b * z)))

def sigmoid(b):
    s = lambda z: 1 / (1 + m.exp(-b * z))
    return (s, lambda z: b * m.exp(-b * abs(z)) / (1 + m.exp(-b * abs(z))) ** 2)

def hermite(c):
    h = lambda r, z: sum((-1) ** j * m.factorial(r) / (m.factorial(j) * m.factorial(r - 2 * j)) * z ** (r - 2 * j) / mpf(2) ** j
                         for j in range(r // 2 + 1)) / m.sqrt(m.factorial(r))
    return (lambda z: sum(mpf(a) * h(r, z) for r, a in enumerate(c)),
            lambda z: sum(mpf(a) * m.sqrt(r) * h(r - 1, z) for r, a in enumerate(c) if r))

density = lambda z: m.exp(-z * z / 2) / m.sqrt(2 * m.pi)
Phi = lambda z: m.erfc(-z / m.sqrt(2)) / 2
step = lambda low, high: lambda z: mpf(high) if z > 0 else mpf(low)
families = {
    "quadratic": (lambda z: z * z, lambda z: 2 * z),
    "quadratic:-0.75,1.3,0.4": (lambda z: -0.75 * z * z + mpf(1.3) * z + mpf(0.4), lambda z: -1.5 * z + mpf(1.3)),
    "softplus": softplus(1), "softplus:0.3": softplus(mpf(0.3)), "softplus:7": softplus(7),
    "sigmoid": sigmoid(1), "sigmoid:0.3": sigmoid(mpf(0.3)), "sigmoid:7": sigmoid(7),
    "tanh": (m.tanh, lambda z: m.sech(z) ** 2),
    "erf": (m.erf, lambda z: 2 / m.sqrt(m.pi) * m.exp(-z * z)),
    "gelu": (lambda z: z * Phi(z), lambda z: Phi(z) + z * density(z)),
    "cos": (m.cos, lambda z: -m.sin(z)),
    "hermite:0.5,-0.25,0,1": hermite([0.5, -0.25, 0, 1]),
    "hermite:0,0,0.3,0,-0.1,0,0,0,0.7": hermite([0, 0, 0.3, 0, -0.1, 0, 0, 0, 0.7]),
    "relu": (lambda z: max(z, mpf(0)), step(0, 1)),
    "leaky-relu": (lambda z: z if z > 0 else mpf(0.01) * z, step(0.01, 1)),
    "leaky-relu:-0.3": (lambda z: z if z > 0 else mpf(-0.3) * z, step(-0.3, 1)),
    "abs": (abs, lambda z: mpf(0) if z == 0 else m.sign(z)),
}
mp.prec = 400
points = [0.0, 1.0, -1.0, math.sqrt(2), 1e-300, -1e-20] + magnitudes(60, -20, 4) + [random.uniform(-8, 8) for _ in range(80)]
with open("activation.txt", "w") as file:
    for name, (value, slope) in families.items():
        for z in points:
            words = [expansion(f(mpf(z))) for f in (value, slope)]
            file.write(f"{name} {bits(z):016x} " + " ".join(f"{bits(p):016x}" for p in words[0] + words[1]) + "\n")
