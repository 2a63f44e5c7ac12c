"""Authenticator apps, recovery codes, and sign-ins whose code is not entered yet

Revision: 0025
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables, empty: nobody has turned two-factor sign-in on so far."""
    op.create_table(
        "two_factor",
        sa.Column("account_id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("confirmed_at", MOMENT, nullable=True),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_two_factor_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_two_factor")),
    )
    op.create_table(
        "recovery_code",
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_recovery_code_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("code_hash", name=op.f("pk_recovery_code")),
    )
    op.create_index(op.f("ix_recovery_code_account_id"), "recovery_code", ["account_id"])
    op.create_table(
        "code_step",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_code_step_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_code_step")),
    )
    op.create_index(op.f("ix_code_step_account_id"), "code_step", ["account_id"])


def downgrade() -> None:
    """Forget the apps and their codes: the password alone signs in again."""
    op.drop_table("code_step")
    op.drop_table("recovery_code")
    op.drop_table("two_factor")
