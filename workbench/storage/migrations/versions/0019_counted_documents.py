"""A campaign keeps how many documents it has

Revision: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Count the documents of every campaign once."""
    op.add_column("campaign", sa.Column("documents", sa.Integer(), nullable=False, server_default="0"))
    counted = "select count(*) from document where document.campaign_id = campaign.id"
    op.execute(f"update campaign set documents = ({counted})")  # noqa: S608 - no value is put into it


def downgrade() -> None:
    """Count them whenever they are asked for again."""
    op.drop_column("campaign", "documents")
