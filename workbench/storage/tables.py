"""The tables: what is kept of accounts, campaigns and judgments. Constraints stand here, not in the code.

An unjudged pair is the absence of a row. A judgment event is never changed nor deleted.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    DateTime,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Moment(TypeDecorator[datetime]):
    """A moment in UTC; SQLite keeps no zone, so it is put back on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse a moment without a zone, and keep the rest in UTC."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a moment without a time zone")
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the moment back in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# SQLite numbers rows by itself only in a column that is called INTEGER.
RowId = BigInteger().with_variant(Integer, "sqlite")
# Ids are compared and ordered as bytes in every database, whatever its locale.
Id = String(512).with_variant(String(512, collation="C"), "postgresql")


class Base(DeclarativeBase):
    """All tables; names of constraints are fixed so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: Moment, float: Double, dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012


class AccountRow(Base):
    """A person who can sign in."""

    __tablename__ = "account"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    login: Mapped[str] = mapped_column(String(120), unique=True)  # kept case-folded
    name: Mapped[str] = mapped_column(String(120))
    password_hash: Mapped[str] = mapped_column(String(255))
    administrator: Mapped[bool] = mapped_column(default=False)  # may make campaigns and accounts
    created_at: Mapped[datetime]
    disabled_at: Mapped[datetime | None]


class SessionRow(Base):
    """A signed-in browser; only the hash of its token is kept."""

    __tablename__ = "session"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class SignInAttemptRow(Base):
    """A failed attempt to sign in, kept for throttling."""

    __tablename__ = "sign_in_attempt"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    login: Mapped[str] = mapped_column(String(120), index=True)
    address: Mapped[str] = mapped_column(String(64), index=True)
    at: Mapped[datetime] = mapped_column(index=True)


class CampaignRow(Base):
    """One test collection in the making."""

    __tablename__ = "campaign"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    slug: Mapped[str] = mapped_column(String(80), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    scale: Mapped[dict[str, Any]]
    guidelines: Mapped[str] = mapped_column(Text, default="")
    illustrative: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]


class MemberRow(Base):
    """A role of an account in a campaign; one account may have several."""

    __tablename__ = "member"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(20), primary_key=True)
    __table_args__ = (CheckConstraint("role in ('organiser','assessor','adjudicator','viewer')", "role"),)


class InvitationRow(Base):
    """A link by which a person joins a campaign in a role; only the hash of its token is kept."""

    __tablename__ = "invitation"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    role: Mapped[str] = mapped_column(String(20))
    note: Mapped[str] = mapped_column(String(200), default="")
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    invited_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    used_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    __table_args__ = (CheckConstraint("role in ('organiser','assessor','adjudicator','viewer')", "role"),)


class TopicRow(Base):
    """A topic of a campaign, in the order of its file."""

    __tablename__ = "topic"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    topic: Mapped[str] = mapped_column(Id, primary_key=True)
    position: Mapped[int]
    title: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text, default="")
    narrative: Mapped[str] = mapped_column(Text, default="")


class DocumentRow(Base):
    """A document's text as it is shown; `sha256` is of title and text, and goes with every judgment."""

    __tablename__ = "document"
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    docno: Mapped[str] = mapped_column(Id, primary_key=True)
    title: Mapped[str] = mapped_column(Text, default="")
    text: Mapped[str] = mapped_column(Text, default="")
    sha256: Mapped[str] = mapped_column(String(64))


class RunRow(Base):
    """A run as it was sent: its file, compressed and byte-exact, and what was found in it."""

    __tablename__ = "run"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    tag: Mapped[str] = mapped_column(Id)
    file_name: Mapped[str] = mapped_column(Text)
    content_gzip: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    sha256: Mapped[str] = mapped_column(String(64))  # of the uncompressed file
    topics: Mapped[int]
    lines: Mapped[int]
    warnings: Mapped[list[Any]]
    added_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    added_at: Mapped[datetime]
    __table_args__ = (UniqueConstraint("campaign_id", "tag"),)


