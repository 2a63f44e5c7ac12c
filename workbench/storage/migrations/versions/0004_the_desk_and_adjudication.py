"""What the judging desk keeps of an answer, preferences, known answers, adjudication

Revision: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ID = sa.String(length=512).with_variant(sa.String(length=512, collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)
ANSWERS = "answer in ('grade','unsure','cannot_judge','later','withdrawn')"
OLDER_ANSWERS = "answer in ('grade','unsure','cannot_judge','withdrawn')"
PURPOSES = "purpose in ('judging','discussion','repeat','planted','training')"
CURRENT = "ix_judgment_event_current"
OF_A_PAIR = ["campaign_id", "assessor_id", "topic", "docno", "id"]
NEW_TABLES = (
    "adjudication_event",
    "preference_event",
    "preference_task",
    "kept_aside",
    "assessor_note",
    "known_answer",
    "document_sketch",
)


def upgrade() -> None:
    """Make the new tables and columns; every answer that is there was given while judging."""
    for column in ("desk_rules", "adjudication_rules"):
        op.add_column("campaign", sa.Column(column, sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("topic", sa.Column("subtopics", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("account", sa.Column("desk", sa.JSON(), nullable=False, server_default="{}"))
    with op.batch_alter_table("pool", schema=None) as batch_op:
        batch_op.add_column(sa.Column("per_pair", sa.Integer(), nullable=True))
        batch_op.create_check_constraint(op.f("ck_pool_per_pair"), "per_pair is null or per_pair >= 1")
    op.drop_index(CURRENT, "judgment_event")
    with op.batch_alter_table("judgment_event", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("purpose", sa.String(length=20), nullable=False, server_default="judging")
        )
        batch_op.add_column(sa.Column("comment", sa.Text(), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("evidence", sa.JSON(), nullable=True))
        batch_op.add_column(sa.Column("ratings", sa.JSON(), nullable=True))
        batch_op.add_column(sa.Column("subtopics", sa.JSON(), nullable=True))
        batch_op.add_column(sa.Column("said_at", MOMENT, nullable=True))
        batch_op.drop_constraint(op.f("ck_judgment_event_answer"), type_="check")
        batch_op.create_check_constraint(op.f("ck_judgment_event_answer"), ANSWERS)
        batch_op.create_check_constraint(op.f("ck_judgment_event_purpose"), PURPOSES)
    op.create_index(CURRENT, "judgment_event", [*OF_A_PAIR, "purpose", "answer", "grade"])
    _make_tables_of_the_desk()
    _make_tables_of_deciding()


def downgrade() -> None:
    """Take all of it back; refuses what the older version could not keep."""
    _refuse_losses()
    for table in NEW_TABLES:
        op.drop_table(table)
    op.drop_index(CURRENT, "judgment_event")
    with op.batch_alter_table("judgment_event", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_judgment_event_purpose"), type_="check")
        batch_op.drop_constraint(op.f("ck_judgment_event_answer"), type_="check")
        batch_op.create_check_constraint(op.f("ck_judgment_event_answer"), OLDER_ANSWERS)
        for column in ("said_at", "subtopics", "ratings", "evidence", "comment", "purpose"):
            batch_op.drop_column(column)
    op.create_index(CURRENT, "judgment_event", OF_A_PAIR)
    with op.batch_alter_table("pool", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_pool_per_pair"), type_="check")
        batch_op.drop_column("per_pair")
    op.drop_column("account", "desk")
    op.drop_column("topic", "subtopics")
    op.drop_column("campaign", "adjudication_rules")
    op.drop_column("campaign", "desk_rules")


def _refuse_losses() -> None:
    for what, count in (
        ("answers put off", "select count(*) from judgment_event where answer = 'later'"),
        ("probes and discussions", "select count(*) from judgment_event where purpose <> 'judging'"),
        ("comments", "select count(*) from judgment_event where comment <> ''"),
        ("passages", "select count(*) from judgment_event where evidence is not null"),
        ("pools that are judged from a queue", "select count(*) from pool where per_pair is not null"),
        ("answers kept aside", "select count(*) from kept_aside"),
        ("known answers", "select count(*) from known_answer"),
        ("preferences", "select count(*) from preference_event"),
        ("adjudicated pairs", "select count(*) from adjudication_event"),
    ):
        number = op.get_bind().execute(sa.text(count)).scalar_one()
        if number:
            raise ValueError(f"there are {number} {what}, which the older version does not know")


def _make_tables_of_the_desk() -> None:
    op.create_table(
        "document_sketch",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("sketch", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_document_sketch_campaign_id")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "docno", name=op.f("pk_document_sketch")),
    )
    op.create_table(
        "known_answer",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=False),
        sa.Column("feedback", sa.Text(), nullable=False),
        sa.Column("added_by", NUMBER, nullable=True),
        sa.Column("added_at", MOMENT, nullable=False),
        sa.CheckConstraint("purpose in ('planted','training')", name=op.f("ck_known_answer_purpose")),
        sa.CheckConstraint("grade >= 0", name=op.f("ck_known_answer_grade_not_negative")),
        sa.ForeignKeyConstraint(["added_by"], ["account.id"], name=op.f("fk_known_answer_added_by")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_known_answer_campaign_id")),
        sa.PrimaryKeyConstraint("campaign_id", "topic", "docno", "purpose", name=op.f("pk_known_answer")),
    )
    op.create_table(
        "assessor_note",
        sa.Column("assessor_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("changed_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["assessor_id"], ["assessor.id"], name=op.f("fk_assessor_note_assessor_id")),
        sa.PrimaryKeyConstraint("assessor_id", "topic", name=op.f("pk_assessor_note")),
    )
    op.create_table(
        "kept_aside",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("assignment_id", NUMBER, nullable=True),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.Column("settled_by", NUMBER, nullable=True),
        sa.Column("settled_at", MOMENT, nullable=True),
        sa.Column("settlement", sa.String(length=20), nullable=True),
        sa.CheckConstraint(
            "settlement is null or settlement in ('recorded','dismissed')",
            name=op.f("ck_kept_aside_settlement"),
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_kept_aside_account_id")),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_kept_aside_assignment_id")
        ),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_kept_aside_campaign_id")),
        sa.ForeignKeyConstraint(["settled_by"], ["account.id"], name=op.f("fk_kept_aside_settled_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_kept_aside")),
        sa.UniqueConstraint("account_id", "client_id", name=op.f("uq_kept_aside_account_id_client_id")),
    )
    op.create_index(op.f("ix_kept_aside_campaign_id"), "kept_aside", ["campaign_id"])


def _make_tables_of_deciding() -> None:
    op.create_table(
        "preference_task",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("assessor_id", NUMBER, nullable=False),
        sa.Column("pairs", sa.JSON(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("assigned_at", MOMENT, nullable=False),
        sa.Column("revoked_at", MOMENT, nullable=True),
        sa.CheckConstraint("kind in ('documents','runs')", name=op.f("ck_preference_task_kind")),
        sa.ForeignKeyConstraint(
            ["assessor_id"], ["assessor.id"], name=op.f("fk_preference_task_assessor_id")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_preference_task_campaign_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_preference_task")),
    )
    for column in ("assessor_id", "campaign_id"):
        op.create_index(op.f(f"ix_preference_task_{column}"), "preference_task", [column])
    op.create_table(
        "preference_event",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("task_id", NUMBER, nullable=False),
        sa.Column("first", ID, nullable=False),
        sa.Column("second", ID, nullable=False),
        sa.Column("first_was_left", sa.Boolean(), nullable=False),
        sa.Column("choice", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("active_ms", sa.Integer(), nullable=True),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "choice in ('first','second','tie','both_bad','withdrawn')",
            name=op.f("ck_preference_event_choice"),
        ),
        sa.ForeignKeyConstraint(
            ["task_id"], ["preference_task.id"], name=op.f("fk_preference_event_task_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_preference_event")),
        sa.UniqueConstraint("task_id", "client_id", name=op.f("uq_preference_event_task_id_client_id")),
    )
    op.create_table(
        "adjudication_event",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("account_id", NUMBER, nullable=True),
        sa.Column("decision", sa.String(length=20), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("said", sa.JSON(), nullable=False),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("active_ms", sa.Integer(), nullable=True),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "decision in ('grade','back','unclear','withdrawn')",
            name=op.f("ck_adjudication_event_decision"),
        ),
        sa.CheckConstraint(
            "(decision = 'grade') = (grade is not null)",
            name=op.f("ck_adjudication_event_grade_if_decided"),
        ),
        sa.CheckConstraint(
            "grade is null or grade >= 0", name=op.f("ck_adjudication_event_grade_not_negative")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_adjudication_event_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_adjudication_event_campaign_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_adjudication_event")),
        sa.UniqueConstraint(
            "campaign_id", "client_id", name=op.f("uq_adjudication_event_campaign_id_client_id")
        ),
    )
    op.create_index(
        "ix_adjudication_event_current", "adjudication_event", ["campaign_id", "topic", "docno", "id"]
    )
