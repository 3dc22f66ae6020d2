"""The rules that tell refusals from answers: what they would catch, and putting them in force.

A new version is scored outside of any transaction; what changed is then written at once. Only when
an import came between is it scored again, within the transaction.
"""

from datetime import datetime
from typing import NamedTuple

import pandas as pd
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from db import audit, items, locks, studies
from db.engine import reading, transaction
from model.abstention.rules import AbstentionRules, score_answers
from workflow.errors import RatchetError
from workflow.importing import IMPORT
from workflow.stored_rules import from_stored, to_stored

LISTED = 200
EMPTY = "(empty answer)"


class RulesInForce(NamedTuple):
    """The rules of a study and their version."""

    version: int
    rules: AbstentionRules


class Preview(NamedTuple):
    """What rules would do.

    catches: rule, refusals: how many answers each rule catches, most first.
    changes: item_id, answer, before, after: the first answers whose verdict would change.
    """

    answers: int
    refusals: int
    num_changes: int
    catches: pd.DataFrame
    changes: pd.DataFrame


def read_rules(engine: Engine, study: str) -> RulesInForce:
    """The rules of a study.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        version, document = items.read_rules(session, studies.get_study(session, study).id)
        return RulesInForce(version, from_stored(document))


def preview(engine: Engine, study: str, rules: AbstentionRules) -> Preview:
    """What these rules would catch in a study, and what they would change.

    Raises:
        StoreError: there is no such study.
    """
    caught: dict[str, int] = {}
    changes: list[tuple[str, str, str, str]] = []
    answers = 0
    with reading(engine) as session:
        for batch in items.read_answers(session, studies.get_study(session, study).id):
            verdicts = score_answers([row.answer for row in batch], rules)
            for row, verdict in zip(batch, verdicts, strict=True):
                answers += verdict.abstained is not None
                if verdict.rule is not None:
                    name = verdict.rule.phrase
                    caught[name] = caught.get(name, 0) + 1
                if _code(verdict.abstained) != row.abstained:
                    before, after = _word(row.abstained), _word(_code(verdict.abstained))
                    changes.append((row.item_id, row.answer or EMPTY, before, after))
    most_first = sorted(caught.items(), key=lambda pair: pair[1], reverse=True)
    return Preview(
        answers,
        sum(caught.values()),
        len(changes),
        pd.DataFrame(most_first, columns=["rule", "refusals"]),
        pd.DataFrame(changes[:LISTED], columns=["item_id", "answer", "before", "after"]),
    )


def put_in_force(
    engine: Engine, study: str, rules: AbstentionRules, person: str, now: datetime
) -> int:
    """Store a new version of the rules and score every answer again; returns the version.

    Raises:
        StoreError: there is no such study.
        RatchetError: there is no rule at all.
    """
    if not rules.phrases:
        raise RatchetError("There is no phrase left; at least one is expected. Add one.")
    with reading(engine) as session:
        study_id = studies.get_study(session, study).id
        last_import = audit.last_deed(session, study_id, IMPORT)
        changed = _changed(session, study_id, rules)
    with transaction(engine) as session:
        found = studies.get_study(session, study)
        locks.own_answers(session.connection(), found.id)
        if audit.last_deed(session, found.id, IMPORT) != last_import:
            changed = _changed(session, found.id, rules)
        version = items.add_rules(session, found.id, to_stored(rules), now)
        if changed:
            items.set_rule_results(session, changed)
        studies.touch(session, found.id)
        detail = {"version": version, "changed": len(changed), "phrases": len(rules.phrases)}
        audit.write(session, audit.Deed(person, "abstention rules", detail, found.id), now)
    return version


def _changed(session: Session, study_id: int, rules: AbstentionRules) -> dict[int, int | None]:
    changed: dict[int, int | None] = {}
    for batch in items.read_answers(session, study_id):
        verdicts = score_answers([row.answer for row in batch], rules)
        for row, verdict in zip(batch, verdicts, strict=True):
            if _code(verdict.abstained) != row.abstained:
                changed[row.id] = _code(verdict.abstained)
    return changed


def _code(abstained: bool | None) -> int | None:
    return None if abstained is None else int(abstained)


def _word(code: int | None) -> str:
    return {None: "unknown", 0: "answer", 1: "refusal"}[code]
