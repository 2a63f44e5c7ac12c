"""The types of columns, among them texts that are stored compressed, and the base of all tables."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, mapped_column


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite stores no time zone, so it is added on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC; a time without a time zone raises ValueError."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a time without a time zone")
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The stored time, in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# SQLite assigns row ids only in a column whose type is INTEGER.
RowId = BigInteger().with_variant(Integer, "sqlite")
# Ids are compared and ordered as bytes in every database, whatever its locale.
_IdType = String(512).with_variant(String(512, collation="C"), "postgresql")
Id = Annotated[str, mapped_column(_IdType)]
IdKey = Annotated[str, mapped_column(_IdType, primary_key=True)]
Str20 = Annotated[str, mapped_column(String(20))]
Str64 = Annotated[str, mapped_column(String(64))]
Str120 = Annotated[str, mapped_column(String(120))]
Str200 = Annotated[str, mapped_column(String(200))]
Str254 = Annotated[str, mapped_column(String(254))]
BigInt = Annotated[int, mapped_column(BigInteger)]
Count = Annotated[int, mapped_column(default=0)]
# A text that need not be given.
Words = Annotated[str, mapped_column(default="")]
# Bytes that are read only where they are asked for.
Content = Annotated[bytes, mapped_column(deferred=True)]
JsonObject = dict[str, Any]


RowKey = Annotated[int, mapped_column(RowId, primary_key=True)]
AccountId = Annotated[int, mapped_column(ForeignKey("account.id"))]
# Of rows that are deleted with their account.
OwnerId = Annotated[int, mapped_column(ForeignKey("account.id", ondelete="CASCADE"))]
AssessorId = Annotated[int, mapped_column(ForeignKey("assessor.id"))]
AssignmentId = Annotated[int, mapped_column(ForeignKey("assignment.id"))]
CampaignId = Annotated[int, mapped_column(ForeignKey("campaign.id"))]
CampaignKey = Annotated[int, mapped_column(ForeignKey("campaign.id"), primary_key=True)]
GroupId = Annotated[int, mapped_column(ForeignKey("run_group.id"))]
PoolId = Annotated[int, mapped_column(ForeignKey("pool.id"))]


class Base(DeclarativeBase):
    """The base of all tables; constraint names follow a convention, so that migrations can refer to them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: Moment,
        float: Double,
        str: Text,
        JsonObject: JSON,
        list[Any]: JSON,
    }


PLAIN, COMPRESSED = b"\0", b"\1"
"""The first byte of a stored text says what follows: its UTF-8, or that compressed by zlib."""
DAMAGED = "\ufffd"
"""What a stored text that cannot be unpacked reads as: its hash is another one then, which `verify` tells."""


def pack_text(text: str) -> bytes:
    """A text as it is stored; compressed where that makes it shorter."""
    plain = text.encode()
    compressed = zlib.compress(plain)
    return COMPRESSED + compressed if len(compressed) < len(plain) else PLAIN + plain


def unpack_text(stored: bytes) -> str:
    """The text of stored bytes; DAMAGED for what `pack_text` never made."""
    try:
        if stored[:1] == COMPRESSED:
            return zlib.decompress(stored[1:]).decode()
        return stored[1:].decode() if stored[:1] == PLAIN else DAMAGED
    except (zlib.error, UnicodeDecodeError):
        return DAMAGED


class PackedText(TypeDecorator[str]):
    """A column of long texts; the database sees bytes, so that it cannot search in them."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> bytes | None:
        """The bytes to store."""
        return None if value is None else pack_text(value)

    def process_result_value(self, value: bytes | None, dialect: Any) -> str | None:
        """The stored text."""
        return None if value is None else unpack_text(value)
