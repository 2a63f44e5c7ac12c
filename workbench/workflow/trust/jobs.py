"""The questions of trust as jobs: each takes seconds to minutes, and its answer stays until things change."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench import __version__
from workbench.consensus.rules import RuleChoice
from workbench.records import id_bytes
from workbench.storage.events import newest_events
from workbench.storage.tables import (
    AdjudicationEventRow,
    AssessorRow,
    CampaignRow,
    PoolEntryRow,
    PoolRow,
    RunRow,
)
from workbench.trust.depth import DeeperPool
from workbench.trust.fewer_topics import FewerTopics
from workbench.trust.holes import Holes
from workbench.workflow.jobs import Doing, result_bytes
from workbench.workflow.trust.collection_report import CollectionReport, collection_report, report_markdown
from workbench.workflow.trust.questions import (
    Rankings,
    campaign_depth,
    campaign_holes,
    campaign_topics,
    rankings,
)

TRUST = "trust"
ANSWERS: Mapping[str, type[Any]] = {
    "rankings": Rankings,
    "depth": DeeperPool,
    "holes": Holes,
    "topics": FewerTopics,
}
"""What each question is answered by; the report on the collection is text."""
COLLECTION = "collection"
_COMPUTED: Mapping[str, Callable[..., object]] = {
    "rankings": rankings,
    "depth": campaign_depth,
    "holes": campaign_holes,
    "topics": campaign_topics,
}


def question_arguments(question: str, choice: RuleChoice, measure: str) -> dict[str, Any]:
    """The arguments of the job that answers a question."""
    given = {"rule": choice.rule, "machines": choice.machines, "given": sorted(choice.parameters().items())}
    return {"question": question, "measure": measure, **given}


def answer_question(doing: Doing) -> bytes:
    """The answer to a question; raises WorkbenchError as the question does."""
    asked = doing.job.arguments
    choice = RuleChoice(
        asked["rule"], asked["machines"], tuple((name, text) for name, text in asked["given"])
    )
    about: dict[str, Any] = {"choice": choice, "steps": doing.steps}
    question = asked["question"]
    if question != "depth":
        about["measure"] = asked["measure"]
    with doing.database.reading() as db:
        found = _COMPUTED.get(question, collection_report)(db, doing.campaign_id, **about)
    if isinstance(found, CollectionReport):
        return report_markdown(found).encode("utf-8", "replace")
    return result_bytes(found)


def state_of(db: Session, campaign_id: int) -> str:
    """A hash of what answers depend on: judgments, decisions, runs, pools, scale, and the program."""
    found: list[object] = [__version__, sorted(newest_events(db, campaign_id).items())]
    newest = select(func.max(AdjudicationEventRow.id)).where(AdjudicationEventRow.campaign_id == campaign_id)
    found.append(db.scalar(newest))
    entries = select(func.count()).select_from(PoolEntryRow).join(PoolRow)
    found.append(db.scalar(entries.where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))))
    for chosen in (
        select(RunRow.tag, RunRow.sha256, RunRow.verdict, RunRow.group_id, RunRow.replaced_at)
        .where(RunRow.campaign_id == campaign_id)
        .order_by(RunRow.id),
        select(PoolRow.id, PoolRow.opened_at, PoolRow.created_at)
        .where(PoolRow.campaign_id == campaign_id)
        .order_by(PoolRow.id),
        select(AssessorRow.id, AssessorRow.name, AssessorRow.machine)
        .where(AssessorRow.campaign_id == campaign_id)
        .order_by(AssessorRow.id),
    ):
        found += [tuple(row) for row in db.execute(chosen)]
    campaign = db.get_one(CampaignRow, campaign_id)
    found += [campaign.scale, campaign.name]
    return hashlib.sha256(id_bytes(repr(found))).hexdigest()
