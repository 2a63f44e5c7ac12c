"""The tables of the first release

Revision: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ID = sa.String(512).with_variant(sa.String(512, collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)
# Trigger, table, what it refuses, of which rows, and in which words.
OF_RELEASE, OF_TRAIL = "a release is never changed", "an entry of the trail never changes"
FINAL = "campaign_id, version, rule, figures, seed, sha256, size, made_by, made_at"
TRIGGERS = (
    (
        "collection_release_is_final",
        "collection_release",
        f"update of {FINAL}",
        " when (old.campaign_id is not null)",
        OF_RELEASE,
    ),
    ("release_part_is_final", "release_part", "update", "", OF_RELEASE),
    ("trail_keeps_update", "trail", "update", "", OF_TRAIL),
    ("trail_keeps_delete", "trail", "delete", "", OF_TRAIL),
)


def upgrade() -> None:
    """Make all tables, and the triggers that keep some of them as they are."""
    op.create_table(
        "account",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("login", sa.String(120), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("password_hash", sa.String(255), nullable=False),
        sa.Column("administrator", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("disabled_at", MOMENT, nullable=True),
        sa.Column("desk", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("login", name=op.f("uq_account_login")),
    )
    op.create_table(
        "campaign",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("slug", sa.String(80), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("scale", sa.JSON(), nullable=False),
        sa.Column("guidelines", sa.Text(), nullable=False),
        sa.Column("instructions", sa.Integer(), nullable=False),
        sa.Column("illustrative", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("run_rules", sa.JSON(), nullable=False),
        sa.Column("desk_rules", sa.JSON(), nullable=False),
        sa.Column("adjudication_rules", sa.JSON(), nullable=False),
        sa.Column("archived_at", MOMENT, nullable=True),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("document_changes", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
        sa.UniqueConstraint("slug", name=op.f("uq_campaign_slug")),
    )
    op.create_table(
        "sign_in_attempt",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("login", sa.String(120), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_attempt")),
    )
    op.create_index(op.f("ix_sign_in_attempt_address"), "sign_in_attempt", ["address"], unique=False)
    op.create_index(op.f("ix_sign_in_attempt_at"), "sign_in_attempt", ["at"], unique=False)
    op.create_index(op.f("ix_sign_in_attempt_login"), "sign_in_attempt", ["login"], unique=False)
    op.create_table(
        "trail",
        sa.Column("id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("account_id", NUMBER, nullable=True),
        sa.Column("act", sa.String(80), nullable=False),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=True),
        sa.Column("request", sa.String(32), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trail")),
    )
    op.create_index(op.f("ix_trail_account_id"), "trail", ["account_id"], unique=False)
    op.create_index(op.f("ix_trail_at"), "trail", ["at"], unique=False)
    op.create_index(op.f("ix_trail_campaign_id"), "trail", ["campaign_id"], unique=False)
    op.create_table(
        "access_token",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("scopes", sa.String(200), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_access_token_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_token")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_access_token_token_hash")),
    )
    op.create_index(op.f("ix_access_token_account_id"), "access_token", ["account_id"], unique=False)
    op.create_table(
        "adjudication_event",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("account_id", NUMBER, nullable=True),
        sa.Column("decision", sa.String(20), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("said", sa.JSON(), nullable=False),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("active_ms", sa.Integer(), nullable=True),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "(decision = 'grade') = (grade is not null)", name=op.f("ck_adjudication_event_grade_if_decided")
        ),
        sa.CheckConstraint(
            "decision in ('grade','back','unclear','withdrawn')", name=op.f("ck_adjudication_event_decision")
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
        "ix_adjudication_event_current",
        "adjudication_event",
        ["campaign_id", "topic", "docno", "id"],
        unique=False,
    )
    op.create_table(
        "assessor",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("machine", sa.Boolean(), nullable=False),
        sa.Column("account_id", NUMBER, nullable=True),
        sa.Column("pseudonym", sa.String(40), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_assessor_account_id")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_assessor_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assessor")),
        sa.UniqueConstraint("campaign_id", "account_id", name=op.f("uq_assessor_campaign_id_account_id")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_assessor_campaign_id_name")),
    )
    op.create_index("ix_assessor_pseudonym", "assessor", ["campaign_id", "pseudonym"], unique=True)
    op.create_table(
        "code_step",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_code_step_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_code_step")),
    )
    op.create_index(op.f("ix_code_step_account_id"), "code_step", ["account_id"], unique=False)
    op.create_table(
        "collection_list",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("content_gzip", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
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
        "collection_release",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=True),
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
        "computed_result",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("used_at", MOMENT, nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_computed_result_campaign_id")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "sha256", name=op.f("pk_computed_result")),
    )
    op.create_index("ix_computed_result_used_at_size", "computed_result", ["used_at", "size"], unique=False)
    op.create_table(
        "document",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_document_campaign_id")),
        sa.PrimaryKeyConstraint("campaign_id", "docno", name=op.f("pk_document")),
    )
    op.create_table(
        "document_sketch",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("sketch", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_document_sketch_campaign_id")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "docno", name=op.f("pk_document_sketch")),
    )
    op.create_table(
        "instructions",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("guidelines", sa.Text(), nullable=False),
        sa.Column("scale", sa.JSON(), nullable=False),
        sa.Column("saved_by", NUMBER, nullable=True),
        sa.Column("saved_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_instructions_campaign_id")),
        sa.ForeignKeyConstraint(["saved_by"], ["account.id"], name=op.f("fk_instructions_saved_by")),
        sa.PrimaryKeyConstraint("campaign_id", "version", name=op.f("pk_instructions")),
    )
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
            ["campaign_id"], ["campaign.id"], name=op.f("fk_judgment_import_campaign_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgment_import")),
    )
    op.create_index(op.f("ix_judgment_import_campaign_id"), "judgment_import", ["campaign_id"], unique=False)
    op.create_table(
        "document_load",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("source", sa.String(200), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("loaded", sa.Integer(), nullable=False),
        sa.Column("moved_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_document_load_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_load")),
    )
    op.create_index(op.f("ix_document_load_campaign_id"), "document_load", ["campaign_id"], unique=False)
    op.create_table(
        "known_answer",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("purpose", sa.String(20), nullable=False),
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
        "mail_address",
        sa.Column("account_id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("address", sa.String(254), nullable=True),
        sa.Column("new_address", sa.String(254), nullable=True),
        sa.Column("token_hash", sa.String(64), nullable=True),
        sa.Column("expires_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_mail_address_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_mail_address")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_mail_address_token_hash")),
    )
    op.create_index(op.f("ix_mail_address_address"), "mail_address", ["address"], unique=False)
    op.create_table(
        "member",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.CheckConstraint(
            "role in ('organiser','assessor','adjudicator','viewer','participant')",
            name=op.f("ck_member_role"),
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_member_account_id")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_member_campaign_id")),
        sa.PrimaryKeyConstraint("campaign_id", "account_id", "role", name=op.f("pk_member")),
    )
    op.create_index(op.f("ix_member_account_id"), "member", ["account_id"], unique=False)
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
    op.create_index("ix_original_campaign_id_address", "original", ["campaign_id", "address"], unique=False)
    op.create_index("ix_original_campaign_id_sha256", "original", ["campaign_id", "sha256"], unique=False)
    op.create_table(
        "password_reset",
        sa.Column("account_id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_password_reset_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_password_reset")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_password_reset_token_hash")),
    )
    op.create_table(
        "pool",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=True),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("recipe", sa.JSON(), nullable=False),
        sa.Column("pairs", sa.Integer(), nullable=False),
        sa.Column("largest_possible", sa.Integer(), nullable=False),
        sa.Column("created_by", NUMBER, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("opened_at", MOMENT, nullable=True),
        sa.Column("closed_at", MOMENT, nullable=True),
        sa.Column("per_pair", sa.Integer(), nullable=True),
        sa.CheckConstraint("per_pair is null or per_pair >= 1", name=op.f("ck_pool_per_pair")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_pool_campaign_id")),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_pool_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pool")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_pool_campaign_id_name")),
    )
    op.create_table(
        "recovery_code",
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_recovery_code_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("code_hash", name=op.f("pk_recovery_code")),
    )
    op.create_index(op.f("ix_recovery_code_account_id"), "recovery_code", ["account_id"], unique=False)
    op.create_table(
        "release_origin",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("contents", sa.JSON(), nullable=False),
        sa.Column("imported_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_release_origin_campaign_id")),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_release_origin")),
    )
    op.create_table(
        "repeatable_request",
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("begun_at", MOMENT, nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_repeatable_request_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "key", name=op.f("pk_repeatable_request")),
    )
    op.create_index(op.f("ix_repeatable_request_begun_at"), "repeatable_request", ["begun_at"], unique=False)
    op.create_table(
        "run_group",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_run_group_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_group")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_run_group_campaign_id_name")),
    )
    op.create_table(
        "session",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("browser", sa.String(200), nullable=False),
        sa.Column("network", sa.String(64), nullable=False),
        sa.Column("used_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_session_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_session")),
    )
    op.create_index(op.f("ix_session_account_id"), "session", ["account_id"], unique=False)
    op.create_table(
        "topic",
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("narrative", sa.Text(), nullable=False),
        sa.Column("subtopics", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_topic_campaign_id")),
        sa.PrimaryKeyConstraint("campaign_id", "topic", name=op.f("pk_topic")),
    )
    op.create_table(
        "two_factor",
        sa.Column("account_id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("confirmed_at", MOMENT, nullable=True),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_two_factor_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_two_factor")),
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
        "assignment",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("pool_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("assessor_id", NUMBER, nullable=False),
        sa.Column("order_rule", sa.String(20), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("assigned_at", MOMENT, nullable=False),
        sa.Column("revoked_at", MOMENT, nullable=True),
        sa.CheckConstraint(
            "order_rule in ('shuffled','docno','priority')", name=op.f("ck_assignment_order_rule")
        ),
        sa.ForeignKeyConstraint(["assessor_id"], ["assessor.id"], name=op.f("fk_assignment_assessor_id")),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_assignment_pool_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint(
            "pool_id", "topic", "assessor_id", name=op.f("uq_assignment_pool_id_topic_assessor_id")
        ),
    )
    op.create_index(op.f("ix_assignment_assessor_id"), "assignment", ["assessor_id"], unique=False)
    op.create_table(
        "checked_file",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("batch", sa.String(64), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("content_gzip", sa.LargeBinary(), nullable=True),
        sa.Column("sha256", sa.String(64), nullable=True),
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
    op.create_index(op.f("ix_checked_file_added_at"), "checked_file", ["added_at"], unique=False)
    op.create_index("ix_checked_file_batch", "checked_file", ["campaign_id", "batch", "id"], unique=False)
    op.create_table(
        "group_member",
        sa.Column("group_id", NUMBER, nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_group_member_account_id")),
        sa.ForeignKeyConstraint(["group_id"], ["run_group.id"], name=op.f("fk_group_member_group_id")),
        sa.PrimaryKeyConstraint("group_id", "account_id", name=op.f("pk_group_member")),
    )
    op.create_index(op.f("ix_group_member_account_id"), "group_member", ["account_id"], unique=False)
    op.create_table(
        "import_portion",
        sa.Column("import_id", NUMBER, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("judgments", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"], ["judgment_import.id"], name=op.f("fk_import_portion_import_id")
        ),
        sa.PrimaryKeyConstraint("import_id", "number", name=op.f("pk_import_portion")),
    )
    op.create_table(
        "invitation",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("note", sa.String(200), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("group_id", NUMBER, nullable=True),
        sa.Column("invited_by", NUMBER, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT, nullable=True),
        sa.Column("used_by", NUMBER, nullable=True),
        sa.Column("withdrawn_at", MOMENT, nullable=True),
        sa.Column("form", sa.String(64), nullable=True),
        sa.Column("mailed_to", sa.String(254), nullable=False),
        sa.CheckConstraint(
            "role in ('organiser','assessor','adjudicator','viewer','participant')",
            name=op.f("ck_invitation_role"),
        ),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_invitation_campaign_id")),
        sa.ForeignKeyConstraint(["group_id"], ["run_group.id"], name=op.f("fk_invitation_group_id")),
        sa.ForeignKeyConstraint(["invited_by"], ["account.id"], name=op.f("fk_invitation_invited_by")),
        sa.ForeignKeyConstraint(["used_by"], ["account.id"], name=op.f("fk_invitation_used_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitation_token_hash")),
    )
    op.create_index(op.f("ix_invitation_campaign_id"), "invitation", ["campaign_id"], unique=False)
    op.create_table(
        "learner_candidates",
        sa.Column("pool_id", NUMBER, nullable=False),
        sa.Column("docnos_packed", sa.LargeBinary(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["pool_id"], ["pool.id"], name=op.f("fk_learner_candidates_pool_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_learner_candidates")),
    )
    op.create_table(
        "learner_round",
        sa.Column("pool_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("known", sa.Integer(), nullable=False),
        sa.Column("since", sa.Integer(), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("places", sa.LargeBinary(), nullable=False),
        sa.Column("scores", sa.LargeBinary(), nullable=False),
        sa.Column("document_changes", sa.Integer(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.CheckConstraint("known <= since and batch >= 1", name=op.f("ck_learner_round_order")),
        sa.ForeignKeyConstraint(
            ["pool_id"], ["pool.id"], name=op.f("fk_learner_round_pool_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("pool_id", "topic", "number", name=op.f("pk_learner_round")),
    )
    op.create_table(
        "missed_sample",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("pool_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("collection", sa.Integer(), nullable=False),
        sa.Column("unpooled", sa.Integer(), nullable=False),
        sa.Column("known", sa.JSON(), nullable=False),
        sa.Column("docnos", sa.JSON(), nullable=False),
        sa.Column("drawn_by", NUMBER, nullable=True),
        sa.Column("drawn_at", MOMENT, nullable=False),
        sa.CheckConstraint("unpooled > 0 and unpooled <= collection", name=op.f("ck_missed_sample_unpooled")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_missed_sample_campaign_id")),
        sa.ForeignKeyConstraint(["drawn_by"], ["account.id"], name=op.f("fk_missed_sample_drawn_by")),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_missed_sample_pool_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_missed_sample")),
    )
    op.create_index(
        "ix_missed_sample_campaign_id_topic", "missed_sample", ["campaign_id", "topic", "id"], unique=False
    )
    op.create_table(
        "pool_entry",
        sa.Column("pool_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("brought_by", sa.JSON(), nullable=False),
        sa.Column("best_rank", sa.Integer(), nullable=True),
        sa.Column("run_count", sa.Integer(), nullable=False),
        sa.Column("weight", sa.Double(), nullable=True),
        sa.Column("inclusion", sa.Double(), nullable=True),
        sa.Column("stratum", sa.Integer(), nullable=True),
        sa.Column("added_by", NUMBER, nullable=True),
        sa.Column("added_at", MOMENT, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "best_rank is not null or added_at is not null", name=op.f("ck_pool_entry_rank_unless_added")
        ),
        sa.CheckConstraint(
            "inclusion is null or (inclusion > 0 and inclusion <= 1)", name=op.f("ck_pool_entry_inclusion")
        ),
        sa.ForeignKeyConstraint(["added_by"], ["account.id"], name=op.f("fk_pool_entry_added_by")),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_pool_entry_pool_id")),
        sa.PrimaryKeyConstraint("pool_id", "topic", "docno", name=op.f("pk_pool_entry")),
    )
    op.create_index(
        "ix_pool_entry_added_by_hand",
        "pool_entry",
        ["pool_id", "topic"],
        unique=False,
        sqlite_where=sa.text("added_at is not null"),
        postgresql_where=sa.text("added_at is not null"),
    )
    op.create_table(
        "preference_task",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
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
    op.create_index(op.f("ix_preference_task_assessor_id"), "preference_task", ["assessor_id"], unique=False)
    op.create_index(op.f("ix_preference_task_campaign_id"), "preference_task", ["campaign_id"], unique=False)
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
        "run",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("tag", ID, nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("topics", sa.Integer(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("added_by", NUMBER, nullable=True),
        sa.Column("added_at", MOMENT, nullable=False),
        sa.Column("group_id", NUMBER, nullable=True),
        sa.Column("kind", sa.String(20), nullable=True),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=True),
        sa.Column("verdict", sa.String(20), nullable=False),
        sa.Column("verdict_reason", sa.Text(), nullable=False),
        sa.Column("verdict_by", NUMBER, nullable=True),
        sa.Column("verdict_at", MOMENT, nullable=True),
        sa.Column("replaced_at", MOMENT, nullable=True),
        sa.Column("seconds_per_query", sa.Double(), nullable=True),
        sa.Column("index_bytes", sa.BigInteger(), nullable=True),
        # Last: SQLite reads what a list of runs needs without passing by their files.
        sa.Column("content_gzip", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("kind is null or kind in ('automatic','manual')", name=op.f("ck_run_kind")),
        sa.CheckConstraint("verdict in ('received','accepted','set_aside')", name=op.f("ck_run_verdict")),
        sa.CheckConstraint("index_bytes is null or index_bytes > 0", name=op.f("ck_run_index_bytes")),
        sa.CheckConstraint("priority is null or priority >= 1", name=op.f("ck_run_priority")),
        sa.CheckConstraint(
            "seconds_per_query is null or seconds_per_query > 0", name=op.f("ck_run_seconds_per_query")
        ),
        sa.ForeignKeyConstraint(["added_by"], ["account.id"], name=op.f("fk_run_added_by")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_run_campaign_id")),
        sa.ForeignKeyConstraint(["group_id"], ["run_group.id"], name=op.f("fk_run_group_id")),
        sa.ForeignKeyConstraint(["verdict_by"], ["account.id"], name=op.f("fk_run_verdict_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    op.create_index(
        "uq_run_tag_that_holds",
        "run",
        ["campaign_id", "tag"],
        unique=True,
        sqlite_where=sa.text("replaced_at is null"),
        postgresql_where=sa.text("replaced_at is null"),
    )
    op.create_table(
        "judgment_event",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("assessor_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("answer", sa.String(20), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("source", sa.String(200), nullable=False),
        sa.Column("assignment_id", NUMBER, nullable=True),
        sa.Column("document_sha256", sa.String(64), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("order_rule", sa.String(20), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("active_ms", sa.Integer(), nullable=True),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.Column("purpose", sa.String(20), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=True),
        sa.Column("ratings", sa.JSON(), nullable=True),
        sa.Column("subtopics", sa.JSON(), nullable=True),
        sa.Column("said_at", MOMENT, nullable=True),
        sa.Column("instructions", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "(answer = 'grade') = (grade is not null)", name=op.f("ck_judgment_event_grade_if_graded")
        ),
        sa.CheckConstraint(
            "answer in ('grade','unsure','cannot_judge','later','withdrawn')",
            name=op.f("ck_judgment_event_answer"),
        ),
        sa.CheckConstraint(
            "purpose in ('judging','discussion','repeat','planted','training')",
            name=op.f("ck_judgment_event_purpose"),
        ),
        sa.CheckConstraint("grade is null or grade >= 0", name=op.f("ck_judgment_event_grade_not_negative")),
        sa.ForeignKeyConstraint(["assessor_id"], ["assessor.id"], name=op.f("fk_judgment_event_assessor_id")),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_judgment_event_assignment_id")
        ),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_judgment_event_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgment_event")),
        sa.UniqueConstraint("assessor_id", "client_id", name=op.f("uq_judgment_event_assessor_id_client_id")),
    )
    op.create_index("ix_judgment_event_assessor_id_id", "judgment_event", ["assessor_id", "id"], unique=False)
    op.create_index(
        "ix_judgment_event_current",
        "judgment_event",
        ["campaign_id", "assessor_id", "topic", "docno", "id", "purpose", "answer", "grade"],
        unique=False,
    )
    op.create_table(
        "kept_aside",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("account_id", NUMBER, nullable=False),
        sa.Column("assignment_id", NUMBER, nullable=True),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.Column("settled_by", NUMBER, nullable=True),
        sa.Column("settled_at", MOMENT, nullable=True),
        sa.Column("settlement", sa.String(20), nullable=True),
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
    op.create_index(op.f("ix_kept_aside_campaign_id"), "kept_aside", ["campaign_id"], unique=False)
    op.create_table(
        "mail_message",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("asked", sa.String(254), nullable=False),
        sa.Column("account_id", NUMBER, nullable=True),
        sa.Column("invitation_id", NUMBER, nullable=True),
        sa.Column("campaign_id", NUMBER, nullable=True),
        sa.Column("deadline", sa.Date(), nullable=True),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("claimed_until", MOMENT, nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(300), nullable=False),
        sa.Column("sent_at", MOMENT, nullable=True),
        sa.CheckConstraint(
            "state in ('waiting','sent','failed','not needed')", name=op.f("ck_mail_message_state")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_mail_message_account_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_mail_message_campaign_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["invitation_id"],
            ["invitation.id"],
            name=op.f("fk_mail_message_invitation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail_message")),
    )
    op.create_index(op.f("ix_mail_message_account_id"), "mail_message", ["account_id"], unique=False)
    op.create_index(op.f("ix_mail_message_campaign_id"), "mail_message", ["campaign_id"], unique=False)
    op.create_index(op.f("ix_mail_message_due_at"), "mail_message", ["due_at"], unique=False)
    op.create_index(op.f("ix_mail_message_invitation_id"), "mail_message", ["invitation_id"], unique=False)
    op.create_table(
        "packed_run",
        sa.Column("run_id", NUMBER, nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("records", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_packed_run_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_packed_run")),
    )
    op.create_table(
        "preference_event",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("task_id", NUMBER, nullable=False),
        sa.Column("first", ID, nullable=False),
        sa.Column("second", ID, nullable=False),
        sa.Column("first_was_left", sa.Boolean(), nullable=False),
        sa.Column("choice", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("client_id", sa.String(64), nullable=False),
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
        "search",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("campaign_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("account_id", NUMBER, nullable=True),
        sa.Column("assignment_id", NUMBER, nullable=True),
        sa.Column("typed", sa.Text(), nullable=False),
        sa.Column("understood", sa.Text(), nullable=False),
        sa.Column("among", sa.String(20), nullable=False),
        sa.Column("like", ID, nullable=True),
        sa.Column("engine", sa.String(80), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("found", sa.Integer(), nullable=False),
        sa.Column("docnos", sa.JSON(), nullable=False),
        sa.Column("searched_at", MOMENT, nullable=False),
        sa.CheckConstraint("among in ('all','mine','new','pooled')", name=op.f("ck_search_among")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_search_account_id")),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_search_assignment_id")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_search_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search")),
    )
    op.create_index("ix_search_campaign_id_topic", "search", ["campaign_id", "topic", "id"], unique=False)
    op.create_table(
        "pool_event",
        sa.Column("pool_id", NUMBER, nullable=False),
        sa.Column("topic", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("happening", sa.String(20), nullable=False),
        sa.Column("docno", ID, nullable=False),
        sa.Column("relevant", sa.Boolean(), nullable=True),
        sa.Column("assessor_id", NUMBER, nullable=True),
        sa.Column("judgment_event_id", NUMBER, nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("origin", sa.String(10), nullable=True),
        sa.Column("round", sa.Integer(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("score", sa.Double(), nullable=True),
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
    op.create_index(
        op.f("ix_pool_event_judgment_event_id"), "pool_event", ["judgment_event_id"], unique=False
    )
    op.create_index(
        "ix_pool_event_topic_docno_assessor_id", "pool_event", ["topic", "docno", "assessor_id"], unique=False
    )
    op.create_table(
        "search_event",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("search_id", NUMBER, nullable=False),
        sa.Column("happening", sa.String(20), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("docno", ID, nullable=True),
        sa.Column("judgment_event_id", NUMBER, nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "(happening = 'shown') = (docno is null)", name=op.f("ck_search_event_docno_unless_shown")
        ),
        sa.CheckConstraint(
            "happening in ('shown','opened','judged','added')", name=op.f("ck_search_event_happening")
        ),
        sa.ForeignKeyConstraint(
            ["judgment_event_id"], ["judgment_event.id"], name=op.f("fk_search_event_judgment_event_id")
        ),
        sa.ForeignKeyConstraint(["search_id"], ["search.id"], name=op.f("fk_search_event_search_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_event")),
    )
    op.create_index(
        op.f("ix_search_event_judgment_event_id"), "search_event", ["judgment_event_id"], unique=False
    )
    op.create_index(op.f("ix_search_event_search_id"), "search_event", ["search_id"], unique=False)
    postgresql = op.get_bind().dialect.name == "postgresql"
    for name, table, act, condition, refusal in TRIGGERS:
        head = f"create trigger {name} before {act} on {table}"
        if not postgresql:
            op.execute(f"{head}{condition} begin select raise(abort, '{refusal}'); end")
            continue
        op.execute(
            f"create function refuse_{name}() returns trigger language plpgsql as "
            f"$$ begin raise exception '{refusal}' using errcode = 'integrity_constraint_violation'; end $$"
        )
        op.execute(f"{head} for each row{condition} execute function refuse_{name}()")


def downgrade() -> None:
    """Remove everything."""
    tables = sa.MetaData()
    tables.reflect(op.get_bind())
    tables.remove(tables.tables["alembic_version"])
    tables.drop_all(op.get_bind())
    if op.get_bind().dialect.name == "postgresql":
        for name, *_ in TRIGGERS:
            op.execute(f"drop function refuse_{name}()")