class PoolRow(Base):
    """The pairs to be judged, with the recipe that made them: strategy, parameters, runs and their hashes."""

    __tablename__ = "pool"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    name: Mapped[str] = mapped_column(String(120))
    recipe: Mapped[dict[str, Any]]
    pairs: Mapped[int]
    largest_possible: Mapped[int]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    created_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    __table_args__ = (UniqueConstraint("campaign_id", "name"),)


class PoolEntryRow(Base):
    """One pair of a pool; `brought_by` lists [tag, rank] of the runs that brought it.

    A strategy may have weighed it, or drawn it with an inclusion probability from a stratum (from 1).
    """

    __tablename__ = "pool_entry"
    pool_id: Mapped[int] = mapped_column(ForeignKey("pool.id"), primary_key=True)
    topic: Mapped[str] = mapped_column(Id, primary_key=True)
    docno: Mapped[str] = mapped_column(Id, primary_key=True)
    brought_by: Mapped[list[Any]]
    best_rank: Mapped[int]
    run_count: Mapped[int]
    weight: Mapped[float | None]
    inclusion: Mapped[float | None]
    stratum: Mapped[int | None]
    __table_args__ = (
        CheckConstraint("inclusion is null or (inclusion > 0 and inclusion <= 1)", "inclusion"),
    )


class AssessorRow(Base):
    """Somebody or something whose judgments a campaign has: an account, a person elsewhere, or a machine."""

    __tablename__ = "assessor"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    name: Mapped[str] = mapped_column(String(120))
    machine: Mapped[bool] = mapped_column(default=False)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    __table_args__ = (UniqueConstraint("campaign_id", "name"), UniqueConstraint("campaign_id", "account_id"))


class AssignmentRow(Base):
    """One topic of a pool given to an assessor, in an order that its rule and seed determine."""

    __tablename__ = "assignment"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    pool_id: Mapped[int] = mapped_column(ForeignKey("pool.id"))
    topic: Mapped[str] = mapped_column(Id)
    assessor_id: Mapped[int] = mapped_column(ForeignKey("assessor.id"), index=True)
    order_rule: Mapped[str] = mapped_column(String(20))
    seed: Mapped[int] = mapped_column(BigInteger)
    assigned_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    __table_args__ = (
        UniqueConstraint("pool_id", "topic", "assessor_id"),
        CheckConstraint("order_rule in ('shuffled','docno','priority')", "order_rule"),
    )


class JudgmentEventRow(Base):
    """One answer of one assessor about one pair, for ever; the latest event is what holds.

    `client_id` is the sender's own id: sending an event twice records it once. `position` is the pair's place
    (from 1) in the order shown, `document_sha256` the text that was shown, `active_ms` the time spent on it.
    """

    __tablename__ = "judgment_event"
    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    assessor_id: Mapped[int] = mapped_column(ForeignKey("assessor.id"))
    topic: Mapped[str] = mapped_column(Id)
    docno: Mapped[str] = mapped_column(Id)
    answer: Mapped[str] = mapped_column(String(20))
    grade: Mapped[int | None]
    reason: Mapped[str] = mapped_column(Text, default="")
    client_id: Mapped[str] = mapped_column(String(64))
    source: Mapped[str] = mapped_column(String(200))
    assignment_id: Mapped[int | None] = mapped_column(ForeignKey("assignment.id"))
    document_sha256: Mapped[str | None] = mapped_column(String(64))
    position: Mapped[int | None]
    order_rule: Mapped[str | None] = mapped_column(String(20))
    seed: Mapped[int | None] = mapped_column(BigInteger)
    active_ms: Mapped[int | None]
    recorded_at: Mapped[datetime]
    __table_args__ = (
        UniqueConstraint("assessor_id", "client_id"),
        Index("ix_judgment_event_current", "campaign_id", "assessor_id", "topic", "docno", "id"),
        CheckConstraint("answer in ('grade','unsure','cannot_judge','withdrawn')", "answer"),
        CheckConstraint("(answer = 'grade') = (grade is not null)", "grade_if_graded"),
        CheckConstraint("grade is null or grade >= 0", "grade_not_negative"),
    )
