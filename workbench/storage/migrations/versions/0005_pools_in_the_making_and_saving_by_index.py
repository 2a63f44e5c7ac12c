"""Pools that are being made belong to no campaign yet; saving finds everything by an index

Revision: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
OF_AN_ASSESSOR = "ix_judgment_event_assessor_id_id"
HANDED_OUT = "ix_pool_event_topic_docno_assessor_id"


def upgrade() -> None:
    """Let a pool have no campaign, and index events by assessor and by pair."""
    with op.batch_alter_table("pool", schema=None) as batch_op:
        batch_op.alter_column("campaign_id", existing_type=NUMBER, nullable=True)
    op.create_index(OF_AN_ASSESSOR, "judgment_event", ["assessor_id", "id"])
    op.create_index(HANDED_OUT, "pool_event", ["topic", "docno", "assessor_id"])


def downgrade() -> None:
    """Take it back; pools that were never finished go."""
    op.drop_index(HANDED_OUT, "pool_event")
    op.drop_index(OF_AN_ASSESSOR, "judgment_event")
    unfinished = "select id from pool where campaign_id is null"
    op.execute(f"delete from pool_entry where pool_id in ({unfinished})")  # noqa: S608  # contains no user input
    op.execute("delete from pool where campaign_id is null")
    with op.batch_alter_table("pool", schema=None) as batch_op:
        batch_op.alter_column("campaign_id", existing_type=NUMBER, nullable=False)
