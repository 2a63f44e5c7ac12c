"""What a campaign requires of its runs: the rules for findings, and the list of the collection's docnos."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import PurePath
from typing import BinaryIO

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from workbench.errors import NotFound, rejected
from workbench.figures import counted
from workbench.formats.identifiers import read_ids
from workbench.formats.run_rules import RunRules, rules_from_json
from workbench.formats.source import Bounded, open_source
from workbench.frozen import frozen_dataclass
from workbench.pooling.depth import DEPTH
from workbench.storage.tables import AccountRow, CampaignRow, CollectionListRow, PoolRow, RunRow


def rules_of(db: Session, campaign_id: int) -> RunRules:
    """The rules for runs of a campaign."""
    return rules_from_json(db.get_one(CampaignRow, campaign_id).run_rules)


def keep_rules(db: Session, campaign_id: int, rules: RunRules) -> None:
    """Set the rules of a campaign; existing runs are not affected."""
    db.get_one(CampaignRow, campaign_id, with_for_update=True).run_rules = rules.to_json()
    db.flush()


def require_open(
    db: Session, campaign_id: int, group_id: int | None, source: str, *, replacing: bool
) -> None:
    """Raise InvalidInput after the last day, and for a new run of a group that has sent all it can."""
    rules = rules_of(db, campaign_id)
    if rules.last_day is not None and datetime.now(UTC).date() > rules.last_day:
        message = f"the campaign took runs until {rules.last_day.isoformat()} (UTC)"
        raise rejected(source, None, "closed", message, "ask the organiser")
    if rules.max_per_group is None or replacing:
        return
    sent = select(func.count()).where(
        RunRow.campaign_id == campaign_id, RunRow.group_id == group_id, RunRow.replaced_at.is_(None)
    )
    if (db.scalar(sent) or 0) >= rules.max_per_group:
        message = f"a group can send {counted(rules.max_per_group, 'run')}, and yours has sent as many"
        raise rejected(source, None, "too-many-runs", message, "replace or withdraw a run")


def cut_of(db: Session, campaign_id: int) -> int | None:
    """The depth of the campaign's latest pool of depth, None where there is none."""
    pools = select(PoolRow.recipe).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id.desc())
    for recipe in db.scalars(pools):
        if recipe.get("strategy") == DEPTH.name:
            return int(recipe["parameters"]["depth"])
    return None


MOST_BYTES = 2 * 2**30


@frozen_dataclass
class CollectionList:
    """A campaign's list of docnos; `sha256` is of its ids, one per line."""

    file_name: str
    docnos: int
    sha256: str
    added_by: str
    added_at: datetime


@frozen_dataclass
class ReadList:
    """A list that was read and can be stored."""

    file_name: str
    content_gzip: bytes
    sha256: str
    docnos: int


def read_list(name: str, stream: BinaryIO) -> ReadList:
    """Read a list, plain or gzip, one docno per line; repeated docnos count once.

    Raises InvalidInput for an empty list and ids with invisible characters.
    """
    name = PurePath(name).name
    plain = Bounded(open_source(stream, name), source=name, limit=MOST_BYTES)
    ids = dict.fromkeys(read_ids(plain, source=name))
    content = "".join(f"{docno}\n" for docno in ids).encode("utf-8", "surrogateescape")
    return ReadList(name, gzip.compress(content, 6, mtime=0), hashlib.sha256(content).hexdigest(), len(ids))


def keep_list(db: Session, campaign_id: int, found: ReadList, *, added_by: int | None = None) -> None:
    """Set the list of a campaign, replacing the one it had; existing runs are not affected."""
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    db.merge(
        CollectionListRow(
            campaign_id=campaign_id,
            **asdict(found),
            added_by=added_by,
            added_at=datetime.now(UTC),
        )
    )
    db.flush()


def remove_list(db: Session, campaign_id: int) -> None:
    """Remove the list of a campaign; raises NotFound if it has none."""
    if collection_list(db, campaign_id) is None:
        raise NotFound("this campaign has no list of docnos")
    db.execute(delete(CollectionListRow).where(CollectionListRow.campaign_id == campaign_id))


def collection_list(db: Session, campaign_id: int) -> CollectionList | None:
    """The list of a campaign, None where it has none."""
    found = db.execute(
        select(CollectionListRow, AccountRow.name)
        .outerjoin(AccountRow, AccountRow.id == CollectionListRow.added_by)
        .where(CollectionListRow.campaign_id == campaign_id)
    ).one_or_none()
    if found is None:
        return None
    row, by = found
    return CollectionList(row.file_name, row.docnos, row.sha256, by or "", row.added_at)


def listed_docnos(db: Session, campaign_id: int) -> frozenset[str] | None:
    """The docnos of a campaign's list, None where it has none."""
    row = CollectionListRow
    content = db.scalar(select(row.content_gzip).where(row.campaign_id == campaign_id))
    if content is None:
        return None
    plain = gzip.decompress(content).decode("utf-8", "surrogateescape")
    return frozenset(plain.removesuffix("\n").split("\n"))
