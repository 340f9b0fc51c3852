"""Let both checkers judge the certificates that the tests have left, those kept from earlier, and forgeries; they must agree.

Usage: check_certificates.py TARGET    (cargo's target folder, after `cargo test --test certificate saved::`)

One checker is the program `shallows-verify`, the other `exact/exact_checker.py`, which was written from verify/FORMAT.md alone and computes
in exact rational arithmetic. Every certificate must be confirmed by both, with the same verdict. In a forgery one number of the facts is made
stronger, the verdict is another, or a number of the proof is false and a fact is what would follow from it; neither checker may confirm it.
"""

import copy
import json
import math
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "exact"))

from exact_checker import check  # noqa: E402
from exact_core import NotConfirmed, Refused, read_document  # noqa: E402

# Of each theorem about a start or about random ones, whatever else is left.
NEEDED = {
    "descent-converges", "descent-converges-printed", "both-layers-converge", "relu-descent-converges",
    "relu-descent-converges-printed", "random-features", "wide-enough", "sgd-converges",
}  # fmt: skip
# Besides these.
WIDE = {("wide-optimum", "holds"), ("wide-optimum", "fails")}

MEASURES = ("interpolation", "last-digits")
ADDED = ("centred column", "centred target", "interpolation", "last-digits", "low")


