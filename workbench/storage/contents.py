"""What a database holds, asked before anything is migrated; and emptying one."""

from __future__ import annotations

from sqlalchemy import delete, inspect, select

from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, Base, CampaignRow, TrailRow


def table_names(database: Database) -> frozenset[str]:
    """The tables of a database, whatever program made them."""
    with database.reading() as db:
        return frozenset(inspect(db.connection()).get_table_names())


def campaigns_in(database: Database) -> dict[str, bool]:
    """The slugs of the campaigns, and whether each is illustrative; empty where there is no such table."""
    if CampaignRow.__tablename__ not in table_names(database):
        return {}
    with database.reading() as db:
        return dict(db.execute(select(CampaignRow.slug, CampaignRow.illustrative)).all())


def accounts_in(database: Database) -> bool:
    """Whether there is any account."""
    if AccountRow.__tablename__ not in table_names(database):
        return False
    with database.reading() as db:
        return db.scalar(select(AccountRow.id).limit(1)) is not None


def delete_everything(database: Database) -> None:
    """Delete every row of every table but the trail, which stays whatever is deleted."""
    with database.writing() as db:
        for table in reversed(Base.metadata.sorted_tables):
            if table.name != TrailRow.__tablename__:
                db.execute(delete(table))
