"""Browsers in which an account was signed in before, and what a list of sessions shows

Revision: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table; of the sessions so far the browser is not known."""
    op.create_table(
        "device",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_device_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", "account_id", name=op.f("pk_device")),
    )
    op.create_index(op.f("ix_device_account_id"), "device", ["account_id"])
    op.add_column("session", sa.Column("browser", sa.String(200), nullable=False, server_default=""))
    op.add_column("session", sa.Column("used_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Forget the browsers; sessions stay."""
    with op.batch_alter_table("session") as table:
        table.drop_column("used_at")
        table.drop_column("browser")
    op.drop_table("device")
