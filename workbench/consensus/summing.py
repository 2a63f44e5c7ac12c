"""The sum over assessors: a scale as long as there are assessors to a pair."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.consensus.outcomes import Evidence, Grades, Left, Outcome, Pair, Settled

FEWER_GRADES = "fewer assessors graded it than other pairs"


def line_of(evidence_line: int, line: str | None) -> int:
    """The lowest sum that counts as relevant: the one that was said, else what one assessor's grade makes."""
    return evidence_line if line is None else int(line)


def total(
    evidence: Evidence, *, line: str | None = None, binary: str = "no", fewer: str = "leave"
) -> dict[Pair, Outcome]:
    """The sum of all assessors' grades, as in the Cystic Fibrosis collection (Shaw et al. 1991).

    Four assessors of 0 to 2 make 0 to 8. A sum of fewer grades than other pairs have is left, or with `fewer`
    summed as it is. With `binary` the grade is 1 from the line on and 0 below it. The confidence is the share
    of the assessors whose own grade stands on the same side of the scale's line as the sum does of its own.
    """
    most = max((len(grades) for grades in evidence.graded.values()), default=0)
    at = line_of(evidence.relevant_from, line)
    found: dict[Pair, Outcome] = {}
    for pair, grades in evidence.graded.items():
        if len(grades) < most and fewer == "leave":
            found[pair] = Left(FEWER_GRADES)
            continue
        added = sum(grades.values())
        sure = _on_its_side(grades, evidence.relevant_from, added >= at)
        found[pair] = Settled(int(added >= at) if binary == "yes" else added, sure)
    return found


def _on_its_side(grades: Grades, relevant_from: int, relevant: bool) -> float:
    sides: Iterable[bool] = (grade >= relevant_from for grade in grades.values())
    return sum(side is relevant for side in sides) / len(grades)
