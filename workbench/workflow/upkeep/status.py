"""The state of an installation: size and schema of its database, how much is in it, the last backup."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import ColumnElement, func, select, text
from sqlalchemy.orm import Session

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.storage.tables import AccountRow, CampaignRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.sessions import is_open
from workbench.workflow.people.trail import last_number

LAST_BACKUP = "last-backup.json"


@frozen_dataclass
class LastBackup:
    """The latest complete backup that `workbench backup` made from this instance folder."""

    made_at: datetime
    path: str
    size: int
    sha256: str


@frozen_dataclass
class InstallationStatus:
    """What a database is and holds; `bytes` are those of its file, or of the database in PostgreSQL.

    `accounts` are those that can sign in, `sessions` those that have not ended. `backup` is None where none
    is known.
    """

    engine: str
    bytes: int
    revision: str
    accounts: int
    sessions: int
    campaigns: int
    trail_entries: int
    backup: LastBackup | None


def installation_status(db: Session, instance: Path, idle: timedelta | None) -> InstallationStatus:
    """The state of the database and of the instance folder."""

    def count(which: ColumnElement[bool]) -> int:
        return db.scalar(select(func.count()).where(which)) or 0

    embedded = db.get_bind().dialect.name == "sqlite"
    size = (
        "select page_count * page_size from pragma_page_count(), pragma_page_size()"
        if embedded
        else "select pg_database_size(current_database())"
    )
    version = "select sqlite_version()" if embedded else "show server_version"
    name = "SQLite" if embedded else "PostgreSQL"
    return InstallationStatus(
        engine=f"{name} {db.scalar(text(version))}",
        bytes=int(db.scalar(text(size)) or 0),
        revision=str(db.scalar(text("select version_num from alembic_version"))),
        accounts=count(AccountRow.disabled_at.is_(None)),
        sessions=count(is_open(utc_now(), idle)),
        campaigns=count(CampaignRow.id.is_not(None)),
        trail_entries=last_number(db),
        backup=last_backup(instance),
    )


def note_backup(instance: Path, made: LastBackup) -> None:
    """Note a backup in the instance folder; one that cannot be written to is left as it is."""
    content = asdict(made) | {"made_at": made.made_at.isoformat()}
    with suppress(OSError):
        (instance / LAST_BACKUP).write_text(json.dumps(content) + "\n", encoding="utf-8")
        give_to_owner(instance, instance / LAST_BACKUP)


def give_to_owner(instance: Path, *paths: Path) -> None:
    """Give what root wrote to the owner of the instance folder, whose service writes there as well.

    Raises WorkbenchError where that cannot be done.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    try:
        owner = instance.stat()
        for path in paths:
            os.chown(path, owner.st_uid, owner.st_gid)
    except OSError as error:
        raise WorkbenchError(
            f"{error.filename} still belongs to root, so the service cannot write there: {error.strerror}",
            remedy="run backups as the user of the service",
        ) from None


def last_backup(instance: Path) -> LastBackup | None:
    """The backup that was noted last; None where there is none, or its note cannot be read."""
    try:
        found = json.loads((instance / LAST_BACKUP).read_text(encoding="utf-8"))
        made_at = datetime.fromisoformat(found["made_at"])
        return LastBackup(made_at, str(found["path"]), int(found["size"]), str(found["sha256"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
