"""Drafts of topics, the searches made for them, and what their authors judged

Revision: 0028
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ID = sa.String(512).with_variant(sa.String(512, collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables, empty: nobody has developed a topic here so far."""
    op.create_table(
        "topic_draft",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("author_id", NUMBER, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("narrative", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("topic", ID, nullable=True),
        sa.Column("kept_in", NUMBER, nullable=True),
        sa.Column("begun_at", MOMENT, nullable=False),
        sa.Column("decided_by", NUMBER, nullable=True),
        sa.Column("decided_at", MOMENT, nullable=True),
        sa.CheckConstraint("state in ('open','aside','accepted')", name=op.f("ck_topic_draft_state")),
        sa.CheckConstraint(
            "(state = 'accepted') = (topic is not null)", name=op.f("ck_topic_draft_topic_if_accepted")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_topic_draft_campaign_id_campaign")
        ),
        sa.ForeignKeyConstraint(["author_id"], ["account.id"], name=op.f("fk_topic_draft_author_id_account")),
        sa.ForeignKeyConstraint(["kept_in"], ["pool.id"], name=op.f("fk_topic_draft_kept_in_pool")),
        sa.ForeignKeyConstraint(
            ["decided_by"], ["account.id"], name=op.f("fk_topic_draft_decided_by_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic_draft")),
        sa.UniqueConstraint("campaign_id", "number", name=op.f("uq_topic_draft_campaign_id_number")),
        sa.UniqueConstraint("campaign_id", "client_id", name=op.f("uq_topic_draft_campaign_id_client_id")),
    )
    op.create_table(
        "draft_search",
        sa.Column("search_id", NUMBER, nullable=False),
        sa.Column("draft_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["search_id"], ["search.id"], name=op.f("fk_draft_search_search_id_search")),
        sa.ForeignKeyConstraint(
            ["draft_id"], ["topic_draft.id"], name=op.f("fk_draft_search_draft_id_topic_draft")
        ),
        sa.PrimaryKeyConstraint("search_id", name=op.f("pk_draft_search")),
    )
    op.create_index(op.f("ix_draft_search_draft_id"), "draft_search", ["draft_id"])
    op.create_table(
        "draft_judgment",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("draft_id", NUMBER, nullable=False),
        sa.Column("search_id", NUMBER, nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("grade", sa.Integer(), nullable=False),
        sa.Column("document_sha256", sa.String(64), nullable=True),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("judged_at", MOMENT, nullable=False),
        sa.CheckConstraint("grade >= 0", name=op.f("ck_draft_judgment_grade_not_negative")),
        sa.ForeignKeyConstraint(
            ["draft_id"], ["topic_draft.id"], name=op.f("fk_draft_judgment_draft_id_topic_draft")
        ),
        sa.ForeignKeyConstraint(
            ["search_id"], ["search.id"], name=op.f("fk_draft_judgment_search_id_search")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft_judgment")),
        sa.UniqueConstraint("draft_id", "client_id", name=op.f("uq_draft_judgment_draft_id_client_id")),
    )
    op.create_index(op.f("ix_draft_judgment_search_id"), "draft_judgment", ["search_id"])


def downgrade() -> None:
    """Forget the drafts: topics taken from them stay."""
    op.drop_table("draft_judgment")
    op.drop_table("draft_search")
    op.drop_table("topic_draft")
