"""Campaigns: created, changed and found, and their scales of grades."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from typing_extensions import TypedDict

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, WorkbenchError
from workbench.frozen import filled, frozen_dataclass, record_of
from workbench.records import RESERVED_KEYS, SCALES, Grade, Scale
from workbench.storage import locks
from workbench.storage.engine import WRITES
from workbench.storage.tables import (
    AccountRow,
    CampaignRow,
    InstructionsRow,
    JudgmentEventRow,
    MemberRow,
)
from workbench.workflow.people.membership import Role


class GradeJson(TypedDict):
    """A grade of a scale; `weight`, 0 to 3, is its colour."""

    value: int
    label: str
    key: str
    definition: str
    weight: int


class ScaleJson(TypedDict):
    """The grades of a campaign, lowest first, and the lowest one that counts as relevant."""

    relevant_from: int
    grades: list[GradeJson]


class CampaignJson(TypedDict):
    """A campaign; `slug` names it in addresses and commands."""

    slug: str
    name: str
    scale: ScaleJson


def scale_to_json(scale: Scale) -> dict[str, Any]:
    """A scale as JSON, as stored and as `--scale FILE` reads it."""
    return {"relevant_from": scale.relevant_from, "grades": [asdict(grade) for grade in scale.grades]}


def scale_from_json(data: object) -> Scale:
    """The scale that a JSON object describes.

    `{"relevant_from": 1, "grades": [{"value": 0, "label": "No", "key": "0"}, ...]}`; key, definition and
    weight are optional. Raises WorkbenchError, naming the grade, for anything else.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("grades"), list):
        raise WorkbenchError(
            "a scale is an object with a list of grades",
            remedy='see the example on the help page "Scale and guidelines"',
        )
    grades = tuple(_grade(index, entry, len(data["grades"])) for index, entry in enumerate(data["grades"]))
    relevant_from = data.get("relevant_from")
    if not isinstance(relevant_from, int) or isinstance(relevant_from, bool):
        raise WorkbenchError("relevant_from must be the value of a grade")
    return Scale(grades, relevant_from=relevant_from)


def named_scale(name: str) -> Scale:
    """A predefined scale by name; raises WorkbenchError, listing them, for an unknown name."""
    try:
        return SCALES[name]
    except KeyError:
        raise WorkbenchError(
            f"{name} is not a predefined scale",
            remedy=f"choose one of {', '.join(SCALES)}, or name a JSON file (workbench help settings)",
        ) from None


def _grade(index: int, entry: object, count: int) -> Grade:
    if not isinstance(entry, Mapping):
        raise WorkbenchError(f"grade {index + 1} of the scale is not an object")
    value, weight = entry.get("value", index), entry.get("weight", round(3 * index / max(1, count - 1)))
    if not isinstance(value, int) or isinstance(value, bool) or not isinstance(weight, int):
        raise WorkbenchError(f"grade {index + 1} of the scale: value and weight are whole numbers")
    label = str(entry.get("label", "")).strip()
    key = str(entry.get("key", value if 0 <= value <= 9 else "")).strip()
    return Grade(value, label, key, str(entry.get("definition", "")).strip(), weight)


def changed_meanings(before: Scale, after: Scale) -> tuple[str, ...]:
    """What an assessor who knows one scale would take wrongly in the other, a sentence each."""
    found = []
    old = {grade.value: grade for grade in before.grades}
    given = {grade.key.casefold(): grade for grade in before.grades if grade.key}
    for grade in after.grades:
        was, had = old.get(grade.value), given.get(grade.key.casefold())
        if was is not None and was.label != grade.label:
            found.append(f"grade {grade.value} is called “{grade.label}”, it was “{was.label}”")
        if was is not None and was.definition != grade.definition:
            found.append(f"grade {grade.value} has another definition")
        if had is not None and had.value != grade.value:
            found.append(f"key {grade.key} gives “{grade.label}”, it gave “{had.label}”")
    if before.relevant_from != after.relevant_from:
        found.append(f"grades from {after.relevant_from} count as relevant, not from {before.relevant_from}")
    return tuple(found)


