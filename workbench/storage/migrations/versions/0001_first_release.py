"""The tables of the first release

Revision: 0001

Nothing is released yet, so that these are the tables as they stand. With the release they are written out
here, or a later change of the tables would change this revision.
"""

import sqlalchemy as sa
from alembic import op

from workbench.storage.tables import Base

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Trigger, table, what it refuses, and in which words.
OF_RELEASE, OF_TRAIL = "a release is never changed", "an entry of the trail never changes"
FINAL = "campaign_id, version, rule, figures, seed, sha256, size, made_by, made_at"
TRIGGERS = (
    ("collection_release_is_final", "collection_release", f"update of {FINAL}", OF_RELEASE),
    ("release_part_is_final", "release_part", "update", OF_RELEASE),
    ("trail_keeps_update", "trail", "update", OF_TRAIL),
    ("trail_keeps_delete", "trail", "delete", OF_TRAIL),
)


def upgrade() -> None:
    """Make all tables, and the triggers that keep some of them as they are."""
    Base.metadata.create_all(op.get_bind(), checkfirst=False)
    postgresql = op.get_bind().dialect.name == "postgresql"
    for name, table, act, refusal in TRIGGERS:
        head = f"create trigger {name} before {act} on {table}"
        if not postgresql:
            op.execute(f"{head} begin select raise(abort, '{refusal}'); end")
            continue
        op.execute(
            f"create function refuse_{name}() returns trigger language plpgsql as "
            f"$$ begin raise exception '{refusal}' using errcode = 'integrity_constraint_violation'; end $$"
        )
        op.execute(f"{head} for each row execute function refuse_{name}()")


def downgrade() -> None:
    """Remove everything."""
    tables = sa.MetaData()
    tables.reflect(op.get_bind())
    tables.remove(tables.tables["alembic_version"])
    tables.drop_all(op.get_bind())
    if op.get_bind().dialect.name == "postgresql":
        for name, *_ in TRIGGERS:
            op.execute(f"drop function refuse_{name}()")
