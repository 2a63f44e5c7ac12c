"""Large imports of judgments, stored whole and recorded in portions

Revision: 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables, empty: no import is under way."""
    op.create_table(
        "judgment_import",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=True),
        sa.Column("source", sa.String(200), nullable=False),
        sa.Column("purpose", sa.String(20), nullable=False),
        sa.Column("judgments", sa.Integer(), nullable=False),
        sa.Column("imported", sa.Integer(), nullable=False),
        sa.Column("begun_at", MOMENT, nullable=False),
        sa.Column("moved_at", MOMENT, nullable=False),
        sa.CheckConstraint("purpose in ('judging','discussion')", name=op.f("ck_judgment_import_purpose")),
        sa.CheckConstraint(
            "imported >= 0 and imported <= judgments", name=op.f("ck_judgment_import_imported")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_judgment_import_campaign_id_campaign")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgment_import")),
    )
    op.create_index(op.f("ix_judgment_import_campaign_id"), "judgment_import", ["campaign_id"])
    op.create_table(
        "import_portion",
        sa.Column("import_id", NUMBER, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("judgments", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"], ["judgment_import.id"], name=op.f("fk_import_portion_import_id_judgment_import")
        ),
        sa.PrimaryKeyConstraint("import_id", "number", name=op.f("pk_import_portion")),
    )


def downgrade() -> None:
    """Forget imports that are under way: an older version would never complete them."""
    op.drop_table("import_portion")
    op.drop_table("judgment_import")
