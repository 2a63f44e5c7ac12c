"""Groups and records of runs, files checked before they are runs, drafts, additions, adaptive pools

Revision: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ID = sa.String(length=512).with_variant(sa.String(length=512, collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)
ROLES = "role in ('organiser','assessor','adjudicator','viewer','participant')"
OLDER_ROLES = "role in ('organiser','assessor','adjudicator','viewer')"


def upgrade() -> None:
    """Make the new tables and columns; pools that are there are open, runs are accepted."""
    op.add_column("campaign", sa.Column("run_rules", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("campaign", sa.Column("seconds_a_pair", sa.Double(), nullable=True))
    op.add_column("pool", sa.Column("opened_at", MOMENT, nullable=True))
    op.execute("update pool set opened_at = created_at")
    _make_tables()
    _swap_roles(ROLES)
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.add_column(sa.Column("group_id", NUMBER, nullable=True))
        batch_op.create_foreign_key(op.f("fk_invitation_group_id"), "run_group", ["group_id"], ["id"])
    with op.batch_alter_table("pool_entry", schema=None) as batch_op:
        batch_op.alter_column("best_rank", existing_type=sa.Integer(), nullable=True)
        batch_op.add_column(sa.Column("added_by", NUMBER, nullable=True))
        batch_op.add_column(sa.Column("added_at", MOMENT, nullable=True))
        batch_op.add_column(sa.Column("reason", sa.Text(), nullable=True))
        batch_op.create_foreign_key(op.f("fk_pool_entry_added_by"), "account", ["added_by"], ["id"])
        batch_op.create_check_constraint(
            op.f("ck_pool_entry_rank_unless_added"), "best_rank is not null or added_at is not null"
        )
    by_hand = sa.text("added_at is not null")
    op.create_index(
        "ix_pool_entry_added_by_hand",
        "pool_entry",
        ["pool_id", "topic"],
        sqlite_where=by_hand,
        postgresql_where=by_hand,
    )
    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.add_column(sa.Column("group_id", NUMBER, nullable=True))
        batch_op.add_column(sa.Column("kind", sa.String(length=20), nullable=True))
        batch_op.add_column(sa.Column("description", sa.Text(), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("priority", sa.Integer(), nullable=True))
        batch_op.add_column(
            sa.Column("verdict", sa.String(length=20), nullable=False, server_default="accepted")
        )
        batch_op.add_column(sa.Column("verdict_reason", sa.Text(), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("verdict_by", NUMBER, nullable=True))
        batch_op.add_column(sa.Column("verdict_at", MOMENT, nullable=True))
        batch_op.add_column(sa.Column("replaced_at", MOMENT, nullable=True))
        batch_op.create_foreign_key(op.f("fk_run_group_id"), "run_group", ["group_id"], ["id"])
        batch_op.create_foreign_key(op.f("fk_run_verdict_by"), "account", ["verdict_by"], ["id"])
        batch_op.create_check_constraint(
            op.f("ck_run_kind"), "kind is null or kind in ('automatic','manual')"
        )
        batch_op.create_check_constraint(op.f("ck_run_priority"), "priority is null or priority >= 1")
        batch_op.create_check_constraint(
            op.f("ck_run_verdict"), "verdict in ('received','accepted','set_aside')"
        )
        batch_op.drop_constraint(op.f("uq_run_campaign_id_tag"), type_="unique")
    op.create_index(
        "uq_run_tag_that_holds",
        "run",
        ["campaign_id", "tag"],
        unique=True,
        sqlite_where=sa.text("replaced_at is null"),
        postgresql_where=sa.text("replaced_at is null"),
    )
    op.create_table(
        "packed_run",
        sa.Column("run_id", NUMBER, nullable=False),
        sa.Column("form", sa.Integer(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("records", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_packed_run_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_packed_run")),
    )


def downgrade() -> None:
    """Take all of it back; refuses what the older version could not keep."""
    _refuse_losses()
    op.drop_table("packed_run")
    op.drop_index("uq_run_tag_that_holds", table_name="run")
    with op.batch_alter_table("run", schema=None) as batch_op:
        batch_op.create_unique_constraint(op.f("uq_run_campaign_id_tag"), ["campaign_id", "tag"])
        batch_op.drop_constraint(op.f("fk_run_group_id"), type_="foreignkey")
        batch_op.drop_constraint(op.f("fk_run_verdict_by"), type_="foreignkey")
        for check in ("verdict", "priority", "kind"):
            batch_op.drop_constraint(op.f(f"ck_run_{check}"), type_="check")
        for column in ("replaced_at", "verdict_at", "verdict_by", "verdict_reason", "verdict", "priority"):
            batch_op.drop_column(column)
        for column in ("description", "kind", "group_id"):
            batch_op.drop_column(column)
    op.drop_index("ix_pool_entry_added_by_hand", "pool_entry")
    with op.batch_alter_table("pool_entry", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_pool_entry_rank_unless_added"), type_="check")
        batch_op.drop_constraint(op.f("fk_pool_entry_added_by"), type_="foreignkey")
        for column in ("reason", "added_at", "added_by"):
            batch_op.drop_column(column)
        batch_op.alter_column("best_rank", existing_type=sa.Integer(), nullable=False)
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("fk_invitation_group_id"), type_="foreignkey")
        batch_op.drop_column("group_id")
    _swap_roles(OLDER_ROLES)
    for table in ("pool_event", "checked_file", "group_member", "run_group", "collection_list"):
        op.drop_table(table)
    op.drop_column("pool", "opened_at")
    op.drop_column("campaign", "seconds_a_pair")
    op.drop_column("campaign", "run_rules")


def _swap_roles(roles: str) -> None:
    for table in ("member", "invitation"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_constraint(op.f(f"ck_{table}_role"), type_="check")
            batch_op.create_check_constraint(op.f(f"ck_{table}_role"), roles)


def _refuse_losses() -> None:
    for what, count in (
        ("roles of participants", "select count(*) from member where role = 'participant'"),
        ("invitations of participants", "select count(*) from invitation where role = 'participant'"),
        ("runs that were replaced", "select count(*) from run where replaced_at is not null"),
        ("pairs added by hand", "select count(*) from pool_entry where added_at is not null"),
        ("drafts of pools", "select count(*) from pool where opened_at is null"),
        ("events of adaptive pools", "select count(*) from pool_event"),
    ):
        number = op.get_bind().execute(sa.text(count)).scalar_one()
        if number:
            raise ValueError(f"there are {number} {what}, which the older version does not know")


def _make_tables() -> None:
    op.create_table(
        "collection_list",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("content_gzip", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("docnos", sa.Integer(), nullable=False),
        sa.Column("added_by", NUMBER, nullable=True),
        sa.Column("added_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["added_by"], ["account.id"], name=op.f("fk_collection_list_added_by")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_collection_list_campaign_id")
        ),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_collection_list")),
    )
    op.create_table(
        "run_group",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_run_group_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_group")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_run_group_campaign_id_name")),
    )
    op.create_table(
        "group_member",
        sa.Column("group_id", NUMBER, nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_group_member_account_id")),
        sa.ForeignKeyConstraint(["group_id"], ["run_group.id"], name=op.f("fk_group_member_group_id")),
        sa.PrimaryKeyConstraint("group_id", "account_id", name=op.f("pk_group_member")),
    )
    op.create_index(op.f("ix_group_member_account_id"), "group_member", ["account_id"])
    op.create_table(
        "checked_file",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("batch", sa.String(length=64), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("content_gzip", sa.LargeBinary(), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("group_id", NUMBER, nullable=True),
        sa.Column("added_by", NUMBER, nullable=True),
        sa.Column("added_at", MOMENT, nullable=False),
        sa.Column("kept_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["added_by"], ["account.id"], name=op.f("fk_checked_file_added_by")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_checked_file_campaign_id")),
        sa.ForeignKeyConstraint(["group_id"], ["run_group.id"], name=op.f("fk_checked_file_group_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_checked_file")),
    )
    op.create_index("ix_checked_file_batch", "checked_file", ["campaign_id", "batch", "id"])
    op.create_index(op.f("ix_checked_file_added_at"), "checked_file", ["added_at"])
    op.create_table(
        "pool_event",
        sa.Column("pool_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("happening", sa.String(length=20), nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("relevant", sa.Boolean(), nullable=True),
        sa.Column("assessor_id", NUMBER, nullable=True),
        sa.Column("judgment_event_id", NUMBER, nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "happening in ('handed_out','judged','given_back')", name=op.f("ck_pool_event_happening")
        ),
        sa.ForeignKeyConstraint(["assessor_id"], ["assessor.id"], name=op.f("fk_pool_event_assessor_id")),
        sa.ForeignKeyConstraint(
            ["judgment_event_id"], ["judgment_event.id"], name=op.f("fk_pool_event_judgment_event_id")
        ),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_pool_event_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", "topic", "number", name=op.f("pk_pool_event")),
    )
