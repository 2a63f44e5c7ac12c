"""Pools whose documents a learner chooses, and why each was handed out

Revision: 0024
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

ID = sa.String(512).with_variant(sa.String(512, collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
REASONS: tuple[tuple[str, Any], ...] = (
    ("origin", sa.String(10)),
    ("round", sa.Integer()),
    ("rank", sa.Integer()),
    ("score", sa.Double()),
)


def upgrade() -> None:
    """Make room for reasons and rankings; there are none so far."""
    for name, kind in REASONS:
        op.add_column("pool_event", sa.Column(name, kind, nullable=True))
    op.create_table(
        "learner_candidates",
        sa.Column("pool_id", NUMBER, nullable=False),
        sa.Column("docnos_packed", sa.LargeBinary(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["pool_id"], ["pool.id"], name=op.f("fk_learner_candidates_pool_id_pool"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_learner_candidates")),
    )
    op.create_table(
        "learner_round",
        sa.Column("pool_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("known", sa.Integer(), nullable=False),
        sa.Column("since", sa.Integer(), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("places", sa.LargeBinary(), nullable=False),
        sa.Column("scores", sa.LargeBinary(), nullable=False),
        sa.Column("sums", sa.JSON(), nullable=False),
        sa.Column("document_changes", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("known <= since and batch >= 1", name=op.f("ck_learner_round_order")),
        sa.ForeignKeyConstraint(
            ["pool_id"], ["pool.id"], name=op.f("fk_learner_round_pool_id_pool"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("pool_id", "topic", "number", name=op.f("pk_learner_round")),
    )


def downgrade() -> None:
    """Forget the rankings; the documents that were handed out stay."""
    op.drop_table("learner_round")
    op.drop_table("learner_candidates")
    for name, _ in REASONS:
        op.drop_column("pool_event", name)
