"""A database that somebody names for the demo: nothing else may be in it."""

from __future__ import annotations

from workbench.demo.campaign import SLUG
from workbench.errors import Conflict
from workbench.storage.contents import accounts_in, campaigns_in, table_names
from workbench.storage.engine import Database

EMPTY = "name an empty database, or one that `workbench demo` has filled"
VERSION_TABLE = "alembic_version"


def require_own(database: Database) -> None:
    """Raise Conflict where a database holds anything but the demo; looks before anything is migrated."""
    tables = table_names(database)
    if tables and VERSION_TABLE not in tables:
        raise Conflict("this database holds the tables of another program", remedy=EMPTY)
    campaigns = campaigns_in(database)
    others = sorted(slug for slug, illustrative in campaigns.items() if slug != SLUG or not illustrative)
    if others:
        named = ", ".join(others[:5]) + (", …" if len(others) > 5 else "")
        raise Conflict(f"this database holds other campaigns: {named}", remedy=EMPTY)
    if not campaigns and accounts_in(database):
        raise Conflict("this database holds the accounts of another installation", remedy=EMPTY)