def refuse_reserved(scale: Scale, *, before: Scale | None = None) -> None:
    """Raise InvalidInput if a new scale has a grade key that the judging desk uses for a command.

    A key that the scale `before` has may stay: it then gives the grade, and the command has no key.
    """
    old = {grade.key.casefold() for grade in before.grades} if before is not None else set()
    findings = [
        Finding(
            "Scale",
            None,
            "scale",
            f"the key {grade.key} of {grade.label!r} is used by a command of the judging desk",
            "use a digit, or a letter other than " + " ".join(sorted(RESERVED_KEYS - {" "})),
        )
        for grade in scale.grades
        if grade.key.casefold() in RESERVED_KEYS - old
    ]
    if findings:
        raise InvalidInput(findings)


ARCHIVED = "this campaign is archived: nothing in it can be changed"
RESTORE = "an organiser can restore it in its settings"
LONGEST_NAME = 200
LONGEST_GUIDELINES = 200_000
"""In characters, of whichever script."""
DELETED = "~"
"""How the slug of a campaign begins that is being deleted."""


@frozen_dataclass
class Campaign:
    """A campaign builds one test collection; `slug` is its name in URLs and commands.

    Nothing can be changed in one that has `archived_at`; `instructions` is a version of scale and guidelines.
    """

    id: int
    slug: str
    name: str
    scale: Scale
    guidelines: str
    illustrative: bool
    created_at: datetime
    archived_at: datetime | None
    instructions: int


def count_document_changes(db: Session, campaign_id: int, documents: int) -> None:
    """Count so many documents as written: by this a search index knows that it is behind."""
    if documents:
        row = update(CampaignRow).where(CampaignRow.id == campaign_id)
        db.execute(row.values(document_changes=CampaignRow.document_changes + documents))


def create_campaign(
    db: Session,
    *,
    name: str,
    scale: Scale,
    guidelines: str = "",
    organiser: int | None = None,
    slug: str | None = None,
    illustrative: bool = False,
) -> Campaign:
    """Create a campaign; `organiser` is the account that becomes its organiser.

    Raises WorkbenchError for an empty name or a grade key that the judging desk uses, Conflict for a
    slug that is taken.
    """
    name = _checked_name(name)
    refuse_reserved(scale)
    if slug is not None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug):
            raise WorkbenchError(
                f"{slug!r} cannot be used in a URL", remedy="use lower-case letters, digits and hyphens"
            )
        if _slug_used(db, slug):
            raise slug_conflict(slug)
    row = CampaignRow(
        slug=slug or free_slug(db, name),
        name=name,
        scale=scale_to_json(scale),
        guidelines=guidelines,
        illustrative=illustrative,
        created_at=datetime.now(UTC),
    )
    while not _added(db, row):
        # Somebody else took the short name at this moment.
        if slug is not None:
            raise slug_conflict(slug)
        row.slug = free_slug(db, name)
    _keep_instructions(db, row, organiser)
    db.flush()
    if organiser is not None:
        db.add(MemberRow(campaign_id=row.id, account_id=organiser, role=Role.ORGANISER))
        db.flush()
    return _campaign(row)


def change_campaign(
    db: Session, campaign_id: int, *, name: str, guidelines: str, scale: Scale, by: int | None = None
) -> Campaign:
    """Change the name, guidelines and scale of a campaign; other guidelines or grades are a new version.

    Raises Conflict if grade values would change once there are judgments, which store the values.
    """
    row = db.get_one(CampaignRow, campaign_id)
    old, new = scale_from_json(row.scale), scale
    refuse_reserved(new, before=old)
    if [g.value for g in old.grades] != [g.value for g in new.grades] and anything_judged(db, campaign_id):
        raise Conflict(
            "grade values cannot change once there are judgments",
            remedy="change only labels, keys, definitions, colours and the relevance threshold",
        )
    shown = row.guidelines, scale_to_json(old)
    row.name, row.guidelines, row.scale = _checked_name(name), guidelines, scale_to_json(new)
    if shown != (row.guidelines, row.scale):
        row.instructions += 1
        _keep_instructions(db, row, by)
    db.flush()
    return _campaign(row)


@frozen_dataclass
class Instructions:
    """A version of the guidelines and the scale of a campaign; `saved_by` is a name, empty if unknown."""

    version: int
    guidelines: str
    scale: Scale
    saved_by: str
    saved_at: datetime


def instructions_of(db: Session, campaign_id: int) -> tuple[Instructions, ...]:
    """All versions of what the assessors of a campaign were told, the newest first."""
    row = InstructionsRow
    chosen = select(row, AccountRow.name).outerjoin(AccountRow, AccountRow.id == row.saved_by)
    found = db.execute(chosen.where(row.campaign_id == campaign_id).order_by(row.version.desc()))
    return tuple(
        record_of(Instructions, one, scale=scale_from_json(one.scale), saved_by=name or "")
        for one, name in found
    )


