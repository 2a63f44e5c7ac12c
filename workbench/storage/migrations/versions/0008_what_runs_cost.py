"""What runs cost, as their groups say: seconds a query and the size of the index

Revision: 0008
"""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the new columns, with their checks: of the runs so far no cost is given."""
    double = "double precision" if op.get_bind().dialect.name == "postgresql" else "double"
    for column, kind in (("seconds_per_query", double), ("index_bytes", "bigint")):
        op.execute(
            f"alter table run add column {column} {kind} constraint ck_run_{column} "
            f"check ({column} is null or {column} > 0)"
        )


def downgrade() -> None:
    """Forget what runs cost."""
    op.drop_column("run", "index_bytes")
    op.drop_column("run", "seconds_per_query")