def by_program(program, document, table):
    """Theorem, verdict and whether it was confirmed, for each claim; None where the file is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.json"
        path.write_text(json.dumps(document))
        call = [program, path] + ([table] if table else [])
        done = subprocess.run(call, capture_output=True, text=True)
    if done.returncode == 2:
        return None
    claims = re.findall(r"^([a-z-]+) \((holds|undecided|fails)\): .*?(?=^[a-z-]+ \(|\Z)", done.stdout, re.M | re.S)
    parts = re.split(r"^(?=[a-z-]+ \((?:holds|undecided|fails)\): )", done.stdout, flags=re.M)[1:]
    return [(theorem, verdict, "not confirmed" not in part) for (theorem, verdict), part in zip(claims, parts)]


def exactly(document, table):
    """The same by exact arithmetic."""
    try:
        results = check(read_document(json.dumps(document)), table)
    except (Refused, NotConfirmed):
        return None
    return [(theorem, verdict, confirmed) for theorem, verdict, confirmed, _ in results]


def alone(document):
    """A document for each claim."""
    return [document | {"certificates": [claim]} for claim in document["certificates"]]


def forgeries(document):
    """Lists of documents of one claim, of which at least one says too much."""
    claim = document["certificates"][0]

    def changed(part, change):
        forged = copy.deepcopy(document)
        forged["certificates"][0] |= {part: change}
        return forged

    other = [changed("verdict", verdict) for verdict in ("holds", "fails") if verdict != claim["verdict"]]
    # Where rounding leaves a verdict open, an exact checker may find one of the two.
    yield "verdict", other
    for name, value in claim["facts"].items():
        # One of the two is stronger, whichever side the fact bounds.
        # For erf the checker takes c for (2/π)arcsin c in κ(z, z), which is up to 1.25² times too much.
        further = (0.25 if name == "prediction_distance" else 0.01) * (1 + abs(value))
        yield name, [changed("facts", claim["facts"] | {name: forged}) for forged in (value - further, value + further)]


def false_bounds(claim):
    """Names of numbers in a proof, each with a value that is false, and a fact as it would follow from it."""
    theorem, facts = claim["theorem"], claim["facts"]
    if theorem not in NEEDED:
        return
    proof = claim["proof"].get("spectrum", claim["proof"])
    # What a writer claims is tight, so that a hundredth more is false.
    more = 1.01 * proof["smallest"] + 0.001
    name = {"wide-enough": "eigenvalue", "sgd-converges": "sigma_khatri_rao"}.get(theorem, "sigma")
    yield "smallest", more, name, more if name == "eigenvalue" else math.sqrt(more)
    # The trace, which takes the place of a false bound, is larger.
    for bound, name, power in (("largest", "jacobian_norm", 0.5), ("inputs", "lipschitz", 0.5), ("inputs", "width", 1)):
        if proof.get(bound) is not None and name in facts:
            yield bound, 0.5 * proof[bound], name, 0.5**power * facts[name]
    if theorem == "wide-enough":
        yield "terms", 18, "eigenvalue", 0.0
        yield "terms", 0, "eigenvalue", max(facts["eigenvalue"], 0.001)


def forged_proofs(document):
    """Documents of one claim in which a number of the proof is false."""
    for name, value, fact, stronger in false_bounds(document["certificates"][0]):
        forged = copy.deepcopy(document)
        claim = forged["certificates"][0]
        claim["proof"].get("spectrum", claim["proof"])[name] = value
        claim["facts"][fact] = stronger
        yield f"{name} of the proof", [forged]


def additions(document):
    """What of format 4 a document uses."""
    rows = document["rows"] or {"recipe": [], "target_scale": None}
    treatments = [step["treatment"] for step in rows["recipe"]]
    if any(isinstance(treatment, dict) and "centred" in treatment for treatment in treatments):
        yield "centred column"
    if isinstance(rows["target_scale"], dict):
        yield "centred target"
    for claim in document["certificates"]:
        proof = claim["proof"]
        if claim["theorem"] == "global-optimum" and proof["measure"]["kind"] in MEASURES:
            yield proof["measure"]["kind"]
        if claim["theorem"] == "global-optimum" and proof["function"].get("low"):
            yield "low"


def forged_additions(document):
    """Documents of one claim in which an addition of format 4 is not what it was."""
    used = set(additions(document))
    claim = document["certificates"][0]

    def changed(change):
        forged = copy.deepcopy(document)
        change(forged)
        return [forged]

    def without_centre(forged):
        for step in forged["rows"]["recipe"]:
            if "centred" in step["treatment"]:
                details = step["treatment"]["centred"]
                step["treatment"] = {"number": {"median": details["median"], "gaps": details["gaps"]}}

    if {"centred column", "centred target"} & used:
        yield "format 3 with a centre", changed(lambda forged: forged.update(format_version=3))
    if "centred column" in used:
        yield "centred column", changed(without_centre)
    if "centred target" in used:
        centre = document["rows"]["target_scale"]["centred"]
        for scale in ("identity", {"centred": math.nextafter(centre, math.inf)}):
            yield "centred target", changed(lambda forged: forged["rows"].update(target_scale=scale))
    if used & set(MEASURES) and claim["facts"].get("measure"):
        kind = claim["proof"]["measure"]["kind"]
        larger = claim["facts"] | {"measure": 1.001 * claim["facts"]["measure"]}
        yield kind, changed(lambda forged: forged["certificates"][0].update(facts=larger))
        # The measures of format 3 are smaller.
        former = claim["proof"]["measure"] | {"kind": {"interpolation": "without-units"}.get(kind, "rounding")}
        yield kind, changed(lambda forged: forged["certificates"][0]["proof"].update(measure=former))
    if "low" in used:
        function = {key: value for key, value in claim["proof"]["function"].items() if key != "low"}
        # A point of fewer digits proves less, or nothing.
        nested = claim["proof"]["function"] | {"low": function | {"low": function}}
        yield "low", changed(lambda forged: forged["certificates"][0]["proof"].update(function=nested))
        twice = claim["proof"]["function"] | {"low": function}
        yield "low", changed(lambda forged: forged["certificates"][0]["proof"].update(function=twice))


def forged_networks(document):
    """Documents of one claim of `wide-optimum` in which the network, or what it is about, is another."""
    claim = document["certificates"][0]
    if claim["theorem"] != "wide-optimum":
        return
    network, facts = claim["claim"]["network"], claim["facts"]

    def changed(change):
        forged = copy.deepcopy(document)
        change(forged["certificates"][0]["claim"])
        return [forged]

    # Where the gap is well above rounding, every fact is tight.
    if facts.get("relative_gap", 0) > 1e-6:
        upper = ("objective", "relative_gap", "norm_distance", "prediction_distance")
        is_erf = any(layer["law"] == "erf" for layer in network["layers"])
        for name, value in facts.items():
            if is_erf and name == "prediction_distance":
                continue
            tighter = facts | {name: value * (1 - 1e-9 if name in upper else 1 + 1e-9)}
            if value:
                yield f"{name} by 1e-9", [document | {"certificates": [claim | {"facts": tighter}]}]
    is_zero = not any(network["alpha"])
    for value in (math.nan, math.inf, 1e200, "1", None):
        yield "a coefficient", changed(lambda one: one["network"]["alpha"].__setitem__(0, value))
        for key in ("mean", "deviation", "alpha"):
            yield key, changed(lambda one: one["network"].update({key: value}))
    yield "one coefficient more", changed(lambda one: one["network"]["alpha"].append(0.0))
    yield "one coefficient less", changed(lambda one: one["network"]["alpha"].pop())
    for key in network:
        yield f"without {key}", changed(lambda one: one["network"].pop(key))
    for key in claim["claim"]:
        yield f"without {key}", changed(lambda one: one.pop(key))
    yield "a further key", changed(lambda one: one["network"].update(further=1))
    yield "17 layers", changed(lambda one: one["network"].update(layers=(one["network"]["layers"] * 17)[:17]))
    yield "no layers", changed(lambda one: one["network"].update(layers=[]))
    for key, values in {"decay": (0.0, -1.0, 5e-324), "tolerance": (0.0, 0.11, 5e-324)}.items():
        for value in values:
            yield key, changed(lambda one: one.update({key: value}))
    kept = network["kept"]
    others = [kept + kept[-1:], [*kept[:-1], 10**6], [*map(float, kept)]] + ([kept[::-1]] if len(kept) > 1 else [])
    for other in others:
        yield "kept", changed(lambda one: one["network"].update(kept=other))
    if network["ranks"]:
        reverse = {"values": network["ranks"][0]["values"][::-1], "ranks": network["ranks"][0]["ranks"]}
        falling = {"values": network["ranks"][0]["values"], "ranks": network["ranks"][0]["ranks"][::-1]}
        for curve in (reverse, falling, {"values": [], "ranks": []}):
            yield "ranks", changed(lambda one: one["network"]["ranks"].__setitem__(0, curve))
    for layer, given in enumerate(network["layers"]):
        values = {"signal": (0.0, -1.0, 1e-101, 1e101, math.nan), "bias": (-1.0, 1e101, math.inf), "law": ("rough ", "RELU", None)}
        for key, entries in values.items():
            for value in entries:
                yield key, changed(lambda one: one["network"]["layers"][layer].update({key: value}))
        if given["scales"]:
            for value in (0.0, -1.0, 1e-101, 1e101, math.nan):
                yield "scales", changed(lambda one: one["network"]["layers"][layer]["scales"].__setitem__(0, value))
            yield "scales", changed(lambda one: one["network"]["layers"][layer]["scales"].pop())
    # What is optimal for these laws and this decay is not for others: the facts are too good for another network.
    if facts.get("relative_gap", 1) > 1e-12 or is_zero or len(network["alpha"]) > 12:
        return
    for g, alpha in enumerate(network["alpha"]):
        for factor in (1.1, 0.9, 1 + 1e-4):
            if alpha:
                yield "a coefficient", changed(lambda one: one["network"]["alpha"].__setitem__(g, alpha * factor))
    yield "decay", changed(lambda one: one.update(decay=1.1 * one["decay"]))
    yield "decay", changed(lambda one: one.update(decay=0.9 * one["decay"]))
    for layer, given in enumerate(network["layers"]):
        if given["signal"] > 0.01:
            yield "signal", changed(lambda one: one["network"]["layers"][layer].update(signal=1.1 * given["signal"]))
    yield "offset", changed(lambda one: one["network"].update(offset=one["network"]["offset"] + 0.125))


def main():
    target = Path(sys.argv[1])
    program = target / "debug" / "shallows-verify"
    theorems, forged, proofs, wide, forms, added, kinds = Counter(), 0, 0, 0, Counter(), Counter(), Counter()
    kept = Path(__file__).parent.parent / "certificate" / "formats"
    paths = sorted(kept.glob("format-[34]*.certificate.json"))
    assert len(paths) >= 8, "files of earlier formats are missing"
    paths += sorted((target / "tmp" / "certificates").glob("*.certificate.json"))
    for path in paths:
        table = path.with_name(path.name.replace(".certificate.json", ".csv"))
        table = table if table.exists() else None
        document = json.loads(path.read_text())
        ours, theirs = by_program(program, document, table), exactly(document, table)
        assert ours and all(confirmed for _, _, confirmed in ours), f"{path}: {ours}"
        assert theirs, f"{path} is refused exactly"
        for claim, exact in zip(ours, theirs, strict=True):
            # An exact checker may decide what rounding left open.
            assert exact[2] and (claim[1] in (exact[1], "undecided")), f"{path}: {claim}, but exactly {exact}"
            theorems[claim[0], claim[1]] += 1
        added.update(additions(document))
        form = (document["rows"] or {}).get("form") or {}
        forms.update(f"{key} {next(iter(word)) if isinstance(word, dict) else word}" for key, word in form.items() if word)
        for claim in alone(document):
            for name, changed in [
                *forgeries(claim), *forged_proofs(claim), *forged_additions(claim), *forged_networks(claim)
            ]:
                for judge in (lambda one: by_program(program, one, table), lambda one: exactly(one, table)):
                    rejected = [found is None or not found[0][2] for found in map(judge, changed)]
                    assert any(rejected), f"{path}: {claim['certificates'][0]['theorem']}: {name} was confirmed"
                forged += 1
                proofs += name.endswith("of the proof")
                kinds[name] += name in ADDED
                wide += claim["certificates"][0]["theorem"] == "wide-optimum"
    print(f"{theorems.total()} claims confirmed by both checkers, {forged} forgeries by neither, {proofs} of these of proofs")
    print(f"{wide} of the forgeries are of wide-optimum")
    print("additions of format 4: " + ", ".join(f"{added[name]} {name}, {kinds[name]} forged" for name in ADDED))
    assert all(added[name] and kinds[name] for name in ADDED), "an addition of format 4 is not tried"
    print("rows in a form: " + ", ".join(f"{count} {form}" for form, count in sorted(forms.items())))
    missing = NEEDED - {theorem for theorem, _ in theorems} or WIDE - set(theorems) or {"scaled unit", "merged odd", "merged even"} - set(forms)
    assert theorems.total() >= 100 and not missing, "the certificates are missing: cargo test --test certificate saved::"
    assert theorems["wide-enough", "holds"] and theorems["wide-enough", "fails"], "wide-enough is not tried on both sides"


if __name__ == "__main__":
    main()