def restore_instructions(
    db: Session, campaign_id: int, versions: Iterable[tuple[int, str, Scale, datetime]]
) -> None:
    """Give a new campaign the versions, oldest first, that it had elsewhere, each with when it was saved."""
    db.execute(delete(InstructionsRow).where(InstructionsRow.campaign_id == campaign_id))
    for version, guidelines, scale, saved_at in versions:
        values = {"guidelines": guidelines, "scale": scale_to_json(scale), "saved_at": saved_at}
        db.add(InstructionsRow(campaign_id=campaign_id, version=version, **values))
        db.get_one(CampaignRow, campaign_id).instructions = version
    db.flush()


def _keep_instructions(db: Session, row: CampaignRow, by: int | None) -> None:
    db.add(
        InstructionsRow(
            campaign_id=row.id,
            version=row.instructions,
            guidelines=row.guidelines,
            scale=row.scale,
            saved_by=by,
            saved_at=datetime.now(UTC),
        )
    )


def campaign_by_slug(db: Session, slug: str, *, even_archived: bool = False) -> Campaign:
    """The campaign with this slug; raises NotFound.

    A transaction that writes waits its turn here (`storage.locks`). It raises Conflict for an archived one,
    so that no command changes it.
    """
    chosen = select(CampaignRow).where(CampaignRow.slug == slug)
    row = db.scalar(chosen)
    if row is not None and WRITES in db.info:
        locks.change(db, row.id)
        row = db.scalar(chosen.execution_options(populate_existing=True))
    if row is None or slug.startswith(DELETED):
        raise NotFound(f"there is no campaign {slug!r}", remedy="workbench campaign list shows them")
    if row.archived_at is not None and WRITES in db.info and not even_archived:
        raise Conflict(ARCHIVED, remedy="restore it first, on its settings page")
    return _campaign(row)


def campaign_of(db: Session, campaign_id: int) -> Campaign:
    """The campaign with this id; raises NotFound."""
    row = db.get(CampaignRow, campaign_id)
    if row is None or row.slug.startswith(DELETED):
        raise NotFound("there is no such campaign")
    return _campaign(row)


def all_campaigns(db: Session, *, archived: bool = False) -> tuple[Campaign, ...]:
    """All campaigns that are not archived, or those that are, by name; for the command line."""
    column = CampaignRow.archived_at
    chosen = select(CampaignRow).where(column.is_not(None) if archived else column.is_(None))
    chosen = chosen.where(CampaignRow.slug.not_like(f"{DELETED}%"))
    return tuple(_campaign(row) for row in db.scalars(chosen.order_by(CampaignRow.name)))


def _campaign(row: CampaignRow) -> Campaign:
    return record_of(Campaign, row, scale=scale_from_json(row.scale))


def _checked_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise WorkbenchError("the name is missing")
    if len(name) > 200:
        raise WorkbenchError(f"the name has {len(name)} characters", remedy="at most 200")
    return name


def slug_conflict(slug: str) -> Conflict:
    """The error where another campaign has the slug that was asked for."""
    return Conflict(f"the campaign {slug} already exists", remedy="give another short name with --slug")


def free_slug(db: Session, name: str) -> str:
    """A slug that no campaign has, derived from a name."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^a-z0-9]+", "-", ascii_name.lower()).strip("-")[:60].strip("-") or "campaign"
    slug, number = stem, 2
    while _slug_used(db, slug):
        slug, number = f"{stem}-{number}", number + 1
    return slug


def _added(db: Session, row: CampaignRow) -> bool:
    """Whether a row could be added; not where its slug was taken since it was found free."""
    try:
        with db.begin_nested():
            db.add(row)
    except IntegrityError:
        if not _slug_used(db, row.slug):
            raise
        return False
    return True


def _slug_used(db: Session, slug: str) -> bool:
    return db.scalar(select(func.count()).where(CampaignRow.slug == slug)) != 0


def anything_judged(db: Session, campaign_id: int) -> bool:
    """Whether there is a judgment in a campaign."""
    first = select(JudgmentEventRow.id).where(JudgmentEventRow.campaign_id == campaign_id).limit(1)
    return db.scalar(first) is not None


def campaign_json(campaign: Campaign) -> CampaignJson:
    """A campaign with its scale."""
    return filled(CampaignJson, campaign, scale=scale_to_json(campaign.scale))
