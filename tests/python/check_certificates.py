"""Let both checkers judge the certificates that the tests have left, and forgeries of them; they must agree.

Usage: check_certificates.py TARGET    (cargo's target folder, after `cargo test --test certificate saved::`)

One checker is the program `shallows-verify`, the other `exact/exact_checker.py`, which was written from verify/FORMAT.md alone and computes
in exact rational arithmetic. Every certificate must be confirmed by both, with the same verdict. In a forgery one number of the facts is made
stronger, or the verdict is another; neither checker may confirm it. Rows in a form of doubles and the two theorems about kernels
are not judged by the exact checker; they are counted.
"""

import copy
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "exact"))

from exact_checker import check  # noqa: E402
from exact_core import NotConfirmed, NotJudged, Refused, read_document  # noqa: E402

NOT_COVERED = {"wide-enough", "sgd-converges"}


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


def forgeries(document):
    """Documents that say more, one number or one verdict at a time."""
    for at, claim in enumerate(document["certificates"]):
        for verdict in ("holds", "fails"):
            if verdict != claim["verdict"]:
                forged = copy.deepcopy(document)
                forged["certificates"][at]["verdict"] = verdict
                yield at, f"verdict {verdict}", forged
        for name, value in claim["facts"].items():
            # One of the two is stronger, whichever side the fact bounds.
            pair = []
            for factor in (-1, 1):
                forged = copy.deepcopy(document)
                forged["certificates"][at]["facts"][name] = value + factor * 0.01 * (1 + abs(value))
                pair.append(forged)
            yield at, name, pair


def main():
    target = Path(sys.argv[1])
    program = target / "debug" / "shallows-verify"
    judged, forged, left = 0, 0, 0
    paths = sorted((target / "tmp" / "certificates").glob("*.certificate.json"))
    for path in paths:
        table = path.with_name(path.name.replace(".certificate.json", ".csv"))
        table = table if table.exists() else None
        document = json.loads(path.read_text())
        ours = by_program(program, document, table)
        assert ours and all(confirmed for _, _, confirmed in ours), f"{path}: {ours}"
        covered = [claim["theorem"] not in NOT_COVERED for claim in document["certificates"]]
        try:
            theirs = exactly(document, table)
        except NotJudged:
            left += len(covered)
            continue
        for claim, exact, is_covered in zip(ours, theirs, covered):
            if is_covered:
                # An exact checker may decide what rounding left open.
                assert exact[2] and (claim[1] in (exact[1], "undecided")), f"{path}: {claim}, but exactly {exact}"
                judged += 1
            else:
                left += 1
        for at, name, changed in forgeries(document):
            if not covered[at]:
                continue
            changed = changed if isinstance(changed, list) else [changed]
            for verdicts in ([by_program(program, one, table) for one in changed], [exactly(one, table) for one in changed]):
                rejected = [found is None or not found[at][2] for found in verdicts]
                assert any(rejected), f"{path}: {name} was confirmed"
            forged += 1
    print(f"{judged} claims confirmed by both checkers, {forged} forgeries by neither, {left} not judged exactly")
    assert judged >= 30 and forged >= 60, "the certificates are missing: cargo test --test certificate saved::"


main()
