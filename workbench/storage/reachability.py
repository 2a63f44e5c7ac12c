"""Whether a database responds, and what to do where it does not."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import DisconnectionError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from workbench.errors import WorkbenchError
from workbench.storage.engine import Database, first_line


def reachable(database: Database) -> None:
    """Raise WorkbenchError, with the reason, if the database does not respond."""
    try:
        with database.engine.connect() as connection:
            connection.execute(text("select 1"))
    except (OperationalError, NoConnection, DisconnectionError) as error:
        reason = first_line(error)
        raise WorkbenchError(f"the database does not respond: {reason}", remedy=_remedy(database)) from None


def _remedy(database: Database) -> str:
    folder = Path(database.engine.url.database or "").parent
    if database.embedded and not os.access(folder, os.W_OK):
        return f"{folder} is read-only, and SQLite writes beside its file: make it writable"
    return "check its address"
