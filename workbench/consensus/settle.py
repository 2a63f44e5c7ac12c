"""One grade for each pair from the judgments of its assessors, what is left unsettled, its summary."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from operator import attrgetter

import numpy as np

from workbench.consensus.rules import bound, rule_of, settled
from workbench.consensus.votes import LEFT, Floats, Numbers, Pair, VoteTable, vote_table
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.records import Judgment, Qrel, Scale, pair_of, sorted_ids
from workbench.tables import Export, ResultRows, ResultTable, table_export

NO_GRADE = "nobody gave a grade"
NAMED = 5
_FIGURES = attrgetter("topic", "docno", "grade", "confidence", "n")


@frozen_dataclass
class Label:
    """The one grade of a pair: its confidence, the number of assessors' grades, whether adjudicated."""

    topic: str
    docno: str
    grade: int
    confidence: float
    n: int
    adjudicated: bool = False


@frozen_dataclass
class Unsettled:
    """A judged pair without a grade, and why."""

    topic: str
    docno: str
    reason: str


@frozen_dataclass
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


def require_judges(judgments: Iterable[Judgment], named: Iterable[str]) -> None:
    """Raise WorkbenchError for the first of the named assessors who judged nothing."""
    known = {one.assessor for one in judgments}
    for name in named:
        if name not in known:
            remedy = f"name one of {', '.join(sorted_ids(known)[:NAMED])}"
            raise WorkbenchError(f'there is no judgment of the assessor "{name}"', remedy=remedy)


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

    The judgments are the current ones, one for each assessor and pair (`votes.latest_judgments` makes
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
        topic, docno = table.pair(row)
        labels.append(Label(topic, docno, grade, sure, int(table.n[row]), row in decided_rows))
    left = map(table.pair, found.left.tolist())
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
        pairs = map(self.table.pair, self.rows[start:stop].tolist())
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


@frozen_dataclass
class Summary:
    """How many pairs a rule settles and leaves, and what the qrels are like that it makes.

    `left` counts the unsettled pairs by reason, the most first; `by_grade` the lines of each grade,
    ascending. `adjudicated` of the settled grades are an adjudicator's. `without_relevant` are the judged
    topics that have no relevant document, in the order given or that of bytes. `confidence` is the mean over
    the settled pairs, None without any.
    """

    settled: int
    adjudicated: int
    unsettled: int
    left: tuple[tuple[str, int], ...]
    by_grade: tuple[tuple[int, int], ...]
    relevant_from: int
    relevant: int
    topics: int
    without_relevant: tuple[str, ...]
    confidence: float | None


def summary(found: Consensus, *, topics: Collection[str] | None = None) -> Summary:
    """The summary of what a rule gave; `topics` are those judged, else those that the rule saw."""
    seen = sorted_ids({q.topic for q in found.qrels} | {pair.topic for pair in found.unsettled})
    relevant = [q.topic for q in found.qrels if q.grade >= found.relevant_from]
    with_relevant = set(relevant)
    return Summary(
        settled=len(found.qrels),
        adjudicated=sum(label.adjudicated for label in found.labels),
        unsettled=len(found.unsettled),
        left=tuple(Counter(pair.reason for pair in found.unsettled).most_common()),
        by_grade=tuple(sorted(Counter(q.grade for q in found.qrels).items())),
        relevant_from=found.relevant_from,
        relevant=len(relevant),
        topics=len({q.topic for q in found.qrels}),
        without_relevant=tuple(
            topic for topic in (seen if topics is None else topics) if topic not in with_relevant
        ),
        confidence=math.fsum(found.confidence) / len(found.qrels) if found.qrels else None,
    )


@frozen_dataclass
class Accuracy:
    """A rule against expert labels: of `known` labelled pairs that were judged it settled `n`.

    `binary` is the share of these on the right side of the relevance threshold, `exact` that with the very
    grade; None where the rule settled none of them, or where its grades are not the experts' scale (`exact`).
    """

    known: int
    n: int
    binary: float | None
    exact: float | None


def accuracy(
    found: Consensus, gold: Mapping[Pair, int], *, relevant_from: int = 1, same_scale: bool = True
) -> Accuracy:
    """Compare what a rule gave with expert labels of the same pairs; `relevant_from` is the experts' line.

    Negative expert labels are none. Pairs that the rule left are counted in `known`, not in `n`.
    """
    labels = {pair_of(label): label for label in found.labels}
    judged = labels.keys() | {pair_of(pair) for pair in found.unsettled}
    known = [pair for pair, grade in gold.items() if grade >= 0 and pair in judged]
    both = [(labels[pair], gold[pair]) for pair in known if pair in labels]
    n = len(both)
    if not n:
        return Accuracy(len(known), 0, None, None)
    right = sum((label.grade >= found.relevant_from) == (grade >= relevant_from) for label, grade in both)
    return Accuracy(
        known=len(known),
        n=n,
        binary=right / n,
        exact=sum(label.grade == grade for label, grade in both) / n if same_scale else None,
    )


def summary_json(found: Summary | None, refused: str = "") -> dict[str, object]:
    """A summary as an object, or why there is none."""
    if found is None:
        return {"refused": refused}
    fields = asdict(found)
    return fields | {
        "left": dict(found.left),
        "by_grade": {str(grade): count for grade, count in found.by_grade},
        "without_relevant": list(found.without_relevant),
    }
