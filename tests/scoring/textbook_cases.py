"""Worked examples of the textbooks as qrels and runs, and what is asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.scoring.some_qrels import qrels, ranked, textbook
from tests.support import cases
from workbench.records import Qrel, Run
from workbench.scoring.curves import CURVES, Curve, CurveOptions
from workbench.scoring.scorer import Scorer, score_run

LEVELS = " ".join(f"IPrec@{level / 10}" for level in range(11))
"""Precision at the eleven levels of recall."""
BUCKETS = " ".join(f"IPrec(interpolation='bucket')@{level / 10}" for level in range(11))
"""The same by the older rule."""

Given = tuple[list[Qrel], Run]


def case(file: str, name: str) -> tuple[dict[str, Any], dict[str, Any], float]:
    """Input, expected values and tolerance of a case, a small one for floats where it is 0."""
    found = cases(file)[name]
    return found["input"], found["expected"], max(found["tolerance"], 1e-12)


def values(given: Given, names: str) -> list[float]:
    """The values of measures, in their order."""
    return list(score_run(*given, names).values.values())


def curve(kind: str, given: Given, **options: Any) -> Curve:
    """A curve of a run."""
    judged, retrieved = given
    return CURVES[kind](Scorer(judged, "AP").read(retrieved).judged, CurveOptions(**options))


def relevant_at(ranks: Sequence[int], relevant: int, length: int) -> Given:
    """A ranking with relevant documents at these ranks, of `relevant` in all."""
    return textbook("".join("R" if rank in ranks else "N" for rank in range(1, length + 1)), relevant)


def graded(gains: Sequence[int]) -> Given:
    """A ranking with these grades, and qrels that have no other documents."""
    docnos = [f"d{place:02}" for place in range(len(gains))]
    return qrels({"1": dict(zip(docnos, gains, strict=True))}), ranked(docnos)
