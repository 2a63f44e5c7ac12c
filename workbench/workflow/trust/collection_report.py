"""The report on a collection: all that is known of it, for an organiser to hand to a reviewer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from sqlalchemy.orm import Session

from workbench.agreement.estimates import Estimate, chosen
from workbench.agreement.options import AgreementOptions
from workbench.consensus.rule_choice import RuleChoice
from workbench.errors import WorkbenchError
from workbench.records import Answer, Scale, Verdict
from workbench.trust.alternatives import ranking_measure
from workbench.trust.depth import DeeperPool
from workbench.trust.fewer_topics import FewerTopics
from workbench.trust.holes import Holes
from workbench.workflow.adjudication.dispute_counts import dispute_counts
from workbench.workflow.adjudication.queue import State
from workbench.workflow.agreement.report import campaign_coefficients
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.clock import utc_now
from workbench.workflow.pools.listing import PoolLine, pools_of
from workbench.workflow.qrels.qrels import Material, QrelsReport, material, qrels_of
from workbench.workflow.runs.run_records import runs_of
from workbench.workflow.scores.score_table import Coverage, coverage_of
from workbench.workflow.steps import Steps, quietly
from workbench.workflow.trust.collection_size import CollectionSize, collection_size
from workbench.workflow.trust.questions import campaign_depth, campaign_holes, campaign_topics
from workbench.workflow.trust.report import TrustReport, trust_report

Result = TypeVar("Result")
COEFFICIENTS = ("pooled", "unpooled", "alpha")


@dataclass(frozen=True, slots=True)
class NotKnown:
    """Why a figure is not known."""

    reason: str


@dataclass(frozen=True, slots=True)
class AssessorAnswers:
    """The current answers of an assessor, by kind."""

    name: str
    machine: bool
    grades: int
    unsure: int
    cannot_judge: int


@dataclass(frozen=True, slots=True)
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
    *,
    choice: RuleChoice,
    measure: str,
    now: datetime | None = None,
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
        (one.topic, one.docno)
        for one in found.judgments
        if one.grade is not None and not found.machines[one.assessor]
    )
    return CollectionReport(
        name=campaign.name,
        at=utc_now(now),
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
        trust=_known(lambda: trust_report(db, campaign_id, choice=choice, measure=measure, steps=steps)),
        depth=_known(lambda: campaign_depth(db, campaign_id, choice=choice, steps=steps)),
        holes=_known(lambda: campaign_holes(db, campaign_id, choice=choice, measure=measure, steps=steps)),
        topics=_known(lambda: campaign_topics(db, campaign_id, choice=choice, measure=measure, steps=steps)),
    )


def _known(make: Callable[[], Result]) -> Result | NotKnown:
    try:
        return make()
    except WorkbenchError as error:
        return NotKnown(error.message)


def _agreement(db: Session, campaign_id: int) -> tuple[Estimate, ...]:
    _, found = campaign_coefficients(db, campaign_id, AgreementOptions())
    return tuple(chosen(found, name) for name in COEFFICIENTS)


def _assessors(found: Material) -> tuple[AssessorAnswers, ...]:
    answers = Counter((one.assessor, one.answer) for one in found.judgments)
    names = sorted({one.assessor for one in found.judgments}, key=lambda name: (found.machines[name], name))
    kinds = (Answer.GRADE, Answer.UNSURE, Answer.CANNOT_JUDGE)
    return tuple(
        AssessorAnswers(name, found.machines[name], *(answers[name, kind] for kind in kinds))
        for name in names
    )
