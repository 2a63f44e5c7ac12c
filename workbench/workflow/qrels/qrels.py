"""Qrels: one grade from several, by a named rule, from the current judgments of a campaign.

What a rule gave is in arrays: the lines of the qrels, and the judged pairs that have none.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any, cast

import numpy as np
from ir_measures import Measure
from numpy.typing import NDArray
from sqlalchemy.orm import Session
from typing_extensions import TypedDict

from workbench.consensus.rules import RuleChoice, bound, choice_label, choice_name, rule_choice, rule_of
from workbench.consensus.settle import (
    Consensus,
    Label,
    Summary,
    TableConsensus,
    Unsettled,
    consensus_of_table,
    summary_json,
)
from workbench.consensus.sums import SoftLabels, soft_labels
from workbench.consensus.votes import Pair, Votes, VoteTable, vote_table
from workbench.docnos import Docnos
from workbench.errors import WorkbenchError
from workbench.formats.qrels import topic_lines
from workbench.frozen import frozen_dataclass
from workbench.records import Judgment, Qrel, Scale, id_bytes, places_of, sorted_ids
from workbench.scoring.kernels import Reads, reads
from workbench.scoring.relevance import ArrayRelevance
from workbench.scoring.scorer import Scorer
from workbench.storage.adjudications import adjudicated_grades
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.current_judgments import current_judgments
from workbench.workflow.log import NOWHERE, CurrentAnswers, answers_by_topic, columns_of
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.pools.pooled_topics import ByTopic, opened_by_topic


class QrelsReportJson(TypedDict):
    """What a rule makes of the judgments: lines, pairs settled and left by reason, lines by grade.

    `confidence` is the mean of the settled pairs' where a rule has one.
    """

    rule: str
    parameters: dict[str, Any]
    lines: int
    lines_unjudged: int
    settled: int
    adjudicated: int
    unsettled: int
    left: dict[str, int]
    by_grade: dict[str, int]
    relevant_from: int
    relevant: int
    topics: int
    without_relevant: list[str]
    confidence: float | None


def judged_table(
    answers: CurrentAnswers, who: Mapping[str, int], scale: Scale, decided: Mapping[Pair, int]
) -> VoteTable:
    """The table of some assessors' judgments (`who`: ids by name), as `vote_table` makes it of records.

    Raises WorkbenchError for a grade outside the scale.
    """
    names = sorted(who)
    ids = np.array([who[name] for name in names], np.int64)
    counted = answers.only(np.isin(answers.assessors, ids))
    judged = np.bincount(counted.pairs, minlength=len(answers.docnos)) > 0
    places = {pair: answers.find(*pair) for pair in decided}
    chosen = judged.copy()
    chosen[[place for place in places.values() if place is not None]] = True
    rows = answers.rows(chosen, [pair for pair, place in places.items() if place is None])
    numbers = np.array([number for *_, number in rows], np.int64)
    row_of = np.full(len(answers.docnos), NOWHERE)
    row_of[numbers[numbers != NOWHERE]] = np.flatnonzero(numbers != NOWHERE)
    graded = counted.only(counted.codes >= 0)
    for outside in graded.codes[~np.isin(graded.codes, [one.value for one in scale.grades])][:1].tolist():
        scale.grade(outside)
    sorting = np.argsort(ids)
    of_name = sorting[np.searchsorted(ids, graded.assessors, sorter=sorting)]
    # The answers to a document stand by the ids of assessors, and here by their names.
    order = np.lexsort((of_name, graded.pairs))
    graders, assessors = np.unique(of_name[order], return_inverse=True)
    values, grades = np.unique(graded.codes[order], return_inverse=True)
    votes = Votes(row_of[graded.pairs[order]], assessors, grades, len(rows), len(graders), len(values))
    topics = places_of(tuple(dict.fromkeys(topic for topic, *_ in rows)))
    table = VoteTable(
        tuple(topics),
        np.array([topics[topic] for topic, *_ in rows], np.int64),
        [docno for _, docno, _ in rows],
        tuple(names[at] for at in graders.tolist()),
        values,
        votes,
        np.append(judged, False)[numbers],
        {},
        scale.relevant_from,
    )
    return replace(table, decided=_by_row(table, decided)) if decided else table


def _by_row(table: VoteTable, decided: Mapping[Pair, int]) -> dict[int, int]:
    pairs = map(table.pair, range(len(table)))
    return {row: decided[pair] for row, pair in enumerate(pairs) if pair in decided}


UNJUDGED = -1
"""The grade that infAP reads as pooled and not judged."""


@dataclass(frozen=True, eq=False)
class Material:
    """What every rule of a campaign uses: current judgments, decisions, and who is a machine.

    The judgments are given, or read when something goes through all of them; rules do not where the `answers`
    are there, with the ids of the assessors by their names.
    """

    # No slots: the judgments are read once.
    scale: Scale
    given: tuple[Judgment, ...] | Callable[[], tuple[Judgment, ...]]
    decided: Mapping[Pair, int]
    machines: Mapping[str, bool]
    answers: CurrentAnswers | None = None
    ids: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def judgments(self) -> tuple[Judgment, ...]:
        """The current judgments, by topic and docno (bytes), then assessor."""
        return self.given() if callable(self.given) else self.given

    def counted(self, choice: RuleChoice) -> tuple[Judgment, ...]:
        """The judgments that count for a choice; raises WorkbenchError for an unknown assessor."""
        who = self.counted_assessors(choice)
        if len(who) == len(self.machines):
            return self.judgments
        return tuple(one for one in self.judgments if one.assessor in who)

    def counted_assessors(self, choice: RuleChoice) -> frozenset[str]:
        """Whose judgments count for a choice; raises WorkbenchError for an unknown assessor."""
        named = choice.parameters().get("assessor")
        if named is not None and named not in self.machines:
            raise WorkbenchError(
                f"{named} is not an assessor of this campaign", remedy="see the list of assessors"
            )
        all_count = choice.machines or (named is not None and self.machines[named])
        return frozenset(name for name, machine in self.machines.items() if all_count or not machine)

    def settled(self, choice: RuleChoice) -> TableConsensus:
        """What a rule gives; raises WorkbenchError for an unknown rule, parameter or assessor."""
        # What is wrong with the choice is said before what is wrong with the judgments.
        parameters = choice.parameters()
        bound(rule_of(choice.rule), parameters)
        return consensus_of_table(self.table(choice), rule=choice.rule, **parameters)

    def table(self, choice: RuleChoice) -> VoteTable:
        """The judgments that count for a choice, and the decisions, as arrays for many rules."""
        who = self.counted_assessors(choice)
        if who not in self._tables:
            if self.answers is not None:
                ids = {name: self.ids[name] for name in who}
                made = judged_table(self.answers, ids, self.scale, self.decided)
            else:
                counted, line = self.counted(choice), self.scale.relevant_from
                made = vote_table(counted, scale=self.scale, relevant_from=line, decided=self.decided)
            self._tables[who] = made
        return self._tables[who]

    @cached_property
    def _tables(self) -> dict[frozenset[str], VoteTable]:
        """The tables by whose judgments count: most rules share one."""
        return {}


@dataclass(frozen=True, slots=True, eq=False)
class QrelsReport:
    """The qrels that a rule makes now; `summary` counts the settled lines.

    `unjudged` are lines of grade -1 for pairs of the pools that have no other, in the order of bytes, where
    these were asked for.
    """

    choice: RuleChoice
    settled: SettledLines
    summary: Summary
    unjudged: tuple[Qrel, ...] = ()

    @property
    def relevant_from(self) -> int:
        """The lowest grade of the lines that counts as relevant."""
        return self.settled.relevant_from

    @property
    def qrels(self) -> Iterator[Qrel]:
        """The lines of all topics without those of grade -1, one topic at a time."""
        return self.settled.qrels

    @property
    def grades(self) -> dict[Pair, int]:
        """The grade of each pair that has one."""
        return {(one.topic, one.docno): one.grade for one in self.qrels}

    def graded_of(self, pooled: ByTopic) -> int:
        """How many of these documents have a grade."""
        lines = ((topic, docnos) for topic, docnos, _ in self.settled.by_topic() if topic in pooled)
        return sum(len(pooled[topic].docnos.intersection(docnos)) for topic, docnos in lines)

    def lines(self) -> Iterator[bytes]:
        """The file in parts of whole lines, nothing but qrels lines; raises WorkbenchError for ids that would
        not survive."""
        further = {
            topic: [(id_bytes(one.docno), one.grade) for one in lines]
            for topic, lines in groupby(self.unjudged, key=attrgetter("topic"))
        }
        settled = {
            topic: list(zip(docnos, grades, strict=True)) for topic, docnos, grades in self.settled.by_topic()
        }
        for topic in sorted_ids({*settled, *further}):
            docnos, grades = zip(*sorted(settled.get(topic, []) + further.get(topic, [])), strict=True)
            yield topic_lines(topic, docnos, grades)


def material(db: Session, campaign_id: int) -> Material:
    """The current material of a campaign."""
    assessors = assessors_of(db, campaign_id)
    return Material(
        scale=campaign_of(db, campaign_id).scale,
        given=partial(current_judgments, db, campaign_id),
        decided=adjudicated_grades(db, campaign_id),
        machines={one.name: one.machine for one in assessors},
        answers=columns_of(answers_by_topic(db, campaign_id).values()),
        ids={one.name: one.id for one in assessors},
    )


def make_qrels(
    db: Session, campaign_id: int, choice: RuleChoice, *, unjudged: bool = False, empty: bool = True
) -> QrelsReport:
    """Apply a rule to the current judgments; unsure and cannot-judge give no line.

    With `unjudged` every pair of an opened pool that gets no grade has a line with -1. Most measures read it
    as not relevant, infAP and bpref as unjudged. Without `empty` topics that have no relevant document have
    no line, so that scorers leave them out of their means; the summary counts the others, and names these.
    Raises WorkbenchError for an unknown rule, parameter or assessor, and a rule that makes no whole grades.
    """
    report = qrels_of(material(db, campaign_id), choice)
    if not empty:
        bare = report.summary.without_relevant
        kept = report.settled.without(bare)
        report = replace(report, settled=kept, summary=replace(kept.summary, without_relevant=bare))
    if not unjudged:
        return report
    pooled = opened_by_topic(db, campaign_id)
    graded = {topic: docnos for topic, docnos, _ in report.settled.by_topic()}
    without = []
    for topic in sorted_ids(pooled):
        if not empty and topic not in graded:
            continue
        docnos = sorted(pooled[topic].docnos.difference(graded.get(topic, ())))
        without += [Qrel(topic, one.decode("utf-8", "surrogateescape"), UNJUDGED) for one in docnos]
    return replace(report, unjudged=tuple(without))


def unjudged_pairs(db: Session, campaign_id: int, report: QrelsReport) -> int:
    """How many pairs of opened pools have no line, which would have one with -1."""
    pooled = opened_by_topic(db, campaign_id)
    return sum(one.count for one in pooled.values()) - report.graded_of(pooled)


def qrels_of(found: Material, choice: RuleChoice) -> QrelsReport:
    """The same from material that was read already; raises WorkbenchError as `make_qrels` does."""
    lines = settled_lines(found.settled(choice))
    return QrelsReport(choice, lines, lines.summary)


def make_soft_labels(db: Session, campaign_id: int, *, machines: bool = False) -> SoftLabels:
    """The mean and the shares of the grades of every pair, from the current judgments."""
    found = material(db, campaign_id)
    return soft_labels(found.counted(rule_choice("mean", machines=machines)), scale=found.scale)


def default_rule(db: Session, campaign_id: int) -> str:
    """The rule to begin with: an adjudicator's decisions come first where there are any."""
    return "adjudicated" if adjudicated_grades(db, campaign_id) else "majority"


