"""Campaigns that are archived, invitations that were withdrawn or made by one form

Revision: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the new columns: no campaign is archived, and no invitation withdrawn."""
    op.add_column("campaign", sa.Column("archived_at", MOMENT, nullable=True))
    op.add_column("invitation", sa.Column("withdrawn_at", MOMENT, nullable=True))
    op.add_column("invitation", sa.Column("form", sa.String(length=64), nullable=True))
    op.create_index(op.f("ix_pool_event_judgment_event_id"), "pool_event", ["judgment_event_id"])


def downgrade() -> None:
    """Forget withdrawn invitations, whose links would work again; archived campaigns are open again."""
    op.execute("delete from invitation where withdrawn_at is not null")
    op.drop_index(op.f("ix_pool_event_judgment_event_id"), "pool_event")
    op.drop_column("invitation", "form")
    op.drop_column("invitation", "withdrawn_at")
    op.drop_column("campaign", "archived_at")
