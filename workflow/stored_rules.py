"""Abstention rules as the database keeps them: a JSON document."""

import json
from typing import Any

from model.abstention.rules import AbstentionRules
from model.abstention.rules_json import rules_from_json, rules_to_json


def to_stored(rules: AbstentionRules) -> dict[str, Any]:
    """The document of these rules."""
    document: dict[str, Any] = json.loads(rules_to_json(rules))
    return document


def from_stored(document: dict[str, Any]) -> AbstentionRules:
    """The rules of a document.

    Raises:
        ModelError: it is no document of rules.
    """
    return rules_from_json(json.dumps(document))
