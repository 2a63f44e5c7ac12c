"""Searches of the collection, and how often its documents changed

Revision: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ID = sa.String(512).with_variant(sa.String(512, collation="C"), "postgresql")


def upgrade() -> None:
    """Make the tables; nothing has been searched so far."""
    op.add_column("campaign", sa.Column("document_changes", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "search",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("account_id", NUMBER, nullable=True),
        sa.Column("assignment_id", NUMBER, nullable=True),
        sa.Column("typed", sa.Text(), nullable=False),
        sa.Column("understood", sa.Text(), nullable=False),
        sa.Column("among", sa.String(20), nullable=False),
        sa.Column("like", ID, nullable=True),
        sa.Column("engine", sa.String(80), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("found", sa.Integer(), nullable=False),
        sa.Column("docnos", sa.JSON(), nullable=False),
        sa.Column("searched_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("among in ('all','mine','new','pooled')", name=op.f("ck_search_among")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_search_campaign_id_campaign")
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_search_account_id_account")),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_search_assignment_id_assignment")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search")),
    )
    op.create_index("ix_search_campaign_id_topic", "search", ["campaign_id", "topic", "id"])
    op.create_table(
        "search_event",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("search_id", NUMBER, nullable=False),
        sa.Column("happening", sa.String(20), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("docno", ID, nullable=True),
        sa.Column("judgment_event_id", NUMBER, nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "happening in ('shown','opened','judged','added')", name=op.f("ck_search_event_happening")
        ),
        sa.CheckConstraint(
            "(happening = 'shown') = (docno is null)", name=op.f("ck_search_event_docno_unless_shown")
        ),
        sa.ForeignKeyConstraint(["search_id"], ["search.id"], name=op.f("fk_search_event_search_id_search")),
        sa.ForeignKeyConstraint(
            ["judgment_event_id"],
            ["judgment_event.id"],
            name=op.f("fk_search_event_judgment_event_id_judgment_event"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_event")),
    )
    op.create_index(op.f("ix_search_event_search_id"), "search_event", ["search_id"])
    op.create_index(op.f("ix_search_event_judgment_event_id"), "search_event", ["judgment_event_id"])


def downgrade() -> None:
    """Forget what was searched."""
    op.drop_table("search_event")
    op.drop_table("search")
    op.drop_column("campaign", "document_changes")
