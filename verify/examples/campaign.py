"""Judges the lines of the example `campaign` in exact rational arithmetic, for at most so many seconds if that is given.

Exit status 1, and the lines, where the checker is wrong. A bound is judged *exactly* where the optimum is known (no penalty and any
signs, or one input; within the limits of the class), and *weakly* against a competitor that was searched for otherwise."""
import collections, json, math, random, struct, sys, time
from fractions import Fraction as Q

def num(bits):
    x = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return Q(x) if math.isfinite(x) else None

def nums(list_):
    return [num(b) for b in list_]

def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), Q(0))

def project(columns, omega, targets):
    """targets minus their projections onto the columns in the norm Σω, exactly; Gram and Schmidt."""
    basis = []
    for z in columns:
        for q, s in basis:
            f = dot([o * a for o, a in zip(omega, q)], z) / s
            z = [a - f * b for a, b in zip(z, q)]
        s = dot([o * a for o, a in zip(omega, z)], z)
        if s:
            basis.append((z, s))
    out = []
    for z in targets:
        for q, s in basis:
            f = dot([o * a for o, a in zip(omega, q)], z) / s
            z = [a - f * b for a, b in zip(z, q)]
        out.append(z)
    return out

def solve(G, b):
    """Some solution of a consistent system, by elimination."""
    n = len(b); A = [row[:] + [c] for row, c in zip(G, b)]; pivots = []
    r = 0
    for c in range(n):
        p = next((i for i in range(r, n) if A[i][c]), None)
        if p is None: continue
        A[r], A[p] = A[p], A[r]
        A[r] = [a / A[r][c] for a in A[r]]
        for i in range(n):
            if i != r and A[i][c]:
                f = A[i][c]; A[i] = [a - f * d for a, d in zip(A[i], A[r])]
        pivots.append(c); r += 1
    x = [Q(0)] * n
    for i, c in enumerate(pivots): x[c] = A[i][n]
    return x

def f(net, x):
    return dot(net["b"], x) + net["c"] + sum((v * dot(w, x) ** 2 for v, w in zip(net["v"], net["W"])), Q(0))

