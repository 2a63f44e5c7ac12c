"""The bytes that documents were read from, and images that pages show

Revision: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0009"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ID = sa.String(512).with_variant(sa.String(512, collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table: of the documents so far only the text is known."""
    op.create_table(
        "original",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("media_type", sa.String(100), nullable=False),
        sa.Column("charset", sa.String(100), nullable=False),
        sa.Column("address", ID, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=True),
        sa.Column("packed", sa.Boolean(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("shown", sa.LargeBinary(), nullable=True),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_original_campaign_id")),
        sa.PrimaryKeyConstraint("campaign_id", "docno", name=op.f("pk_original")),
    )
    for column in ("sha256", "address"):
        op.create_index(f"ix_original_campaign_id_{column}", "original", ["campaign_id", column])


def downgrade() -> None:
    """Forget the bytes; the texts stay."""
    op.drop_table("original")