def who_graded_most(db: Session, campaign_id: int) -> str | None:
    """The assessor with the most grades, people before machines: the one whose grades alone lose least."""
    grades = grades_by_assessor(db, campaign_id)
    chosen = [
        (one.machine, -grades[one.id], one.name) for one in assessors_of(db, campaign_id) if grades[one.id]
    ]
    return min(chosen)[2] if chosen else None


def assessors_with_grades(db: Session, campaign_id: int) -> tuple[str, ...]:
    """The names of those who have graded something, as it is current."""
    grades = grades_by_assessor(db, campaign_id)
    return tuple(one.name for one in assessors_of(db, campaign_id) if grades[one.id])


def grades_by_assessor(db: Session, campaign_id: int) -> Counter[int]:
    """How many current grades each assessor has, by id."""
    grades = Counter[int]()
    for one in answers_by_topic(db, campaign_id).values():
        who, counts = np.unique(one.assessors[one.codes >= 0], return_counts=True)
        grades.update(dict(zip(who.tolist(), counts.tolist(), strict=True)))
    return grades


@frozen_dataclass
class ComparedRule:
    """What a rule makes of the judgments, in numbers, or why it cannot be applied."""

    choice: RuleChoice
    found: Summary | None
    refused: str = ""

    @property
    def name(self) -> str:
        """The rule with its parameters."""
        return choice_name(self.choice)

    @property
    def label(self) -> str:
        """The same for people."""
        return choice_label(self.choice)


