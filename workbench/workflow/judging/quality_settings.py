"""What an organiser sets for quality: how often checks appear, and pairs with a known answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput, NotFound
from workbench.formats.graded_pairs import GradedPair
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.storage.events import PLANTED, TRAINING
from workbench.storage.tables import CampaignRow, KnownAnswerRow, PoolEntryRow, PoolRow
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import topic_titles, with_text
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.desk_rules import change_rules
from workbench.workflow.judging.quality_checks import (
    CHECKS_RULE,
    FARTHEST,
    MOST_OFTEN,
    RAREST,
    CheckRules,
    check_rules,
)

LONGEST_FEEDBACK = 4000


MOST_FINDINGS = 1000


KINDS = (PLANTED, TRAINING)


@frozen_dataclass
class KnownPairCounts:
    """The pairs with a known answer: planted and for training, and how many of each stand in a pool."""

    planted: int
    training: int
    planted_in_pool: int
    training_in_pool: int


@frozen_dataclass
class KnownLoaded:
    """What became of a file of known answers: `changed` had another grade or feedback before."""

    source: str
    added: int
    changed: int
    unchanged: int


def save_check_rules(
    db: Session, campaign_id: int, rules: CheckRules, *, now: datetime | None = None
) -> CheckRules:
    """Save the rules; they apply to what is judged from now on. Returns them as saved.

    Raises InvalidInput for a rate, a distance or a pass mark out of range.
    """
    findings = []
    if rules.one_in is not None and not MOST_OFTEN <= rules.one_in <= RAREST:
        message = f"one repeat in {rules.one_in} documents is out of range"
        findings.append(
            Finding(
                "Quality checks",
                None,
                "one_in",
                message,
                f"enter {MOST_OFTEN} to {RAREST:,}, or leave it empty",
            )
        )
    if not 1 <= rules.distance <= FARTHEST:
        message = f"a distance of {rules.distance} documents is out of range"
        findings.append(Finding("Quality checks", None, "distance", message, f"enter 1 to {FARTHEST:,}"))
    if rules.least is not None and not 1 <= rules.least <= 100:
        message = f"a pass mark of {rules.least} % is out of range"
        findings.append(
            Finding("Quality checks", None, "least", message, "enter 1 to 100, or leave it empty")
        )
    if findings:
        raise InvalidInput(findings)
    row = db.get_one(CampaignRow, campaign_id, with_for_update=True)
    return _save(db, row, rules, now)


def load_known_answers(
    db: Session,
    campaign_id: int,
    answers: Iterable[GradedPair],
    *,
    purpose: str,
    source: str,
    added_by: int | None = None,
    now: datetime | None = None,
) -> KnownLoaded:
    """Add pairs with a known answer, planted or for training; those that are there already get the new one.

    Raises InvalidInput with every unknown topic, grade outside the scale, and document without a text; then
    nothing is kept.
    """
    if purpose not in KINDS:
        raise ValueError(f"{purpose!r} is not a purpose of a known answer")
    campaign = db.get_one(CampaignRow, campaign_id, with_for_update=True)
    answers = tuple(answers)
    findings = list(_wrong(db, campaign, answers, source))
    if findings:
        raise InvalidInput(findings[:MOST_FINDINGS])
    counts = {"added": 0, "changed": 0, "unchanged": 0}
    current = {(row.topic, row.docno): row for row in _known(db, campaign_id, purpose)}
    moment = utc_now(now)
    for one in answers:
        feedback = storable(one.words)[:LONGEST_FEEDBACK]
        row = current.get((one.topic, one.docno))
        if row is None:
            db.add(
                KnownAnswerRow(
                    campaign_id=campaign_id, topic=one.topic, docno=one.docno, purpose=purpose,
                    grade=one.grade, feedback=feedback, added_by=added_by, added_at=moment,
                )
            )  # fmt: skip
            counts["added"] += 1
        elif (row.grade, row.feedback) != (one.grade, feedback):
            row.grade, row.feedback = one.grade, feedback
            counts["changed"] += 1
        else:
            counts["unchanged"] += 1
    if counts["added"]:
        _save(db, campaign, check_rules(campaign.desk_rules) or CheckRules(), now)
    db.flush()
    return KnownLoaded(source, **counts)


def remove_known_answers(db: Session, campaign_id: int, *, purpose: str) -> int:
    """Remove the pairs of a purpose; their answers stay. Returns how many."""
    removed = len(_known(db, campaign_id, purpose))
    db.execute(
        delete(KnownAnswerRow).where(
            KnownAnswerRow.campaign_id == campaign_id, KnownAnswerRow.purpose == purpose
        )
    )
    db.flush()
    return removed


def change_known_answer(
    db: Session, campaign_id: int, *, purpose: str, pair: tuple[str, str], grade: int
) -> None:
    """Correct the known grade of one pair; answers so far are compared with the new one.

    Raises NotFound for a pair that is not known, WorkbenchError for a grade outside the scale.
    """
    row = _known_row(db, campaign_id, purpose, pair)
    scale_from_json(db.get_one(CampaignRow, campaign_id).scale).grade(grade)
    row.grade = grade
    db.flush()


def remove_known_answer(db: Session, campaign_id: int, *, purpose: str, pair: tuple[str, str]) -> None:
    """Remove one pair; its answers stay. Raises NotFound for a pair that is not known."""
    db.delete(_known_row(db, campaign_id, purpose, pair))
    db.flush()


def _known_row(db: Session, campaign_id: int, purpose: str, pair: tuple[str, str]) -> KnownAnswerRow:
    row = db.get(KnownAnswerRow, (campaign_id, *pair, purpose))
    if row is None:
        raise NotFound("this pair has no known answer any more", remedy="load the page again")
    return row


def known_pairs(db: Session, campaign_id: int) -> KnownPairCounts:
    """How many pairs with a known answer a campaign has."""
    known = KnownAnswerRow
    counted = select(known.purpose, func.count()).where(known.campaign_id == campaign_id)
    pooled = (
        select(PoolEntryRow.docno)
        .join(PoolRow, PoolRow.id == PoolEntryRow.pool_id)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolEntryRow.topic == known.topic,
            PoolEntryRow.docno == known.docno,
        )
        .exists()
    )
    every = dict(db.execute(counted.group_by(known.purpose)).all())
    inside = dict(db.execute(counted.where(pooled).group_by(known.purpose)).all())
    return KnownPairCounts(
        every.get(PLANTED, 0), every.get(TRAINING, 0), inside.get(PLANTED, 0), inside.get(TRAINING, 0)
    )


def _save(db: Session, row: CampaignRow, rules: CheckRules, now: datetime | None) -> CheckRules:
    moment = utc_now(now)
    kept = asdict(rules) | {"since": moment.isoformat()}
    change_rules(db, row, {CHECKS_RULE: kept})
    return replace(rules, since=moment)


def _known(db: Session, campaign_id: int, purpose: str) -> list[KnownAnswerRow]:
    known = KnownAnswerRow
    return list(db.scalars(select(known).where(known.campaign_id == campaign_id, known.purpose == purpose)))


def _wrong(
    db: Session, campaign: CampaignRow, answers: tuple[GradedPair, ...], source: str
) -> Iterable[Finding]:
    values = {grade.value for grade in scale_from_json(campaign.scale).grades}
    topics = topic_titles(db, campaign.id)
    texts = with_text(db, campaign.id, [one.docno for one in answers])
    for one in answers:
        if one.topic not in topics:
            message = f"topic {one.topic!r} is not in this campaign"
            yield Finding(source, one.line, "unknown-topic", message, "load the topic, or remove the line")
        if one.grade not in values:
            message = f"{one.grade} is not on this scale"
            yield Finding(
                source, one.line, "grade", message, f"use one of {', '.join(map(str, sorted(values)))}"
            )
        if one.docno not in texts:
            message = f"the text of document {one.docno!r} is not loaded"
            yield Finding(source, one.line, "no-text", message, "load the document first")
