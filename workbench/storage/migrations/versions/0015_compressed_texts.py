"""The texts of documents are compressed

Revision: 0015
"""

import zlib
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ID = sa.String(512).with_variant(sa.String(512, collation="C"), "postgresql")
PLAIN, COMPRESSED = b"\0", b"\1"
AT_ONCE = 1_000


def upgrade() -> None:
    """Compress every text; title, hash and originals stay as they are."""
    _replace("text", sa.LargeBinary(), _packed)


def downgrade() -> None:
    """Store the texts as they are again."""
    _replace("text", sa.Text(), _unpacked)


def _packed(text: str) -> bytes:
    plain = text.encode()
    compressed = zlib.compress(plain)
    return COMPRESSED + compressed if len(compressed) < len(plain) else PLAIN + plain


def _unpacked(stored: bytes) -> str:
    return (zlib.decompress(stored[1:]) if stored[:1] == COMPRESSED else stored[1:]).decode()


def _replace(name: str, kind: sa.types.TypeEngine[Any], convert: Callable[[Any], Any]) -> None:
    """Give a column of documents another type, converting what it holds some rows at a time."""
    op.add_column("document", sa.Column("converted", kind, nullable=True))
    before: sa.types.TypeEngine[Any] = sa.Text() if isinstance(kind, sa.LargeBinary) else sa.LargeBinary()
    document = sa.table(
        "document",
        sa.column("campaign_id", NUMBER),
        sa.column("docno", ID),
        sa.column(name, before),
        sa.column("converted", kind),
    )
    key = sa.tuple_(document.c.campaign_id, document.c.docno)
    some = sa.select(document.c.campaign_id, document.c.docno, document.c[name]).order_by(
        document.c.campaign_id, document.c.docno
    )
    chosen = (document.c.campaign_id == sa.bindparam("campaign")) & (
        document.c.docno == sa.bindparam("number")
    )
    write = sa.update(document).where(chosen).values(converted=sa.bindparam("value"))
    last: tuple[Any, ...] | None = None
    while True:
        asked = some.limit(AT_ONCE) if last is None else some.where(key > sa.tuple_(*last)).limit(AT_ONCE)
        rows = op.get_bind().execute(asked).all()
        if not rows:
            break
        values = [{"campaign": one, "number": docno, "value": convert(old)} for one, docno, old in rows]
        op.get_bind().execute(write, values)
        last = tuple(rows[-1][:2])
    with op.batch_alter_table("document", schema=None) as batch_op:
        batch_op.drop_column(name)
        batch_op.alter_column("converted", new_column_name=name, existing_type=kind, nullable=False)
