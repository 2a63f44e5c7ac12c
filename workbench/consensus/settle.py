"""One grade for each pair from the judgments of its assessors, and the list of what is left unsettled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from workbench.consensus.rule import Pair
from workbench.consensus.rules import bound, rule_of, settled
from workbench.consensus.votes import LEFT, Floats, Numbers, VoteTable, vote_table
from workbench.figures import counted
from workbench.records import Judgment, Qrel, Scale
from workbench.tables import Export, ResultRows, ResultTable, table_export

NO_GRADE = "nobody gave a grade"
_FIGURES = attrgetter("topic", "docno", "grade", "confidence", "n")


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
        rows = map(_FIGURES, self.labels)
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
    # What is wrong with the rule is said before what is wrong with the judgments.
    bound(rule_of(rule), parameters)
    line = relevant_from if relevant_from is not None else (scale.relevant_from if scale else 1)
    table = vote_table(judgments, scale=scale, relevant_from=line, decided=decided)
    found = consensus_of_table(table, rule=rule, **parameters)
    decided_rows = set(found.decided.tolist())
    settled_rows = zip(found.rows.tolist(), found.grades.tolist(), found.confidence.tolist(), strict=True)
    labels = []
    for row, grade, sure in settled_rows:
        topic, docno = table.pairs[row]
        labels.append(Label(topic, docno, grade, sure, int(table.n[row]), row in decided_rows))
    left = map(table.pairs.__getitem__, found.left.tolist())
    unsettled = tuple(Unsettled(*pair, reason) for pair, reason in zip(left, found.reasons, strict=True))
    return Consensus(tuple(labels), unsettled, found.relevant_from, found.qrels)


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


def consensus_of_table(table: VoteTable, *, rule: str, **parameters: str) -> TableConsensus:
    """Settle every pair of a table as `consensus` does, and raise as that does."""
    chosen = rule_of(rule)
    values = bound(chosen, parameters)
    found = settled(chosen, table, values)
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
        (*_FIGURES(label), "adjudicator" if label.adjudicated else "rule", "") for label in found.labels
    ]
    left = [(pair.topic, pair.docno, None, None, None, "", pair.reason) for pair in found.unsettled]
    columns = ("topic", "docno", "grade", "confidence", "n", "settled_by", "unsettled")
    return table_export(columns, (*settled, *left))
