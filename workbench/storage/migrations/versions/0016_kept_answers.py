"""The current answers of topics, packed, so that no process reads every event to know them

Revision: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ID = sa.String(512).with_variant(sa.String(512, collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table, which is filled as pages are asked for."""
    op.create_table(
        "kept_answers",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("mark", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_kept_answers_campaign_id")),
        sa.PrimaryKeyConstraint("campaign_id", "topic", name=op.f("pk_kept_answers")),
    )


def downgrade() -> None:
    """Forget what is kept: it is counted from the events."""
    op.drop_table("kept_answers")
