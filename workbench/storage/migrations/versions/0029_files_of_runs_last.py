"""The file of a run behind its other columns, so that a list of runs is read without reading through files

Revision: 0029
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
# All but the file, in their order.
COLUMNS = (
    "id", "campaign_id", "tag", "file_name", "sha256", "topics", "lines", "warnings", "added_by", "added_at",
    "group_id", "kind", "description", "priority", "verdict", "verdict_reason", "verdict_by", "verdict_at",
    "replaced_at", "seconds_per_query", "index_bytes",
)  # fmt: skip
FILE = "content_gzip"


def upgrade() -> None:
    """Write the rows of SQLite anew, once: it stores the columns of a row one behind the other.

    Whoever reads what stands behind a file passes through all of it. PostgreSQL stores large values apart.
    """
    if op.get_bind().dialect.name == "sqlite":
        _rewrite((*COLUMNS, FILE))


def downgrade() -> None:
    """Write the file where it was."""
    if op.get_bind().dialect.name == "sqlite":
        _rewrite((*COLUMNS[:4], FILE, *COLUMNS[4:]))


def _rewrite(names: tuple[str, ...]) -> None:
    columns: dict[str, sa.Column[Any]] = {
        "id": sa.Column("id", sa.Integer(), nullable=False),
        "campaign_id": sa.Column("campaign_id", sa.Integer(), nullable=False),
        "tag": sa.Column("tag", sa.String(512), nullable=False),
        "file_name": sa.Column("file_name", sa.Text(), nullable=False),
        "sha256": sa.Column("sha256", sa.String(64), nullable=False),
        "topics": sa.Column("topics", sa.Integer(), nullable=False),
        "lines": sa.Column("lines", sa.Integer(), nullable=False),
        "warnings": sa.Column("warnings", sa.JSON(), nullable=False),
        "added_by": sa.Column("added_by", sa.Integer()),
        "added_at": sa.Column("added_at", MOMENT, nullable=False),
        "group_id": sa.Column("group_id", sa.Integer()),
        "kind": sa.Column("kind", sa.String(20)),
        "description": sa.Column("description", sa.Text(), server_default="", nullable=False),
        "priority": sa.Column("priority", sa.Integer()),
        "verdict": sa.Column("verdict", sa.String(20), server_default="accepted", nullable=False),
        "verdict_reason": sa.Column("verdict_reason", sa.Text(), server_default="", nullable=False),
        "verdict_by": sa.Column("verdict_by", sa.Integer()),
        "verdict_at": sa.Column("verdict_at", MOMENT),
        "replaced_at": sa.Column("replaced_at", MOMENT),
        # With their checks, so that an older version can drop them.
        "seconds_per_query": sa.Column("seconds_per_query", sa.Double(), _positive("seconds_per_query")),
        "index_bytes": sa.Column("index_bytes", sa.BigInteger(), _positive("index_bytes")),
        FILE: sa.Column(FILE, sa.LargeBinary(), nullable=False),
    }
    op.create_table(
        "run_rewritten",
        *(columns[name] for name in names),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_run_campaign_id")),
        sa.ForeignKeyConstraint(["added_by"], ["account.id"], name=op.f("fk_run_added_by")),
        sa.ForeignKeyConstraint(["group_id"], ["run_group.id"], name=op.f("fk_run_group_id")),
        sa.ForeignKeyConstraint(["verdict_by"], ["account.id"], name=op.f("fk_run_verdict_by")),
        sa.CheckConstraint("kind is null or kind in ('automatic','manual')", name=op.f("ck_run_kind")),
        sa.CheckConstraint("priority is null or priority >= 1", name=op.f("ck_run_priority")),
        sa.CheckConstraint("verdict in ('received','accepted','set_aside')", name=op.f("ck_run_verdict")),
    )
    listed = ", ".join(names)
    op.execute(f"insert into run_rewritten ({listed}) select {listed} from run")  # noqa: S608  # names of this file
    op.drop_table("run")
    op.rename_table("run_rewritten", "run")
    op.create_index(
        "uq_run_tag_that_holds", "run", ["campaign_id", "tag"], unique=True,
        sqlite_where=sa.text("replaced_at is null"),
    )  # fmt: skip


def _positive(name: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(f"{name} is null or {name} > 0", name=op.f(f"ck_run_{name}"))
