"""A release that is being stored belongs to no campaign yet, so that its bytes come in portions

Revision: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TABLE = "collection_release"
FINAL = "campaign_id, version, rule, figures, seed, sha256, size, made_by, made_at"
REFUSAL = "a release is never changed"


def upgrade() -> None:
    """Let a release have no campaign; from the moment that it has one it is final, as before."""
    _leave_campaign(nullable=True)
    _trigger(" when (old.campaign_id is not null)")


def downgrade() -> None:
    """Take it back; releases that were never finished go."""
    release = sa.table(TABLE, sa.column("id"), sa.column("campaign_id"))
    part = sa.table("release_part", sa.column("release_id"))
    unfinished = release.c.campaign_id.is_(None)
    op.execute(part.delete().where(part.c.release_id.in_(sa.select(release.c.id).where(unfinished))))
    op.execute(release.delete().where(unfinished))
    _leave_campaign(nullable=False)
    _trigger("")


def _leave_campaign(*, nullable: bool) -> None:
    # SQLite makes the table anew, and its trigger goes with the old one.
    postgresql = op.get_bind().dialect.name == "postgresql"
    op.execute(f"drop trigger {TABLE}_is_final" + (f" on {TABLE}" if postgresql else ""))
    with op.batch_alter_table(TABLE, schema=None) as batch_op:
        batch_op.alter_column("campaign_id", existing_type=NUMBER, nullable=nullable)


def _trigger(condition: str) -> None:
    head = f"create trigger {TABLE}_is_final before update of {FINAL} on {TABLE} "
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"{head}{condition} begin select raise(abort, '{REFUSAL}'); end")
    else:
        op.execute(f"{head}for each row{condition} execute function refuse_change_of_release()")
