"""Drafts of topics: written while searching, judged a little, then taken into the campaign or put aside.

Who wrote a draft changes and judges it; organisers take it into the campaign. A draft is never deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.formats.identifiers import fits
from workbench.records import Topic
from workbench.storage.chunks import chunks
from workbench.storage.tables import (
    AccountRow,
    CampaignRow,
    DraftJudgmentRow,
    PoolRow,
    TopicDraftRow,
    TopicRow,
)
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.checks import checked_client_id, id_finding, storable
from workbench.workflow.clock import utc_now
from workbench.workflow.searching.fitness import (
    DevelopmentRules,
    DraftProgress,
    draft_progress_of,
    rules_from_json,
)
from workbench.workflow.searching.searches import require_search

RULE = "topic_development"
"""The key of the rules among those of the campaign's desks."""
LONGEST_TITLE, LONGEST_TEXT, LONGEST_WHY = 500, 20_000, 2_000
_DIGITS = "0123456789"


class DraftState(StrEnum):
    """What became of a draft so far."""

    OPEN = "open"
    ASIDE = "aside"
    ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class TopicStatement:
    """What a draft says; `revision` counts its changes."""

    title: str = ""
    description: str = ""
    narrative: str = ""
    revision: int = 0


@dataclass(frozen=True, slots=True)
class TopicDraft:
    """A draft as its pages show it; `topic` is its id in the campaign, `pool` has its judgments."""

    id: int
    number: int
    author_id: int
    author: str
    statement: TopicStatement
    state: DraftState
    reason: str
    topic: str | None
    pool: str | None
    begun_at: datetime
    decided_by: str
    decided_at: datetime | None
    progress: DraftProgress

    @property
    def open(self) -> bool:
        """Whether its author can still change it."""
        return self.state is DraftState.OPEN


@dataclass(frozen=True, slots=True)
class DraftGrade:
    """The current grade of a document for a draft, and the search and rank that led to the latest one."""

    docno: str
    grade: int
    search_id: int
    rank: int
    judgment_id: int
    sha256: str | None


def development_rules(db: Session, campaign_id: int) -> DevelopmentRules:
    """When a topic of the campaign is fit, and whether assessors develop any."""
    return rules_from_json(db.get_one(CampaignRow, campaign_id).desk_rules.get(RULE))


def save_development_rules(db: Session, campaign_id: int, rules: DevelopmentRules) -> None:
    """Judge all drafts by these rules from now on; drafts and their judgments stay as they are."""
    row = db.scalars(select(CampaignRow).where(CampaignRow.id == campaign_id).with_for_update()).one()
    row.desk_rules = row.desk_rules | {RULE: rules.to_json()}
    db.flush()


def require_developing(db: Session, campaign_id: int, *, organiser: bool) -> None:
    """Raise Conflict where searching is turned off, and for assessors where only organisers develop."""
    require_search(db, campaign_id)
    if not organiser and not development_rules(db, campaign_id).assessors:
        message = "assessors do not develop topics in this campaign"
        raise Conflict(message, remedy="an organiser can allow it under Topics")


def may_develop(db: Session, campaign_id: int, *, organiser: bool) -> bool:
    """Whether `require_developing` lets somebody develop topics."""
    try:
        require_developing(db, campaign_id, organiser=organiser)
    except Conflict:
        return False
    return True


def begin_draft(db: Session, campaign_id: int, author_id: int, client_id: str) -> int:
    """Begin a draft and return its number; the same client id again gives the number that it has.

    Raises Conflict for the client id of somebody else's draft.
    """
    checked_client_id(client_id)
    # Locked, so that two do not get one number.
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    mine = TopicDraftRow.campaign_id == campaign_id
    known = db.scalar(select(TopicDraftRow).where(mine, TopicDraftRow.client_id == client_id))
    if known is not None:
        if known.author_id != author_id:
            raise Conflict("this client id is taken", remedy="send another one, such as a random UUID")
        return known.number
    number = (db.scalar(select(func.max(TopicDraftRow.number)).where(mine)) or 0) + 1
    db.add(
        TopicDraftRow(
            campaign_id=campaign_id,
            number=number,
            client_id=client_id,
            author_id=author_id,
            begun_at=utc_now(None),
        )
    )
    db.flush()
    return number


