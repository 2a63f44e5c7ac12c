"""Releases, which triggers keep as they are, and the pseudonyms of assessors

Revision: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
FINAL = "campaign_id, version, rule, figures, seed, sha256, size, made_by, made_at"
TABLES = (("collection_release", f" of {FINAL}"), ("release_part", ""))
REFUSAL = "a release is never changed"


def upgrade() -> None:
    """Make the tables and their triggers; nobody has a pseudonym."""
    op.create_table(
        "collection_release",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("version", sa.String(40), nullable=False),
        sa.Column("rule", sa.JSON(), nullable=False),
        sa.Column("figures", sa.JSON(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("made_by", NUMBER, nullable=True),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.Column("public_at", MOMENT, nullable=True),
        sa.Column("withdrawn_by", NUMBER, nullable=True),
        sa.Column("withdrawn_at", MOMENT, nullable=True),
        sa.Column("withdrawn_reason", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "(withdrawn_at is null) = (withdrawn_reason = '')",
            name=op.f("ck_collection_release_reason_if_withdrawn"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_collection_release_campaign_id")
        ),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"], name=op.f("fk_collection_release_made_by")),
        sa.ForeignKeyConstraint(
            ["withdrawn_by"], ["account.id"], name=op.f("fk_collection_release_withdrawn_by")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collection_release")),
        sa.UniqueConstraint("campaign_id", "version", name=op.f("uq_collection_release_campaign_id_version")),
    )
    op.create_table(
        "release_part",
        sa.Column("release_id", NUMBER, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["release_id"], ["collection_release.id"], name=op.f("fk_release_part_release_id")
        ),
        sa.PrimaryKeyConstraint("release_id", "number", name=op.f("pk_release_part")),
    )
    op.create_table(
        "release_origin",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("contents", sa.JSON(), nullable=False),
        sa.Column("imported_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_release_origin_campaign_id")),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_release_origin")),
    )
    op.add_column("assessor", sa.Column("pseudonym", sa.String(40), nullable=True))
    op.create_index("ix_assessor_pseudonym", "assessor", ["campaign_id", "pseudonym"], unique=True)
    if op.get_bind().dialect.name == "sqlite":
        for table, columns in TABLES:
            op.execute(
                f"create trigger {table}_is_final before update{columns} on {table} "
                f"begin select raise(abort, '{REFUSAL}'); end"
            )
        return
    op.execute(
        "create function refuse_change_of_release() returns trigger language plpgsql as "
        f"$$ begin raise exception '{REFUSAL}' using errcode = 'integrity_constraint_violation'; end $$"
    )
    for table, columns in TABLES:
        op.execute(
            f"create trigger {table}_is_final before update{columns} on {table} "
            "for each row execute function refuse_change_of_release()"
        )


def downgrade() -> None:
    """Forget the releases and the pseudonyms."""
    op.drop_index("ix_assessor_pseudonym", "assessor")
    op.drop_column("assessor", "pseudonym")
    for table in ("release_origin", "release_part", "collection_release"):
        op.drop_table(table)  # and its trigger with it
    if op.get_bind().dialect.name == "postgresql":
        op.execute("drop function refuse_change_of_release()")
