"""Random samples of documents that were neither pooled nor judged

Revision: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ID = sa.String(512).with_variant(sa.String(512, collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table; nothing has been drawn so far."""
    op.create_table(
        "missed_sample",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("pool_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("collection", sa.Integer(), nullable=False),
        sa.Column("unpooled", sa.Integer(), nullable=False),
        sa.Column("known", sa.JSON(), nullable=False),
        sa.Column("docnos", sa.JSON(), nullable=False),
        sa.Column("drawn_by", NUMBER, nullable=True),
        sa.Column("drawn_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("unpooled > 0 and unpooled <= collection", name=op.f("ck_missed_sample_unpooled")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_missed_sample_campaign_id_campaign")
        ),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_missed_sample_pool_id_pool")),
        sa.ForeignKeyConstraint(["drawn_by"], ["account.id"], name=op.f("fk_missed_sample_drawn_by_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_missed_sample")),
    )
    op.create_index("ix_missed_sample_campaign_id_topic", "missed_sample", ["campaign_id", "topic", "id"])


def downgrade() -> None:
    """Forget what was drawn; the documents stay in their pools."""
    op.drop_table("missed_sample")