def draft_row(db: Session, campaign_id: int, number: int, *, writing: bool = False) -> TopicDraftRow:
    """The row of a draft, locked for `writing`; raises NotFound."""
    chosen = select(TopicDraftRow).where(
        TopicDraftRow.campaign_id == campaign_id, TopicDraftRow.number == number
    )
    row = db.scalar(chosen.with_for_update() if writing else chosen)
    if row is None:
        raise NotFound(f"there is no draft {number} of a topic", remedy="see the list of drafts")
    return row


def own_open_draft(
    db: Session, campaign_id: int, number: int, author_id: int, *, writing: bool = True
) -> TopicDraftRow:
    """A draft that its author may change, locked for `writing`; raises NotFound, Conflict once decided."""
    row = draft_row(db, campaign_id, number, writing=writing)
    if row.author_id != author_id:
        raise NotFound("this draft is somebody else's", remedy="begin one of your own")
    require_open_draft(row)
    return row


def require_open_draft(row: TopicDraftRow) -> None:
    """Raise Conflict for a draft that was taken into the campaign or put aside."""
    if row.state == DraftState.ACCEPTED:
        raise Conflict(f"this draft is topic {row.topic} now", remedy="see the topic")
    if row.state == DraftState.ASIDE:
        raise Conflict("this draft was put aside", remedy="take it up again first")


def change_statement(
    db: Session, campaign_id: int, number: int, author_id: int, statement: TopicStatement
) -> int:
    """Write what a draft says and return its revision; the same again changes nothing.

    Raises Conflict where another tab has changed it since the revision that the writer saw, InvalidInput for
    a text that is too long.
    """
    row = own_open_draft(db, campaign_id, number, author_id)
    texts = {
        "title": " ".join(storable(statement.title).split()),
        "description": storable(statement.description).strip(),
        "narrative": storable(statement.narrative).strip(),
    }
    if all(getattr(row, name) == text for name, text in texts.items()):
        return row.revision
    findings = [
        Finding("Topic", None, name, f"it has {len(text):,} characters", f"at most {most:,}")
        for (name, text), most in zip(texts.items(), (LONGEST_TITLE, LONGEST_TEXT, LONGEST_TEXT), strict=True)
        if len(text) > most
    ]
    if findings:
        raise InvalidInput(findings)
    if row.revision != statement.revision:
        message = "another tab or window has changed this topic since"
        raise Conflict(message, remedy="compare with what is stored, then save again")
    for name, text in texts.items():
        setattr(row, name, text)
    row.revision += 1
    db.flush()
    return row.revision


def set_draft_aside(db: Session, row: TopicDraftRow, reason: str, *, by: int) -> None:
    """Put a draft aside for a reason; the same again changes nothing.

    Raises InvalidInput without a reason, Conflict where it is decided otherwise.
    """
    why = storable(" ".join(reason.split()))
    if row.state == DraftState.ASIDE and row.reason == why:
        return
    require_open_draft(row)
    if not 0 < len(why) <= LONGEST_WHY:
        message = "the reason is missing" if not why else f"it has {len(why):,} characters"
        raise InvalidInput([Finding("Draft", None, "reason", message, f"1 to {LONGEST_WHY:,} characters")])
    _decide(db, row, DraftState.ASIDE, by, reason=why)


def take_draft_up(db: Session, row: TopicDraftRow, *, by: int) -> None:
    """Go on with a draft that was put aside; one that is open stays so. Raises Conflict for one taken."""
    if row.state == DraftState.ACCEPTED:
        require_open_draft(row)
    if row.state == DraftState.ASIDE:
        _decide(db, row, DraftState.OPEN, by)


def take_into_campaign(
    db: Session, row: TopicDraftRow, topic: str, *, by: int, revision: int | None = None
) -> None:
    """Make a topic of the campaign of a draft; the draft stays beside it, with its judgments.

    Raises InvalidInput for an id that cannot be or without a title, Conflict for an id that is taken, and
    where the draft is decided otherwise or is no longer at the `revision` that was read; the same id again
    changes nothing.
    """
    if row.state == DraftState.ACCEPTED and row.topic == topic:
        return
    require_open_draft(row)
    if revision is not None and row.revision != revision:
        raise Conflict("its author has changed this draft since", remedy="read it again, then decide")
    wrong = id_finding(topic, what="topic", source="Topic")
    findings = []
    if wrong is not None or not fits(topic):
        remedy = "letters, digits and signs without spaces"
        findings.append(Finding("Topic", None, "topic", "this is no id of a topic", remedy))
    if not row.title:
        findings.append(Finding("Topic", None, "title", "the title is missing", "its author writes one"))
    if findings:
        raise InvalidInput(findings)
    # Locked, so that two drafts do not become one topic, nor two topics get one position.
    db.get_one(CampaignRow, row.campaign_id, with_for_update=True)
    if db.get(TopicRow, (row.campaign_id, topic)) is not None:
        raise Conflict(f"the campaign has a topic {topic} already", remedy="give another id")
    made = Topic(topic, row.title, row.description, row.narrative)
    load_topics(db, row.campaign_id, [made], source=f"draft {row.number}")
    row.topic = topic
    _decide(db, row, DraftState.ACCEPTED, by)


