"""Which version of the program upgraded the schema, so that an older one can name it

Revision: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table; earlier upgrades are not known."""
    op.create_table(
        "schema_upgrade",
        sa.Column("revision", sa.String(32), nullable=False),
        sa.Column("program", sa.String(40), nullable=False),
        sa.Column("upgraded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("revision", name=op.f("pk_schema_upgrade")),
    )


def downgrade() -> None:
    """Forget it."""
    op.drop_table("schema_upgrade")
