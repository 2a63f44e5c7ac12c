"""The table of schema upgrades: which version of the program made the schema what it is."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from workbench.storage.tables.columns import Base


class SchemaUpgradeRow(Base):
    """The version of the program that upgraded the schema to a revision; an older one names it."""

    __tablename__ = "schema_upgrade"
    revision: Mapped[str] = mapped_column(String(32), primary_key=True)
    program: Mapped[str] = mapped_column(String(40))
    upgraded_at: Mapped[datetime]
