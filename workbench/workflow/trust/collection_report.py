"""The report on a collection: all that is known of it, for an organiser to hand to a reviewer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TypeVar

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.estimates import BANDS, Estimate, chosen, coefficients_of
from workbench.agreement.options import AgreementOptions
from workbench.consensus.rules import RULES, RuleChoice
from workbench.errors import WorkbenchError
from workbench.figures import between
from workbench.frozen import frozen_dataclass
from workbench.records import Answer, Qrel, Scale, Verdict, pair_of
from workbench.storage.tables import CollectionListRow, DocumentRow
from workbench.texts import filled_in
from workbench.trust.alternatives import ranking_measure
from workbench.trust.depth import DeeperPool
from workbench.trust.fewer_topics import FewerTopics
from workbench.trust.holes import Holes
from workbench.trust.judges import EQUAL, verdict
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_table import dispute_counts
from workbench.workflow.agreement.selection import campaign_ratings
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.clock import utc_now
from workbench.workflow.jobs import Steps, quietly
from workbench.workflow.pools.listing import PoolLine, pools_of
from workbench.workflow.qrels.qrels import Material, QrelsReport, material, qrels_of
from workbench.workflow.runs.run_records import runs_of
from workbench.workflow.scores.score_table import Coverage, coverage_of
from workbench.workflow.trust.questions import (
    TrustReport,
    campaign_depth,
    campaign_holes,
    campaign_topics,
    trust_report,
)

Result = TypeVar("Result")
COEFFICIENTS = ("pooled", "unpooled", "alpha")


@frozen_dataclass
class NotKnown:
    """Why a figure is not known."""

    reason: str


@frozen_dataclass
class AssessorAnswers:
    """The current answers of an assessor, by kind."""

    name: str
    machine: bool
    grades: int
    unsure: int
    cannot_judge: int


@frozen_dataclass
class CollectionReport:
    """What is known of a collection at a time; where something is not, the reason stands in its place.

    `runs` of `groups` were not set aside. `pools` are the opened ones. Of the `graded` pairs `shared` have
    grades of two people or more, `disputes_left` disputed pairs have no decision. `agreement` has the
    `COEFFICIENTS` of people, of their independent judgments.
    """

    name: str
    at: datetime
    scale: Scale
    measure: str
    runs: int
    groups: int
    size: CollectionSize
    pools: tuple[PoolLine, ...]
    coverage: Coverage
    assessors: tuple[AssessorAnswers, ...]
    graded: int
    shared: int
    disputes_left: int
    qrels: QrelsReport
    agreement: tuple[Estimate, ...] | NotKnown
    trust: TrustReport | NotKnown
    depth: DeeperPool | NotKnown
    holes: Holes | NotKnown
    topics: FewerTopics | NotKnown


def collection_report(
    db: Session,
    campaign_id: int,
    choice: RuleChoice,
    measure: str,
    steps: Steps = quietly,
) -> CollectionReport:
    """Everything about a collection by the qrels of a rule, its runs ranked by a measure.

    Raises WorkbenchError for an unknown rule, for an unknown measure, more than one, and one that is better
    the lower it is.
    """
    ranking = str(ranking_measure(measure))
    campaign, found = campaign_of(db, campaign_id), material(db, campaign_id)
    qrels = qrels_of(found, choice)
    runs = [run for run in runs_of(db, campaign_id) if run.verdict is not Verdict.SET_ASIDE]
    people = Counter(
        pair_of(one) for one in found.judgments if one.grade is not None and not found.machines[one.assessor]
    )
    return CollectionReport(
        name=campaign.name,
        at=utc_now(),
        scale=campaign.scale,
        measure=ranking,
        runs=len(runs),
        groups=len({run.group for run in runs if run.group}),
        size=collection_size(db, campaign_id, qrels.qrels, relevant_from=qrels.relevant_from),
        pools=tuple(line for line in pools_of(db, campaign_id) if not line.draft),
        coverage=coverage_of(db, campaign_id, qrels),
        assessors=_assessors(found),
        graded=len(people),
        shared=sum(count > 1 for count in people.values()),
        disputes_left=sum(
            count
            for state, count in dispute_counts(db, campaign_id).items()
            if state not in {State.DECIDED, State.SETTLED}
        ),
        qrels=qrels,
        agreement=_known(lambda: _agreement(db, campaign_id)),
        trust=_known(lambda: trust_report(db, campaign_id, choice, measure, steps=steps)),
        depth=_known(lambda: campaign_depth(db, campaign_id, choice, steps)),
        holes=_known(lambda: campaign_holes(db, campaign_id, choice, measure, steps)),
        topics=_known(lambda: campaign_topics(db, campaign_id, choice, measure, steps)),
    )


def _known(make: Callable[[], Result]) -> Result | NotKnown:
    try:
        return make()
    except WorkbenchError as error:
        return NotKnown(error.message)


def _agreement(db: Session, campaign_id: int) -> tuple[Estimate, ...]:
    options = AgreementOptions()
    _, found = coefficients_of(campaign_ratings(db, campaign_id, options), options)
    return tuple(chosen(found, name) for name in COEFFICIENTS)


def _assessors(found: Material) -> tuple[AssessorAnswers, ...]:
    answers = Counter((one.assessor, one.answer) for one in found.judgments)
    names = sorted({one.assessor for one in found.judgments}, key=lambda name: (found.machines[name], name))
    kinds = (Answer.GRADE, Answer.UNSURE, Answer.CANNOT_JUDGE)
    return tuple(
        AssessorAnswers(name, found.machines[name], *(answers[name, kind] for kind in kinds))
        for name in names
    )


_TAG = re.compile(r"<[^<>]*>")
_AT_ONCE = 500


@frozen_dataclass
class SizeRange:
    """Sizes of `n` things of a kind: their mean, median, smallest and largest, all 0 of none."""

    n: int
    mean: float
    median: float
    low: int
    high: int

    @classmethod
    def of(cls, sizes: Sequence[int]) -> SizeRange:
        """The range of some sizes."""
        if not sizes:
            return cls(0, 0.0, 0.0, 0, 0)
        return cls(len(sizes), float(np.mean(sizes)), float(np.median(sizes)), min(sizes), max(sizes))


@frozen_dataclass
class CollectionSize:
    """The classic table of a test collection.

    `listed` is the number of docnos of the whole collection, None where no list was loaded; `documents` are
    the words of those whose text was loaded, `titles` and `statements` those of topics. Words are what blanks
    separate, without tags. `judged` and `relevant` are documents with a grade for each topic of the qrels,
    of which `without_relevant` have none that is relevant.
    """

    listed: int | None
    documents: SizeRange
    titles: SizeRange
    statements: SizeRange
    judged: SizeRange
    relevant: SizeRange
    without_relevant: int


def collection_size(
    db: Session, campaign_id: int, qrels: Iterable[Qrel], *, relevant_from: int
) -> CollectionSize:
    """The size of a campaign's collection as it is now; a negative grade means not judged."""
    topics = topics_of(db, campaign_id)
    graded = [one for one in qrels if one.grade >= 0]
    judged = Counter(one.topic for one in graded)
    relevant = Counter(one.topic for one in graded if one.grade >= relevant_from)
    found = [relevant[topic] for topic in judged]
    listed = select(CollectionListRow.docnos).where(CollectionListRow.campaign_id == campaign_id)
    return CollectionSize(
        listed=db.scalar(listed),
        documents=_words_of_documents(db, campaign_id),
        titles=SizeRange.of([words_in(topic.title) for topic in topics]),
        statements=SizeRange.of(
            [words_in(f"{topic.title} {topic.description} {topic.narrative}") for topic in topics]
        ),
        judged=SizeRange.of(list(judged.values())),
        relevant=SizeRange.of(found),
        without_relevant=found.count(0),
    )


def words_in(text: str) -> int:
    """The words of a text, plain or HTML.

    >>> words_in("<p class='a b'>Tide tables</p> of 1931")
    4
    """
    return len((_TAG.sub(" ", text) if "<" in text else text).split())


def _words_of_documents(db: Session, campaign_id: int) -> SizeRange:
    texts = select(DocumentRow.title, DocumentRow.text).where(DocumentRow.campaign_id == campaign_id)
    rows = db.execute(texts.execution_options(yield_per=_AT_ONCE))
    return SizeRange.of([words_in(title) + words_in(text) for title, text in rows])


def report_markdown(report: CollectionReport) -> str:
    """The whole report, its title first; ends with a line feed."""
    return filled_in(
        "workbench.workflow.trust",
        "report.md.jinja",
        report=report,
        RULES=RULES,
        BANDS=BANDS,
        EQUAL=EQUAL,
        verdict=verdict,
        between=between,
        decimals=decimals,
        value=_value,
        ends=_ends,
    )


def decimals(value: float, places: int) -> str:
    """A figure with a true minus, and no minus before nothing."""
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "−")


def _value(value: float | None) -> str:
    return "undefined" if value is None else decimals(value, 3)


def _ends(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{decimals(low, 3)} to {decimals(high, 3)}"
