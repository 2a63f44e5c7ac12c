"""Scores and tables that were computed once, for every process

Revision: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "computed_result",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_computed_result_campaign_id")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "sha256", name=op.f("pk_computed_result")),
    )
    op.create_index("ix_computed_result_used_at_size", "computed_result", ["used_at", "size"])


def downgrade() -> None:
    """Forget the results: they are computed again."""
    op.drop_table("computed_result")
