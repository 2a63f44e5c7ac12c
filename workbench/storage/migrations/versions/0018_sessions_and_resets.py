"""Where a session was opened, and links by which a forgotten password is replaced

Revision: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table; where the sessions so far were opened is not known."""
    op.create_table(
        "password_reset",
        sa.Column("account_id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_password_reset_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_password_reset")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_password_reset_token_hash")),
    )
    op.add_column("session", sa.Column("network", sa.String(64), nullable=False, server_default=""))


def downgrade() -> None:
    """Forget the links and the networks; sessions stay."""
    with op.batch_alter_table("session") as table:
        table.drop_column("network")
    op.drop_table("password_reset")