class Line:
    def __init__(self, text):
        j = self.j = json.loads(text)
        d = self.d = j["d"]
        X, y = nums(j["X"]), nums(j["y"])
        w = nums(j["w"]) if j["w"] is not None else [Q(1)] * len(y)
        keep = [i for i in range(len(y)) if w[i] > 0]
        total = sum(w)
        self.X = [X[i * d:(i + 1) * d] for i in keep]
        self.y = [y[i] for i in keep]
        self.omega = [w[i] / total for i in keep]
        self.tau, self.t = num(j["decay"]), num(j["t"])
        self.four = [Q(4) ** e for e in j["e"]]
        self.limits = [None if x is None else num(x) for x in j["limits"]]
        self.net = self.network(j["network"])
        self.facts = {k: num(v) for k, v in j["facts"].items()}

    def network(self, n):
        return n and {"W": [nums(w) for w in n["W"]], "v": nums(n["v"]), "c": num(n["c"]), "b": nums(n["b"])}

    def size(self, net):
        return sum((abs(v) * dot(self.four, [a * a for a in w]) for v, w in zip(net["v"], net["W"])), Q(0))

    def P(self, net):
        r = [f(net, x) - y for x, y in zip(self.X, self.y)]
        return dot(self.omega, [a * a for a in r]) / 2 + self.tau * self.size(net)

    def member(self, net):
        s = self.j["signs"]
        ok = all((s == "any") or (v >= 0 if s == "positive" else v <= 0) for v in net["v"])
        return ok and (self.j["linear"] or not any(net["b"])) and (self.j["intercept"] or not net["c"])

    def inside(self, net):
        """How far below the limits a member is: the factor by which it may be multiplied, at most 1, None without."""
        m, b, c = self.limits
        factors = [Q(1)]
        if m is not None and self.size(net) > m: factors.append(m / self.size(net))
        nb = dot(self.four, [x * x for x in net["b"]])
        if b is not None and nb > b * b:
            # A rational number at most b/√nb.
            q = b * b / nb; k = 200
            shift = max(0, q.denominator.bit_length() - q.numerator.bit_length()) // 2 * 2 + k
            factors.append(Q(math.isqrt((q.numerator << (2 * shift)) // q.denominator), 1 << shift))
        if c is not None and abs(net["c"]) > c: factors.append(c / abs(net["c"]))
        return min(factors)

    def affine(self, linear=True):
        n = len(self.y)
        columns = [[Q(1)] * n] if self.j["intercept"] else []
        if self.j["linear"] and linear: columns += [[x[k] for x in self.X] for k in range(self.d)]
        return columns

    def left(self, columns):
        r, = project(columns, self.omega, [self.y])
        return dot(self.omega, [a * a for a in r]) / 2

    def signs(self):
        return {"any": [1, -1], "positive": [1], "negative": [-1]}[self.j["signs"]]

    def with_units(self, units, signs):
        """The best network with these hidden units, signs fixed: normal equations; units whose sign comes out wrong are dropped."""
        units = list(zip(units, signs))
        while True:
            n = len(self.y)
            affine = self.affine()
            columns = [[dot(u, x) ** 2 for x in self.X] for u, _ in units] + affine
            penalty = [s * self.tau * dot(self.four, [a * a for a in u]) for u, s in units] + [Q(0)] * len(affine)
            weighted = [[o * a for o, a in zip(self.omega, z)] for z in columns]
            G = [[dot(a, b) for b in columns] for a in weighted]
            g = [dot(a, self.y) - p for a, p in zip(weighted, penalty)]
            beta = solve(G, g)
            if any(dot(row, beta) != b for row, b in zip(G, g)):
                wrong = [0] if units else []
            else:
                wrong = [i for i, (_, s) in enumerate(units) if beta[i] * s < 0]
            if not wrong:
                k = len(units)
                at = k
                c = Q(0); b = [Q(0)] * self.d
                if self.j["intercept"]: c = beta[at]; at += 1
                if self.j["linear"]: b = beta[at:at + self.d]
                return {"W": [u for u, _ in units], "v": beta[:k], "c": c, "b": b}
            units = [u for i, u in enumerate(units) if i not in wrong[:1]]

    def competitors(self):
        """Networks, the first one the exact optimum of the unlimited class where `exact`."""
        d, unit = self.d, lambda *on: [Q(1) if k in on else Q(0) for k in range(self.d)]
        if self.j["signs"] == "any" and not self.tau:
            units = [unit(k) for k in range(d)]
            for a in range(d):
                for b in range(a): units.append(unit(a, b))
            # Signs do not matter: solve once.
            columns = [[dot(u, x) ** 2 for x in self.X] for u in units] + self.affine()
            weighted = [[o * a for o, a in zip(self.omega, z)] for z in columns]
            beta = solve([[dot(a, b) for b in columns] for a in weighted], [dot(a, self.y) for a in weighted])
            k = len(units); at = k; c = Q(0); b = [Q(0)] * d
            if self.j["intercept"]: c = beta[at]; at += 1
            if self.j["linear"]: b = beta[at:at + d]
            return True, [{"W": units, "v": beta[:k], "c": c, "b": b}]
        if d == 1:
            found = [self.with_units([[Q(1)]], [s]) for s in self.signs()]
            return True, sorted(found, key=self.P)[:1]
        return False, self.searched()

    def searched(self):
        """d ≥ 2 with a penalty or one sign: directions by search in normalised coordinates, then exact output weights."""
        rng = random.Random(1)
        sizes = [max((abs(x[k]) for x in self.X), default=Q(0)) or Q(1) for k in range(self.d)]
        best = [self.with_units([], [])]
        def tried(units, signs):
            net = self.with_units([[q / s for q, s in zip(u, sizes)] for u in units], signs)
            best.append(net)
            return self.P(net)
        signs = self.signs()
        angles = [[Q(rng.randint(-50, 50), 50) for _ in range(self.d)] for _ in range(6)]
        angles += [[Q(1) if k == l else Q(0) for k in range(self.d)] for l in range(self.d)]
        scored = sorted(((tried([a], [s]), a, s) for a in angles for s in signs), key=lambda z: z[0])
        value, units, kinds = scored[0][0], [scored[0][1]], [scored[0][2]]
        for _ in range(2):
            step = Q(1, 4)
            for _ in range(14):
                moved = False
                for i in range(len(units)):
                    for k in range(self.d):
                        for sgn in (1, -1):
                            new = [u[:] for u in units]; new[i][k] += sgn * step
                            p = tried(new, kinds)
                            if p < value: value, units, moved = p, new, True
                if not moved: step /= 3
            more = sorted(((tried(units + [a], kinds + [s]), a, s) for a in angles[:4] for s in signs), key=lambda z: z[0])[0]
            if more[0] < value: value, units, kinds = more[0], units + [more[1]], kinds + [more[2]]
            else: break
        return sorted(best, key=self.P)[:1]

def judge(line, count):
    facts, j = line.facts, line.j
    errors = []
    p = line.P(line.net)
    say = lambda what, ok: None if ok else errors.append(what)
    if "objective" in facts: say("objective", facts["objective"] >= p); count["objective"] += 1
    bound = facts.get("lower_bound", Q(0))
    verdict = j["verdict"]
    optimum = None
    if bound > 0 or verdict == "holds":
        exact, nets = line.competitors()
        values = []
        for net in nets:
            assert line.member(net)
            factor = line.inside(net)
            if factor < 1:
                exact = False
                net = {"W": net["W"], "v": [factor * v for v in net["v"]], "c": factor * net["c"], "b": [factor * b for b in net["b"]]}
            values.append(line.P(net))
        zero = {"W": [], "v": [], "c": Q(0), "b": [Q(0)] * line.d}
        values.append(line.P(zero))
        if line.member(line.net) and line.inside(line.net) == 1: values.append(p)
        least = min(values)
        if exact: optimum = least
        if bound > 0:
            kind = "decay" if line.tau else "plain"
            count[f"bounds {'exact' if exact else 'weak'} {kind} {j['signs']} d={line.d}"] += 1
            count["bounds exact" if exact else "bounds weak"] += 1
            if any(x is not None for x in line.limits): count["bounds in limited classes, " + ("exact" if exact else "weak")] += 1
            if least and bound / least > 1 - Q(1, 10**9): count["bounds within 1e-9 of the best competitor"] += 1
            say("lower_bound", bound <= least)
    else: least = None
    P0 = dot(line.omega, [a * a for a in line.y]) / 2
    share = min(Q(1e-24), Q(1e-30) / line.t)
    kind = j["kind"]
    s = {"objective": lambda: p, "without-units": lambda: Q(1e-10) * line.left(line.affine()),
         "rounding": lambda: min(share * P0, Q(1e-10) * line.left(line.affine(False))), "least": lambda: Q(1e-290)}[kind]()
    if "measure" in facts: say("measure", 0 < facts["measure"] <= s); count["measure " + kind] += 1
    if "relative_gap" in facts:
        say("relative_gap", facts["relative_gap"] >= (facts["objective"] - bound) / facts["measure"])
    count[verdict] += 1
    if verdict == "holds":
        say("membership", line.member(line.net))
        say("holds", p - least <= line.t * s)
        count["holds, exact" if optimum is not None else "holds, weak"] += 1
    if verdict == "fails" and line.member(line.net):
        better = line.network(j["improvement"])
        ok = better is not None and line.member(better) and line.inside(better) == 1
        most = max(p, Q(1e-10) * line.left(line.affine()), share * P0, Q(1e-290))
        say("fails", ok and p - line.P(better) > line.t * most)
        count["fails by a better network"] += 1
    return errors

def main():
    count, wrong = collections.Counter(), 0
    end = time.time() + float(sys.argv[1]) if len(sys.argv) > 1 else math.inf
    for text in sys.stdin:
        if time.time() > end: break
        line = Line(text)
        if line.tau is None: continue
        count["lines"] += 1
        errors = judge(line, count)
        if errors:
            wrong += 1
            print("WRONG", errors, text.strip())
    for key in sorted(count): print(f"{count[key]:8} {key}")
    print(f"{wrong:8} WRONG")
    sys.exit(1 if wrong else 0)

main()
