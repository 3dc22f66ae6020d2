"""Teams: accounts, guidelines, known answers, drafts, evidence, decisions, budgets."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "sign_in_failure",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_failure")),
    )
    with op.batch_alter_table("sign_in_failure") as batch_op:
        batch_op.create_index("ix_sign_in_failure_subject", ["subject", "created_at"], unique=False)

    op.create_table(
        "account",
        sa.Column("person_id", ROW_ID, nullable=False),
        sa.Column("login", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("oidc_issuer", sa.Text(), nullable=True),
        sa.Column("oidc_subject", sa.Text(), nullable=True),
        sa.Column("is_disabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_account_person_id")),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_account")),
        sa.UniqueConstraint("login", name=op.f("uq_account_login")),
        sa.UniqueConstraint(
            "oidc_issuer", "oidc_subject", name=op.f("uq_account_oidc_issuer_oidc_subject")
        ),
    )
    op.create_table(
        "guideline",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("study_id", ROW_ID, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_guideline_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guideline")),
        sa.UniqueConstraint("study_id", "version", name=op.f("uq_guideline_study_id_version")),
    )
    op.create_table(
        "invitation",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("login", sa.Text(), nullable=True),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_by_id", ROW_ID, nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["used_by_id"], ["person.id"], name=op.f("fk_invitation_used_by_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitation_token_hash")),
    )
    op.create_table(
        "login_session",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("person_id", ROW_ID, nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_login_session_person_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_session")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_login_session_token_hash")),
    )
    with op.batch_alter_table("login_session") as batch_op:
        batch_op.create_index("ix_login_session_person_id", ["person_id"], unique=False)

    op.create_table(
        "draft",
        sa.Column("person_id", ROW_ID, nullable=False),
        sa.Column("item_id", ROW_ID, nullable=False),
        sa.Column("label_type", sa.Text(), nullable=False),
        sa.Column("study_id", ROW_ID, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=True),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_draft_item_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_draft_person_id")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_draft_study_id")),
        sa.PrimaryKeyConstraint("person_id", "item_id", "label_type", name=op.f("pk_draft")),
    )
    with op.batch_alter_table("draft") as batch_op:
        batch_op.create_index(batch_op.f("ix_draft_study_id"), ["study_id"], unique=False)

    op.create_table(
        "known_answer",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("study_id", ROW_ID, nullable=False),
        sa.Column("context_id", ROW_ID, nullable=False),
        sa.Column("item_id", ROW_ID, nullable=False),
        sa.Column("label_type", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("is_practice", sa.Boolean(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["context_id"], ["context.id"], name=op.f("fk_known_answer_context_id")
        ),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_known_answer_item_id")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_known_answer_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_known_answer")),
        sa.UniqueConstraint(
            "item_id", "label_type", name=op.f("uq_known_answer_item_id_label_type")
        ),
    )
    with op.batch_alter_table("known_answer") as batch_op:
        batch_op.create_index(
            batch_op.f("ix_known_answer_context_id"), ["context_id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_known_answer_study_id"), ["study_id"], unique=False)

    op.create_table(
        "evidence",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("event_id", ROW_ID, nullable=False),
        sa.Column("passage", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["label_event.id"], name=op.f("fk_evidence_event_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence")),
    )
    with op.batch_alter_table("evidence") as batch_op:
        batch_op.create_index(batch_op.f("ix_evidence_event_id"), ["event_id"], unique=False)

    with op.batch_alter_table("context") as batch_op:
        batch_op.add_column(sa.Column("retrieval_decided", sa.SmallInteger(), nullable=True))
        batch_op.create_index(
            "ix_context_progress", ["study_id", "retrieval_votes", "retrieval_decided"]
        )

    with op.batch_alter_table("item") as batch_op:
        batch_op.add_column(sa.Column("task_decided", sa.SmallInteger(), nullable=True))
        batch_op.create_index(
            "ix_item_progress",
            ["study_id", "abstained", "task_votes", "task_decided"],
            sqlite_where=sa.text("answer IS NOT NULL"),
            postgresql_where=sa.text("answer IS NOT NULL"),
        )

    with op.batch_alter_table("label_event") as batch_op:
        batch_op.add_column(sa.Column("guideline_version", sa.Integer(), nullable=True))

    with op.batch_alter_table("lease") as batch_op:
        batch_op.add_column(sa.Column("kind", sa.Text(), server_default="label", nullable=False))

    with op.batch_alter_table("answer") as batch_op:
        batch_op.add_column(
            sa.Column("is_charged", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        batch_op.create_index("ix_answer_charged", ["study_id", "label_type", "is_charged"])
    _charge_answers()

    with op.batch_alter_table("study") as batch_op:
        batch_op.add_column(
            sa.Column("guideline_version", sa.Integer(), server_default="0", nullable=False)
        )
        batch_op.add_column(sa.Column("state", sa.Text(), server_default="open", nullable=False))
        batch_op.add_column(
            sa.Column("asks_in_row", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        batch_op.add_column(sa.Column("retrieval_budget", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("task_budget", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("label_budget", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("gold_share", sa.Float(), server_default="0", nullable=False))
        batch_op.add_column(
            sa.Column("practices_first", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        batch_op.add_column(
            sa.Column("wants_evidence", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        batch_op.add_column(
            sa.Column("models_annotators", sa.Boolean(), server_default=sa.false(), nullable=False)
        )


def _charge_answers() -> None:
    """Labels that were given here, not imported, count against the budgets."""
    answer = sa.table(
        "answer",
        sa.column("event_id"),
        sa.column("value"),
        sa.column("is_extra", sa.Boolean()),
        sa.column("is_charged", sa.Boolean()),
    )
    event = sa.table("label_event", sa.column("id"), sa.column("reason_asked"))
    given = sa.exists().where(event.c.id == answer.c.event_id, event.c.reason_asked != "imported")
    counts = sa.and_(answer.c.value != "skip", answer.c.is_extra.is_(sa.false()), given)
    op.execute(answer.update().where(counts).values(is_charged=sa.true()))


def downgrade() -> None:
    """Change it back."""
    with op.batch_alter_table("study", recreate="never") as batch_op:
        batch_op.drop_column("models_annotators")
        batch_op.drop_column("wants_evidence")
        batch_op.drop_column("practices_first")
        batch_op.drop_column("gold_share")
        batch_op.drop_column("label_budget")
        batch_op.drop_column("task_budget")
        batch_op.drop_column("retrieval_budget")
        batch_op.drop_column("asks_in_row")
        batch_op.drop_column("state")
        batch_op.drop_column("guideline_version")

    with op.batch_alter_table("answer", recreate="never") as batch_op:
        batch_op.drop_index("ix_answer_charged")
        batch_op.drop_column("is_charged")

    with op.batch_alter_table("lease", recreate="never") as batch_op:
        batch_op.drop_column("kind")

    with op.batch_alter_table("label_event", recreate="never") as batch_op:
        batch_op.drop_column("guideline_version")

    with op.batch_alter_table("item", recreate="never") as batch_op:
        batch_op.drop_index("ix_item_progress")
        batch_op.drop_column("task_decided")

    with op.batch_alter_table("context", recreate="never") as batch_op:
        batch_op.drop_index("ix_context_progress")
        batch_op.drop_column("retrieval_decided")

    with op.batch_alter_table("evidence") as batch_op:
        batch_op.drop_index(batch_op.f("ix_evidence_event_id"))

    op.drop_table("evidence")
    with op.batch_alter_table("known_answer") as batch_op:
        batch_op.drop_index(batch_op.f("ix_known_answer_study_id"))
        batch_op.drop_index(batch_op.f("ix_known_answer_context_id"))

    op.drop_table("known_answer")
    with op.batch_alter_table("draft") as batch_op:
        batch_op.drop_index(batch_op.f("ix_draft_study_id"))

    op.drop_table("draft")
    with op.batch_alter_table("login_session") as batch_op:
        batch_op.drop_index("ix_login_session_person_id")

    op.drop_table("login_session")
    op.drop_table("invitation")
    op.drop_table("guideline")
    op.drop_table("account")
    with op.batch_alter_table("sign_in_failure") as batch_op:
        batch_op.drop_index("ix_sign_in_failure_subject")

    op.drop_table("sign_in_failure")
