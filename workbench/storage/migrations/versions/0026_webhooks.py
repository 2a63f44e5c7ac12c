"""Webhooks, what is delivered to them, and the topics that they were told of

Revision: 0026
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
ID = sa.String(512).with_variant(sa.String(512, collation="C"), "postgresql")
STATES = "state in ('waiting','sent','failed','not needed')"


def upgrade() -> None:
    """Make the tables, empty: nobody is told of anything so far."""
    op.create_table(
        "webhook",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("events", sa.String(200), nullable=False),
        sa.Column("secret", sa.String(100), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("resting_until", MOMENT, nullable=True),
        sa.Column("off_at", MOMENT, nullable=True),
        sa.Column("off_reason", sa.String(400), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_webhook_campaign_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    op.create_index(op.f("ix_webhook_campaign_id"), "webhook", ["campaign_id"])
    op.create_table(
        "webhook_delivery",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("webhook_id", NUMBER, nullable=False),
        sa.Column("event_id", sa.String(40), nullable=False),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", sa.String(300), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("claimed_until", MOMENT, nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(300), nullable=False),
        sa.Column("sent_at", MOMENT, nullable=True),
        sa.CheckConstraint(STATES, name=op.f("ck_webhook_delivery_state")),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.id"], name=op.f("fk_webhook_delivery_webhook_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_delivery")),
        sa.UniqueConstraint("webhook_id", "event_id", name=op.f("uq_webhook_delivery_webhook_id_event_id")),
    )
    op.create_index(op.f("ix_webhook_delivery_due_at"), "webhook_delivery", ["due_at"])
    op.create_table(
        "finished_topic",
        sa.Column("campaign_id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_finished_topic_campaign_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "topic", name=op.f("pk_finished_topic")),
    )


def downgrade() -> None:
    """Forget the webhooks."""
    for table in ("finished_topic", "webhook_delivery", "webhook"):
        op.drop_table(table)
