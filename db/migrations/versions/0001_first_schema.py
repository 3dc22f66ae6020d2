"""First schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Change the schema."""

    op.create_table(
        "person",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("name", name=op.f("uq_person_name")),
    )
    op.create_table(
        "study",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("guidelines", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("asks", sa.Text(), nullable=False),
        sa.Column("votes_wanted", sa.Integer(), nullable=False),
        sa.Column("policy", sa.JSON(), nullable=False),
        sa.Column("prior", sa.JSON(), nullable=False),
        sa.Column("interval", sa.Float(), nullable=False),
        sa.Column("shows_metadata", sa.Boolean(), nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study")),
        sa.UniqueConstraint("name", name=op.f("uq_study_name")),
    )
    op.create_table(
        "worker",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worker")),
    )
    op.create_table(
        "abstention_rule_set",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["study.id"], name=op.f("fk_abstention_rule_set_study_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_abstention_rule_set")),
        sa.UniqueConstraint(
            "study_id", "version", name=op.f("uq_abstention_rule_set_study_id_version")
        ),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_audit_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_study_id"), ["study_id"], unique=False)

    op.create_table(
        "context",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("query_key", sa.Text(), nullable=False),
        sa.Column("context_key", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("contexts", sa.Text(), nullable=True),
        sa.Column("retrieval", sa.SmallInteger(), nullable=True),
        sa.Column("retrieval_votes", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_context_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_context")),
        sa.UniqueConstraint(
            "study_id",
            "query_key",
            "context_key",
            name=op.f("uq_context_study_id_query_key_context_key"),
        ),
    )
    op.create_table(
        "job",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=False),
        sa.Column("progress", sa.Float(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("is_cancel_wanted", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_job_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.create_index("ix_job_state", ["state"], unique=False)

    op.create_table(
        "refresh",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("last_event_id", sa.Integer(), nullable=False),
        sa.Column("retrieval_labels", sa.Integer(), nullable=False),
        sa.Column("task_labels", sa.Integer(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("fit_ids", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_refresh_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_refresh")),
    )
    with op.batch_alter_table("refresh", schema=None) as batch_op:
        batch_op.create_index("ix_refresh_study_id_id", ["study_id", "id"], unique=False)

    op.create_table(
        "system",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_system_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_system")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_system_study_id_name")),
    )
    op.create_table(
        "fit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("is_ok", sa.Boolean(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("grid", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_fit_study_id")),
        sa.ForeignKeyConstraint(["system_id"], ["system.id"], name=op.f("fk_fit_system_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fit")),
        sa.UniqueConstraint("system_id", "fingerprint", name=op.f("uq_fit_system_id_fingerprint")),
    )
    op.create_table(
        "item",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "context_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("item_key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("cells", sa.JSON(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("abstained_column", sa.SmallInteger(), nullable=True),
        sa.Column("abstained_rules", sa.SmallInteger(), nullable=True),
        sa.Column("abstained_override", sa.SmallInteger(), nullable=True),
        sa.Column("abstained", sa.SmallInteger(), nullable=True),
        sa.Column("task", sa.SmallInteger(), nullable=True),
        sa.Column("task_votes", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(["context_id"], ["context.id"], name=op.f("fk_item_context_id")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_item_study_id")),
        sa.ForeignKeyConstraint(["system_id"], ["system.id"], name=op.f("fk_item_system_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item")),
        sa.UniqueConstraint("study_id", "item_key", name=op.f("uq_item_study_id_item_key")),
    )
    with op.batch_alter_table("item", schema=None) as batch_op:
        batch_op.create_index("ix_item_context_id", ["context_id"], unique=False)
        batch_op.create_index("ix_item_study_id_position", ["study_id", "position"], unique=False)

    op.create_table(
        "abstention_override",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("item_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "person_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("value", sa.SmallInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"], ["item.id"], name=op.f("fk_abstention_override_item_id")
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_abstention_override_person_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_abstention_override")),
    )
    with op.batch_alter_table("abstention_override", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_abstention_override_item_id"), ["item_id"], unique=False
        )

    op.create_table(
        "flag",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "person_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("item_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_flag_item_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_flag_person_id")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_flag_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_flag")),
    )
    with op.batch_alter_table("flag", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_flag_study_id"), ["study_id"], unique=False)

    op.create_table(
        "lease",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "person_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("item_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "context_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("label_type", sa.Text(), nullable=False),
        sa.Column("reason_asked", sa.Text(), nullable=False),
        sa.Column("selection_probability", sa.Float(), nullable=True),
        sa.Column("fit_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("issued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["context_id"], ["context.id"], name=op.f("fk_lease_context_id")),
        sa.ForeignKeyConstraint(["fit_id"], ["fit.id"], name=op.f("fk_lease_fit_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_lease_item_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_lease_person_id")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_lease_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lease")),
    )
    with op.batch_alter_table("lease", schema=None) as batch_op:
        batch_op.create_index("ix_lease_context_id", ["context_id"], unique=False)
        batch_op.create_index(
            "uq_lease_open",
            ["study_id", "person_id"],
            unique=True,
            sqlite_where=sa.text("closed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL"),
        )

    op.create_table(
        "label_event",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "person_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("item_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "context_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("label_type", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=True),
        sa.Column("is_extra", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("reason_asked", sa.Text(), nullable=False),
        sa.Column("selection_probability", sa.Float(), nullable=True),
        sa.Column("fit_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("lease_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("undoes_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["context_id"], ["context.id"], name=op.f("fk_label_event_context_id")
        ),
        sa.ForeignKeyConstraint(["fit_id"], ["fit.id"], name=op.f("fk_label_event_fit_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_label_event_item_id")),
        sa.ForeignKeyConstraint(["lease_id"], ["lease.id"], name=op.f("fk_label_event_lease_id")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_label_event_person_id")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_label_event_study_id")),
        sa.ForeignKeyConstraint(
            ["undoes_id"], ["label_event.id"], name=op.f("fk_label_event_undoes_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label_event")),
        sa.UniqueConstraint("lease_id", name=op.f("uq_label_event_lease_id")),
        sa.UniqueConstraint("undoes_id", name=op.f("uq_label_event_undoes_id")),
    )
    with op.batch_alter_table("label_event", schema=None) as batch_op:
        batch_op.create_index(
            "ix_label_event_study_person", ["study_id", "person_id", "id"], unique=False
        )
        batch_op.create_index(
            "ix_label_event_subject", ["context_id", "item_id", "label_type"], unique=False
        )

    op.create_table(
        "answer",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "person_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("label_type", sa.Text(), nullable=False),
        sa.Column(
            "context_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("item_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("is_extra", sa.Boolean(), nullable=False),
        sa.Column("event_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["context_id"], ["context.id"], name=op.f("fk_answer_context_id")),
        sa.ForeignKeyConstraint(["event_id"], ["label_event.id"], name=op.f("fk_answer_event_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_answer_item_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_answer_person_id")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_answer_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer")),
        sa.UniqueConstraint("event_id", name=op.f("uq_answer_event_id")),
    )
    with op.batch_alter_table("answer", schema=None) as batch_op:
        batch_op.create_index(
            "ix_answer_study_id_person_id", ["study_id", "person_id"], unique=False
        )
        batch_op.create_index(
            "uq_answer_retrieval",
            ["context_id", "person_id"],
            unique=True,
            sqlite_where=sa.text("label_type = 'retrieval'"),
            postgresql_where=sa.text("label_type = 'retrieval'"),
        )
        batch_op.create_index(
            "uq_answer_task",
            ["item_id", "person_id"],
            unique=True,
            sqlite_where=sa.text("label_type = 'task'"),
            postgresql_where=sa.text("label_type = 'task'"),
        )

    op.create_table(
        "plan",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("study_id", ROW_ID, nullable=False),
        sa.Column("system_id", ROW_ID, nullable=False),
        sa.Column("strategy", sa.Text(), nullable=False),
        sa.Column("quantity", sa.Text(), nullable=False),
        sa.Column("population", sa.Text(), nullable=False),
        sa.Column("cost_retrieval", sa.Float(), nullable=False),
        sa.Column("cost_task", sa.Float(), nullable=False),
        sa.Column("cost_task_after_retrieval", sa.Float(), nullable=False),
        sa.Column("budget", sa.Float(), nullable=True),
        sa.Column("half_width", sa.Float(), nullable=True),
        sa.Column("audit_share", sa.Float(), nullable=False),
        sa.Column("start_event_id", ROW_ID, nullable=False),
        sa.Column("goes_on", sa.Boolean(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_plan_study_id")),
        sa.ForeignKeyConstraint(["system_id"], ["system.id"], name=op.f("fk_plan_system_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plan")),
    )
    with op.batch_alter_table("plan", schema=None) as batch_op:
        batch_op.create_index(
            "uq_plan_open",
            ["study_id"],
            unique=True,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.create_table(
        "advice",
        sa.Column("plan_id", ROW_ID, nullable=False),
        sa.Column("fit_id", ROW_ID, nullable=True),
        sa.Column("last_event_id", ROW_ID, nullable=False),
        sa.Column("spent", sa.Float(), nullable=False),
        sa.Column("half_width", sa.Float(), nullable=True),
        sa.Column("is_reached", sa.Boolean(), nullable=False),
        sa.Column("rows", sa.JSON(), nullable=False),
        sa.Column("audit", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["fit_id"], ["fit.id"], name=op.f("fk_advice_fit_id")),
        sa.ForeignKeyConstraint(["plan_id"], ["plan.id"], name=op.f("fk_advice_plan_id")),
        sa.PrimaryKeyConstraint("plan_id", name=op.f("pk_advice")),
    )


def downgrade() -> None:
    """Change it back."""

    op.drop_table("advice")
    with op.batch_alter_table("plan", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_plan_open",
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.drop_table("plan")
    with op.batch_alter_table("answer", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_answer_task",
            sqlite_where=sa.text("label_type = 'task'"),
            postgresql_where=sa.text("label_type = 'task'"),
        )
        batch_op.drop_index(
            "uq_answer_retrieval",
            sqlite_where=sa.text("label_type = 'retrieval'"),
            postgresql_where=sa.text("label_type = 'retrieval'"),
        )
        batch_op.drop_index("ix_answer_study_id_person_id")

    op.drop_table("answer")
    with op.batch_alter_table("label_event", schema=None) as batch_op:
        batch_op.drop_index("ix_label_event_subject")
        batch_op.drop_index("ix_label_event_study_person")

    op.drop_table("label_event")
    with op.batch_alter_table("lease", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_lease_open",
            sqlite_where=sa.text("closed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL"),
        )
        batch_op.drop_index("ix_lease_context_id")

    op.drop_table("lease")
    with op.batch_alter_table("flag", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_flag_study_id"))

    op.drop_table("flag")
    with op.batch_alter_table("abstention_override", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_abstention_override_item_id"))

    op.drop_table("abstention_override")
    with op.batch_alter_table("item", schema=None) as batch_op:
        batch_op.drop_index("ix_item_study_id_position")
        batch_op.drop_index("ix_item_context_id")

    op.drop_table("item")
    op.drop_table("fit")
    op.drop_table("system")
    with op.batch_alter_table("refresh", schema=None) as batch_op:
        batch_op.drop_index("ix_refresh_study_id_id")

    op.drop_table("refresh")
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.drop_index("ix_job_state")

    op.drop_table("job")
    op.drop_table("context")
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_study_id"))

    op.drop_table("audit")
    op.drop_table("abstention_rule_set")
    op.drop_table("worker")
    op.drop_table("study")
    op.drop_table("person")