def compare_rules(db: Session, campaign_id: int, choices: Sequence[RuleChoice]) -> tuple[ComparedRule, ...]:
    """What each of some rules would make of the current judgments."""
    found, compared = material(db, campaign_id), []
    for choice in choices:
        try:
            compared.append(ComparedRule(choice, qrels_of(found, choice).summary))
        except WorkbenchError as error:
            compared.append(ComparedRule(choice, None, str(error)))
    return tuple(compared)


def qrels_json(report: QrelsReport) -> QrelsReportJson:
    """What a rule makes of the judgments, in numbers."""
    found = {
        "rule": report.choice.rule,
        "parameters": report.choice.parameters(),
        "lines": report.summary.settled,
        "lines_unjudged": len(report.unjudged),
        **summary_json(report.summary),
    }
    return cast(QrelsReportJson, found)


Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SettledLines:
    """The lines by topic, then document (bytes), and the judged pairs without one, in the same order.

    Of each line there is the number of its topic among `topics`, of which each has a line, its document,
    grade and confidence, how many assessors graded it, and whether an adjudicator settled it.
    """

    topics: tuple[str, ...]
    numbers: Numbers
    docnos: Docnos
    grades: Numbers
    confidence: NDArray[np.float64]
    n: Numbers
    adjudicated: NDArray[np.bool_]
    unsettled: tuple[Unsettled, ...]
    relevant_from: int

    def __len__(self) -> int:
        return len(self.grades)

    def by_topic(self) -> Iterator[tuple[str, list[bytes], list[int]]]:
        """The documents of each topic with their grades."""
        starts = np.searchsorted(self.numbers, np.arange(len(self.topics) + 1)).tolist()
        for topic, (begin, end) in zip(self.topics, pairwise(starts), strict=True):
            yield topic, self.docnos[begin:end].tolist(), self.grades[begin:end].tolist()

    @property
    def qrels(self) -> Iterator[Qrel]:
        """The lines as records."""
        for topic, docnos, grades in self.by_topic():
            for docno, grade in zip(docnos, grades, strict=True):
                yield Qrel(topic, docno.decode("utf-8", "surrogateescape"), grade)

    @property
    def consensus(self) -> Consensus:
        """All of it as records, made anew each time."""
        qrels = tuple(self.qrels)
        columns = (one.tolist() for one in (self.confidence, self.n, self.adjudicated))
        labels = (Label(q.topic, q.docno, q.grade, *rest) for q, *rest in zip(qrels, *columns, strict=True))
        return Consensus(tuple(labels), self.unsettled, self.relevant_from, qrels)

    @property
    def digest(self) -> str:
        """A hash of what the lines say, the same for all rules that make the same lines."""
        parts = (self.numbers, self.docnos, self.grades)
        names = b"\n".join(map(id_bytes, self.topics)) + self.docnos.dtype.str.encode()
        return hashlib.sha256(names + b"".join(one.tobytes() for one in parts)).hexdigest()

    @property
    def summary(self) -> Summary:
        """The lines in numbers, as `consensus.settle.summary` counts records."""
        judged = sorted_ids({*self.topics, *(one.topic for one in self.unsettled)})
        relevant = self.relevant_by_topic(self.relevant_from)
        grades, counts = np.unique(self.grades, return_counts=True)
        return Summary(
            settled=len(self),
            adjudicated=int(self.adjudicated.sum()),
            unsettled=len(self.unsettled),
            left=tuple(Counter(one.reason for one in self.unsettled).most_common()),
            by_grade=tuple(zip(grades.tolist(), counts.tolist(), strict=True)),
            relevant_from=self.relevant_from,
            relevant=sum(relevant.values()),
            topics=len(self.topics),
            without_relevant=tuple(topic for topic in judged if topic not in relevant),
            confidence=math.fsum(self.confidence) / len(self) if len(self) else None,
        )

    def relevant_by_topic(self, threshold: int) -> dict[str, int]:
        """How many lines have at least this grade, for topics with any."""
        counts = np.bincount(self.numbers[self.grades >= threshold], minlength=len(self.topics))
        return {topic: count for topic, count in zip(self.topics, counts.tolist(), strict=True) if count}

    def without(self, topics: Collection[str]) -> SettledLines:
        """The same without some topics."""
        gone = frozenset(topics)
        old = np.array([at for at, topic in enumerate(self.topics) if topic not in gone], np.int64)
        kept = np.isin(self.numbers, old)
        return replace(
            self,
            topics=tuple(self.topics[at] for at in old.tolist()),
            numbers=np.searchsorted(old, self.numbers[kept]),
            docnos=self.docnos[kept],
            grades=self.grades[kept],
            confidence=self.confidence[kept],
            n=self.n[kept],
            adjudicated=self.adjudicated[kept],
            unsettled=tuple(one for one in self.unsettled if one.topic not in gone),
        )


def settled_lines(found: TableConsensus) -> SettledLines:
    """The lines of what a rule gave."""
    table, rows = found.table, found.rows
    used, numbers = np.unique(table.numbers[rows], return_inverse=True)
    left = zip(map(table.pair, found.left.tolist()), found.reasons, strict=True)
    return SettledLines(
        tuple(table.topics[at] for at in used.tolist()),
        numbers,
        np.array([table.docnos[row] for row in rows.tolist()], np.bytes_),
        found.grades,
        found.confidence,
        table.n[rows],
        np.isin(rows, found.decided),
        tuple(Unsettled(topic, docno, reason) for (topic, docno), reason in left),
        found.relevant_from,
    )


def scorer_of(lines: SettledLines, measures: Collection[Measure]) -> Scorer:
    """What scores runs on some lines.

    Raises WorkbenchError as `Scorer` does: where there is no line, for a grade beyond 100,000, and for a
    measure that needs subtopics.
    """
    if len(lines) and all(reads(measure) is not Reads.SUBTOPICS for measure in measures):
        return Scorer(ArrayRelevance(lines), list(measures))
    return Scorer(lines.qrels, list(measures))
