"""What `ratchet agreement` says, as a document and for people."""

from typing import Any

from workflow import database
from workflow.errors import RatchetError
from workflow.quality import PairAgreement, Quality, read_quality


def agreement(study: str, label_type: str | None, interval: float | None) -> dict[str, Any]:
    """The document of `ratchet agreement`.

    Raises:
        StoreError: there is no such study.
        RatchetError: there is no database, or the probability is none.
    """
    if interval is not None and not 0 < interval < 1:
        raise RatchetError(
            f"--interval is {interval:g}; a number between 0 and 1 is expected, like 0.95."
        )
    engine = database.connect_existing(database.database_url())
    return _document(read_quality(engine, study, interval), label_type)


def agreement_text(document: dict[str, Any]) -> str:
    """The same for people."""
    lines = []
    for label_type, found in document["label_types"].items():
        lines.append(f"{label_type}: {found['questions']} questions with two votes or more")
        lines += _lines("all", found["overall"])
        for pair in found["pairs"]:
            measures = {name: one for name, one in pair.items() if name not in ("a", "b")}
            lines += _lines(f"{pair['a']} and {pair['b']}", measures)
    return "\n".join(lines)


def _lines(who: str, measures: dict[str, Any]) -> list[str]:
    return [f"  {who:<32}{name:<20}{_value(one)}" for name, one in measures.items()]


def _value(one: dict[str, Any]) -> str:
    if one["value"] is None:
        return str(one["why"])
    interval = "" if one["lower"] is None else f"  [{one['lower']:.3f}, {one['upper']:.3f}]"
    return f"{one['value']:7.3f}{interval}  n={one['items']}"


def _document(found: Quality, label_type: str | None) -> dict[str, Any]:
    return {
        "interval": found.interval,
        "label_types": {
            one.label_type.value: {
                "questions": one.questions,
                "cannot_tell_share": round(one.cannot_tell_share, 4),
                "overall": _row(one.overall),
                "pairs": [{"a": pair.first, "b": pair.second, **_row(pair)} for pair in one.pairs],
            }
            for one in found.types
            if label_type in (None, one.label_type.value)
        },
        "people": [one._asdict() for one in found.people],
    }


def _row(pair: PairAgreement) -> dict[str, Any]:
    return {
        one.measure.value: {
            "value": one.value,
            "lower": one.lower,
            "upper": one.upper,
            "items": one.items,
            "why": one.why,
        }
        for one in pair.measures
    }
