"""Coverage and novelty: what a run finds of the relevant documents that a user knows already, and beyond."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from workbench.errors import WorkbenchError
from workbench.records import Qrel, Run, TieRule, pair_of
from workbench.scoring.run_arrays import RunArrays
from workbench.scoring.scorer import RunScores, Scorer

COVERAGE, NOVELTY = "Coverage", "Novelty"


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """The relevant documents of qrels, and those of them that users know.

    `topics` counts those that have known documents.
    """

    relevant: Scorer
    known: Scorer
    topics: int

    def score(
        self, run: Run | RunArrays, scores: RunScores, *, ties: TieRule = TieRule.TREC_EVAL
    ) -> RunScores:
        """The scores of a run with Coverage and Novelty added, for the topics that they have.

        Coverage is the share of the known relevant documents that the run retrieves, Novelty the share of
        what it retrieves that is relevant and was not known. Both are 0 where they are a share of nothing.
        Source: Korfhage 1997; Baeza-Yates and Ribeiro-Neto 1999, section 3.2.2.
        """
        found = self.relevant.score(run, ties=ties).per_topic["NumRet(rel=1)"]
        seen = self.known.score(run, ties=ties).per_topic
        topics = next(iter(scores.per_topic.values()), {})
        added: dict[str, dict[str, float]] = {COVERAGE: {}, NOVELTY: {}}
        for topic in topics:
            already = seen["NumRet(rel=1)"].get(topic, 0.0)
            added[COVERAGE][topic] = seen["SetR"].get(topic, 0.0)
            added[NOVELTY][topic] = (found[topic] - already) / found[topic] if found[topic] else 0.0
        means = {name: sum(of.values()) / max(1, len(of)) for name, of in added.items()}
        return replace(scores, values={**scores.values, **means}, per_topic={**scores.per_topic, **added})


def known_documents(qrels: Iterable[Qrel], known: Iterable[Qrel]) -> KnownDocuments:
    """The pairs of `known` that are relevant by the qrels, grade 1 or more, whatever their own grade.

    Raises WorkbenchError where there is none.
    """
    grades: dict[tuple[str, str], int] = {}
    for one in qrels:
        # Qrels with subtopics have a line for each.
        grades[pair_of(one)] = max(one.grade, grades.get(pair_of(one), one.grade))
    both = [pair for one in known if grades.get(pair := pair_of(one), 0) >= 1]
    if not both:
        raise WorkbenchError(
            "no known document is relevant in the qrels",
            remedy="give the relevant documents that users know, as lines of qrels",
        )
    return KnownDocuments(
        Scorer([Qrel(*pair, int(grade >= 1)) for pair, grade in grades.items()], "NumRet(rel=1)"),
        Scorer([Qrel(*pair, 1) for pair in both], "NumRet(rel=1) SetR"),
        len({topic for topic, _ in both}),
    )
