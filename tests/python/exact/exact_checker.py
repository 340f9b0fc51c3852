"""A checker for certificate files of formats 3, 4 and 5 that computes with exact rational numbers.

It follows ``verify/FORMAT.md`` and shares no code with any other checker. Doubles are turned into fractions, sums
and matrices are exact, positive semidefiniteness is decided by exact elimination, and square roots are compared by
their squares, so a claim is confirmed exactly when the page says that it follows. Where exponentials, logarithms or
sums of square roots occur, numbers lie in intervals of about 50 digits. Only the form of rows (§3) is made
by doubles, as the page says. It is meant for small instances: the numbers grow with rows, inputs and columns.

    python exact_checker.py CERTIFICATE [TABLE]

prints one line for each claim. The exit status is 0 when all claims are confirmed and hold, 1 when not, and 2 when
the file or the table cannot be read or do not belong together.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from exact_core import (
    Network,
    NotConfirmed,
    NotJudged,
    Refused,
    Result,
    Rows,
    items,
    members,
    optional,
    read_document,
    read_network,
    read_rows,
    text,
)
from exact_descent import (
    judge_both_layers_converge,
    judge_descent_converges,
    judge_descent_converges_printed,
    judge_random_features,
    judge_relu_descent_converges,
    judge_relu_descent_converges_printed,
)
from exact_kernels import judge_sgd_converges, judge_wide_enough
from exact_optimum import judge_global_optimum
from exact_theorems import (
    Case,
    judge_approximate_minimum,
    judge_approximate_recovery,
    judge_designed_landscape,
    judge_determined,
    judge_energy_barrier,
    judge_full_rank_stationary,
    judge_planted_quadratic,
    judge_safe_start,
    judge_safe_start_gaussian,
    judge_separated_data,
    judge_strict_saddle,
    judge_wide_quadratic,
)
from exact_wide import judge_wide_optimum

JUDGES: dict[str, Callable[[Case], str]] = {
    "global-optimum": lambda case: judge_global_optimum(case.claim, case.proof, case.facts, case.network, case.rows),
    "wide-quadratic": judge_wide_quadratic,
    "strict-saddle": judge_strict_saddle,
    "approximate-minimum": judge_approximate_minimum,
    "full-rank-stationary": judge_full_rank_stationary,
    "planted-quadratic": judge_planted_quadratic,
    "energy-barrier": judge_energy_barrier,
    "safe-start": judge_safe_start,
    "safe-start-gaussian": judge_safe_start_gaussian,
    "designed-landscape": judge_designed_landscape,
    "approximate-recovery": judge_approximate_recovery,
    "separated-data": judge_separated_data,
    "determined": judge_determined,
    "descent-converges": judge_descent_converges,
    "descent-converges-printed": judge_descent_converges_printed,
    "both-layers-converge": judge_both_layers_converge,
    "relu-descent-converges": judge_relu_descent_converges,
    "relu-descent-converges-printed": judge_relu_descent_converges_printed,
    "random-features": judge_random_features,
    "wide-enough": judge_wide_enough,
    "sgd-converges": judge_sgd_converges,
    "wide-optimum": judge_wide_optimum,
}


def judge(entry: Any, network: Network | None, teacher: Network | None, rows: Rows | None) -> Result:
    """Judge one claim."""
    keys = "theorem claim proof facts verdict checks statement"
    theorem, claim, proof, facts, verdict, _, statement = members(entry, keys, "a certificate")
    theorem, verdict = text(theorem, "theorem"), text(verdict, "verdict")
    text(statement, "statement")
    if verdict not in ("holds", "undecided", "fails"):
        return theorem, verdict, False, "unknown verdict"
    if theorem not in JUDGES:
        return theorem, verdict, False, "a theorem that this checker does not know"
    try:
        proved = JUDGES[theorem](Case(claim, proof, facts, network, teacher, rows))
    except (Refused, NotConfirmed) as error:
        return theorem, verdict, False, str(error)
    # A claimed "undecided" claims nothing.
    if verdict not in ("undecided", proved):
        return theorem, verdict, False, f"what is proved is: {proved}"
    unknown = f"; {rows.unknown_words} unknown words count as the reference" if rows and rows.unknown_words else ""
    return theorem, verdict, True, f"every fact follows{unknown}"


def check(certificate: dict[str, Any], table: str | Path | Sequence[Sequence[Any]] | None = None) -> list[Result]:
    """Judge every claim of a document: theorem, claimed verdict, whether it is confirmed, and why.

    Raises ``Refused`` where the document as a whole, its rows or its networks are not in order, and ``NotJudged`` for
    formats without proofs.
    """
    if certificate.get("format") == "shallows certificate" and certificate.get("format_version") in (1, 2):
        raise NotJudged(f"a certificate of format {certificate['format_version']:.0f} carries no proof")
    keys = "format format_version writer rows network teacher certificates"
    name, version, writer, rows, network, teacher, entries = members(certificate, keys, "the document")
    if name != "shallows certificate" or isinstance(version, bool) or version not in (3, 4, 5):
        raise Refused("not a certificate of format 3, 4 or 5")
    text(writer, "writer")
    read = optional(read_rows, rows, table, version)
    inputs = read.inputs if read is not None else None
    networks = [
        optional(read_network, value, inputs, where) for value, where in ((network, "network"), (teacher, "teacher"))
    ]
    if not items(entries, "certificates"):
        raise Refused("there are no claims")
    return [judge(entry, *networks, read) for entry in entries]


def main(arguments: list[str]) -> int:
    """The command."""
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        document = read_document(Path(arguments[0]).read_bytes().decode())
        results = check(document, arguments[1] if len(arguments) == 2 else None)
    except NotJudged as reason:
        print(f"not judged: {reason}")
        return 1
    except (Refused, OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for theorem, verdict, confirmed, reason in results:
        print(f"{theorem}: {verdict}: {'confirmed' if confirmed else 'not confirmed'}: {reason}")
    return 0 if all(confirmed and verdict == "holds" for _, verdict, confirmed, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
