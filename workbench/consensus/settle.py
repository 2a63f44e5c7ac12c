"""One grade for each pair from the judgments of its assessors, and the list of what is left unsettled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from workbench.consensus.judgments import grades_by_pair
from workbench.consensus.rule import Evidence, Left, Outcome, Pair, Settled
from workbench.consensus.rules import bound, rule_of
from workbench.consensus.votes import LEFT, Floats, Numbers, VoteTable
from workbench.figures import counted
from workbench.records import Judgment, Qrel, Scale, sorted_pairs
from workbench.tables import Export, ResultRows, ResultTable, table_export

NO_GRADE = "nobody gave a grade"


@dataclass(frozen=True, slots=True)
class Label:
    """The one grade of a pair: its confidence, the number of assessors' grades, whether adjudicated."""

    topic: str
    docno: str
    grade: int
    confidence: float
    n: int
    adjudicated: bool = False


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A judged pair without a grade, and why."""

    topic: str
    docno: str
    reason: str


@dataclass(frozen=True, slots=True)
class Consensus(ResultTable):
    """One grade for each settled pair, and the others; all sorted by topic, then docno (bytes).

    `relevant_from` is the lowest relevant grade of these: for a sum it is not that of the scale.
    """

    labels: tuple[Label, ...]
    unsettled: tuple[Unsettled, ...]
    relevant_from: int
    qrels: tuple[Qrel, ...]

    @property
    def confidence(self) -> tuple[float, ...]:
        """The confidence of each of the qrels, from 0 to 1."""
        return tuple(label.confidence for label in self.labels)

    def lines(self, start: int, stop: int) -> tuple[Qrel, ...]:
        """The qrels from one place to before another."""
        return self.qrels[start:stop]

    def table(self) -> ResultRows:
        """A row for each settled pair, with the number of assessors' grades behind it."""
        rows = ((one.topic, one.docno, one.grade, one.confidence, one.n) for one in self.labels)
        columns, count = ("topic", "docno", "grade", "confidence", "grades"), len(self.labels)
        caption = f"Consensus: {counted(count, 'pair')} settled, {len(self.unsettled):,} not"
        return ResultRows(caption, columns, rows, count)


def consensus(
    judgments: Iterable[Judgment],
    *,
    rule: str,
    scale: Scale | None = None,
    relevant_from: int | None = None,
    decided: Mapping[Pair, int] | None = None,
    **parameters: str,
) -> Consensus:
    """Settle every pair by the named rule; answers that are no grade (unsure, cannot judge) never count.

    The judgments are the current ones, one for each assessor and pair (`judgments.latest_judgments` makes
    them so); `decided` are the grades of an adjudicator. Without a `scale` any grade is accepted that is not
    negative. Grades are relevant from `relevant_from` on, from that of the scale, or else from 1.

    Raises WorkbenchError for an unknown rule or one that makes no whole grades, for a wrong or missing
    parameter and a grade outside the scale, and Conflict where an assessor judged a pair twice.

    >>> given = [Judgment("ann", "1", "d", 2), Judgment("bea", "1", "d", 0), Judgment("cyd", "1", "d", 2)]
    >>> consensus(given, rule="majority").labels[0].grade
    2
    """
    chosen = rule_of(rule)
    values = bound(chosen, parameters)
    by_pair = grades_by_pair(judgments, scale)
    line = relevant_from if relevant_from is not None else (scale.relevant_from if scale else 1)
    graded = {pair: grades for pair, grades in by_pair.items() if grades}
    outcomes = chosen.outcomes(Evidence(graded, dict(decided or {}), line), **values)
    nobody = Left(NO_GRADE)
    labels: list[Label] = []
    left: list[Unsettled] = []
    for pair in sorted_pairs({**by_pair, **outcomes}):
        outcome: Outcome = outcomes.get(pair, nobody)
        if isinstance(outcome, Settled):
            n = len(graded.get(pair, ()))
            labels.append(Label(*pair, outcome.grade, outcome.confidence, n, outcome.adjudicated))
        else:
            left.append(Unsettled(*pair, outcome.reason))
    return Consensus(
        labels=tuple(labels),
        unsettled=tuple(left),
        relevant_from=chosen.relevant_from(line, values),
        qrels=tuple(Qrel(label.topic, label.docno, label.grade) for label in labels),
    )


@dataclass(frozen=True, slots=True, eq=False)
class TableConsensus:
    """What `Consensus` has, in arrays: the settled `rows` of a table with their grades and confidence.

    `decided` are the rows that an adjudicator settled, `left` those of the judged pairs without a grade, each
    with a reason of `reasons`.
    """

    table: VoteTable
    rows: Numbers
    grades: Numbers
    confidence: Floats
    decided: Numbers
    left: Numbers
    reasons: tuple[str, ...]
    relevant_from: int

    @property
    def adjudicated(self) -> int:
        """How many of the settled grades are an adjudicator's."""
        return len(self.decided)

    @property
    def qrels(self) -> tuple[Qrel, ...]:
        """The settled pairs with their grades."""
        return self.lines(0, len(self.rows))

    def lines(self, start: int, stop: int) -> tuple[Qrel, ...]:
        """The qrels from one place to before another."""
        pairs = map(self.table.pairs.__getitem__, self.rows[start:stop].tolist())
        grades = self.grades[start:stop].tolist()
        return tuple(Qrel(*pair, grade) for pair, grade in zip(pairs, grades, strict=True))


def consensus_of_table(table: VoteTable, *, rule: str, **parameters: str) -> TableConsensus | None:
    """Settle every pair of a table as `consensus` does, and raise as that does; None where a rule cannot."""
    chosen = rule_of(rule)
    values = bound(chosen, parameters)
    found = None if chosen.settle_table is None else chosen.settle_table(table, **values)
    if found is None:
        return None
    reasons = np.where(table.n > 0, found.reasons, len(found.words))
    decided = np.array(found.adjudicated, np.int64)
    reasons[decided] = LEFT
    # What is decided counts only where the rule says so; of other pairs somebody has judged each.
    rows, left = np.flatnonzero(reasons == LEFT), np.flatnonzero((reasons != LEFT) & table.judged)
    words = np.array((*found.words, NO_GRADE), object)
    return TableConsensus(
        table,
        rows,
        found.grades[rows],
        found.confidence[rows],
        decided,
        left,
        tuple(words[reasons[left]].tolist()),
        chosen.relevant_from(table.relevant_from, values),
    )


def label_export(found: Consensus) -> Export:
    """Every settled pair with its grade, confidence, number of grades and what settled it.

    A pair that the rule leaves has a row too, without a grade and with the reason.
    """
    settled = [
        (
            label.topic,
            label.docno,
            label.grade,
            label.confidence,
            label.n,
            "adjudicator" if label.adjudicated else "rule",
            "",
        )
        for label in found.labels
    ]
    left = [(pair.topic, pair.docno, None, None, None, "", pair.reason) for pair in found.unsettled]
    columns = ("topic", "docno", "grade", "confidence", "n", "settled_by", "unsettled")
    return table_export(columns, (*settled, *left))
