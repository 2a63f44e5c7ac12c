"""Qrels and runs for the tests of scoring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.records import Qrel, Ranking, Run


def qrels(grades: Mapping[str, Mapping[str, int]]) -> list[Qrel]:
    """Qrels from grades by topic and docno."""
    return [Qrel(topic, docno, grade) for topic, graded in grades.items() for docno, grade in graded.items()]


def run(rankings: Mapping[str, Mapping[str, float]], *, tag: str = "A") -> Run:
    """A run from scores by topic and docno."""
    return Run(
        tag,
        {topic: Ranking(tuple(scored), tuple(scored.values())) for topic, scored in rankings.items()},
    )


def ranked(docnos: Sequence[str], *, topic: str = "1") -> Run:
    """A run of one topic, best document first."""
    return run({topic: {docno: float(-place) for place, docno in enumerate(docnos)}})


def textbook(ranking: str, relevant: int) -> tuple[list[Qrel], Run]:
    """A ranking written as R and N, and qrels in which further documents are relevant, `relevant` in all."""
    docnos = [f"{letter}{place:02}" for place, letter in enumerate(ranking, 1)]
    grades = {docno: int(docno[0] == "R") for docno in docnos}
    grades |= {f"missed{at}": 1 for at in range(relevant - ranking.count("R"))}
    return qrels({"1": grades}), ranked(docnos)
