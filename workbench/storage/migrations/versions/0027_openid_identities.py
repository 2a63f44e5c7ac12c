"""Identities at an OpenID provider, with which people sign in

Revision: 0027
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the table, empty: nobody has linked an identity so far."""
    op.create_table(
        "openid_identity",
        sa.Column("issuer", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("known_as", sa.String(254), nullable=False),
        sa.Column("linked_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_openid_identity_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_openid_identity")),
        sa.UniqueConstraint("account_id", "issuer", name=op.f("uq_openid_identity_account_id_issuer")),
    )


def downgrade() -> None:
    """Forget the identities: people without a password need a reset link."""
    op.drop_table("openid_identity")
