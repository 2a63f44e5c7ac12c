"""The trail of administrative acts, which triggers keep as it is

Revision: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
REFUSAL = "an entry of the trail never changes"
ACTS = ("update", "delete")


def upgrade() -> None:
    """Make the table and its triggers; of what was done so far nothing is known."""
    op.create_table(
        "trail",
        sa.Column("id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("account_id", NUMBER, nullable=True),
        sa.Column("act", sa.String(80), nullable=False),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=True),
        sa.Column("request", sa.String(32), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trail")),
    )
    for column in ("at", "account_id", "campaign_id"):
        op.create_index(op.f(f"ix_trail_{column}"), "trail", [column])
    if op.get_bind().dialect.name == "sqlite":
        for act in ACTS:
            op.execute(
                f"create trigger trail_keeps_{act} before {act} on trail "
                f"begin select raise(abort, '{REFUSAL}'); end"
            )
        return
    op.execute(
        "create function refuse_change_of_trail() returns trigger language plpgsql as "
        f"$$ begin raise exception '{REFUSAL}' using errcode = 'integrity_constraint_violation'; end $$"
    )
    for act in ACTS:
        op.execute(
            f"create trigger trail_keeps_{act} before {act} on trail "
            "for each row execute function refuse_change_of_trail()"
        )


def downgrade() -> None:
    """Forget the trail."""
    op.drop_table("trail")  # and its triggers with it
    if op.get_bind().dialect.name == "postgresql":
        op.execute("drop function refuse_change_of_trail()")
