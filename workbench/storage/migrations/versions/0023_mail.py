"""Messages to be sent, and the addresses that they go to

Revision: 0023
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
STATES = "state in ('waiting','sent','failed','not needed')"


def upgrade() -> None:
    """Make both tables, empty: nobody has an address so far."""
    op.create_table(
        "mail_address",
        sa.Column("account_id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("address", sa.String(254), nullable=True),
        sa.Column("new_address", sa.String(254), nullable=True),
        sa.Column("token_hash", sa.String(64), nullable=True),
        sa.Column("expires_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_mail_address_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_mail_address")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_mail_address_token_hash")),
    )
    op.create_index(op.f("ix_mail_address_address"), "mail_address", ["address"])
    op.create_table(
        "mail_message",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("asked", sa.String(254), nullable=False),
        sa.Column("account_id", NUMBER, nullable=True),
        sa.Column("invitation_id", NUMBER, nullable=True),
        sa.Column("campaign_id", NUMBER, nullable=True),
        sa.Column("deadline", sa.Date(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("claimed_until", MOMENT, nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(300), nullable=False),
        sa.Column("sent_at", MOMENT, nullable=True),
        sa.CheckConstraint(STATES, name=op.f("ck_mail_message_state")),
        *(
            sa.ForeignKeyConstraint(
                [f"{table}_id"], [f"{table}.id"], name=op.f(f"fk_mail_message_{table}_id"), ondelete="CASCADE"
            )
            for table in ("account", "invitation", "campaign")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail_message")),
    )
    for column in ("account_id", "invitation_id", "campaign_id", "due_at"):
        op.create_index(op.f(f"ix_mail_message_{column}"), "mail_message", [column])
    op.add_column("invitation", sa.Column("mailed_to", sa.String(254), nullable=False, server_default=""))


def downgrade() -> None:
    """Forget the messages and the addresses."""
    with op.batch_alter_table("invitation") as table:
        table.drop_column("mailed_to")
    op.drop_table("mail_message")
    op.drop_table("mail_address")
