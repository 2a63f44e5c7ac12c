"""Tokens of the API, and what was answered under an idempotency key

Revision: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make both tables, empty."""
    op.create_table(
        "access_token",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("scopes", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_access_token_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_token")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_access_token_token_hash")),
    )
    op.create_index(op.f("ix_access_token_account_id"), "access_token", ["account_id"])
    op.create_table(
        "repeatable_request",
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_repeatable_request_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "key", name=op.f("pk_repeatable_request")),
    )
    op.create_index(op.f("ix_repeatable_request_begun_at"), "repeatable_request", ["begun_at"])


def downgrade() -> None:
    """Forget the tokens: no program can sign in any more."""
    op.drop_table("repeatable_request")
    op.drop_table("access_token")