def next_topic_id(topics: Sequence[str]) -> str:
    """An id that continues those of the campaign; empty where the last of them ends with no number."""
    if not topics:
        return "1"
    kind, digits = _parted(topics[-1])
    if not digits:
        return ""
    highest = max(int(number) for stem, number in map(_parted, topics) if stem == kind and number)
    return f"{kind}{highest + 1:0{len(digits)}}"


def _parted(topic: str) -> tuple[str, str]:
    """An id without the number that it ends with, and this number."""
    stem = topic.rstrip(_DIGITS)
    return stem, topic[len(stem) :]


def draft_grades(db: Session, draft_id: int) -> tuple[DraftGrade, ...]:
    """The current grades of a draft, in the order in which their documents were judged first."""
    return _grades(db, [draft_id]).get(draft_id, ())


def topic_draft(db: Session, campaign_id: int, number: int) -> TopicDraft:
    """A draft with what was judged for it; raises NotFound."""
    row = draft_row(db, campaign_id, number)
    return _shown(db, row, draft_grades(db, row.id))


def topic_drafts(db: Session, campaign_id: int, *, author_id: int | None = None) -> tuple[TopicDraft, ...]:
    """The drafts of a campaign, latest first: all, or those of an author."""
    chosen = select(TopicDraftRow).where(TopicDraftRow.campaign_id == campaign_id)
    if author_id is not None:
        chosen = chosen.where(TopicDraftRow.author_id == author_id)
    rows = db.scalars(chosen.order_by(TopicDraftRow.number.desc())).all()
    grades = _grades(db, [row.id for row in rows])
    return tuple(_shown(db, row, grades.get(row.id, ())) for row in rows)


def _grades(db: Session, draft_ids: Sequence[int]) -> dict[int, tuple[DraftGrade, ...]]:
    row = DraftJudgmentRow
    found: dict[int, dict[str, DraftGrade]] = {}
    for some in chunks(draft_ids):
        for one in db.scalars(select(row).where(row.draft_id.in_(some)).order_by(row.id)):
            # A later grade takes the place of the first.
            found.setdefault(one.draft_id, {})[one.docno] = DraftGrade(
                one.docno, one.grade, one.search_id, one.rank, one.id, one.document_sha256
            )
    return {number: tuple(grades.values()) for number, grades in found.items()}


def _shown(db: Session, row: TopicDraftRow, grades: Sequence[DraftGrade]) -> TopicDraft:
    campaign = db.get_one(CampaignRow, row.campaign_id)
    least = scale_from_json(campaign.scale).relevant_from
    relevance = [one.grade >= least for one in grades]
    pool = db.get(PoolRow, row.kept_in) if row.kept_in is not None else None
    return TopicDraft(
        id=row.id,
        number=row.number,
        author_id=row.author_id,
        author=_name(db, row.author_id),
        statement=TopicStatement(row.title, row.description, row.narrative, row.revision),
        state=DraftState(row.state),
        reason=row.reason,
        topic=row.topic,
        pool=pool.name if pool is not None else None,
        begun_at=row.begun_at,
        decided_by=_name(db, row.decided_by),
        decided_at=row.decided_at,
        progress=draft_progress_of(
            relevance, rules_from_json(campaign.desk_rules.get(RULE)), documents=campaign.documents
        ),
    )


def _name(db: Session, account_id: int | None) -> str:
    return db.get_one(AccountRow, account_id).name if account_id is not None else ""


def _decide(db: Session, row: TopicDraftRow, state: DraftState, by: int, *, reason: str = "") -> None:
    row.state, row.reason = str(state), reason
    row.decided_by, row.decided_at = by, utc_now(None)
    db.flush()
