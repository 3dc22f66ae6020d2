"""An oracle of labels: plain Python over a list of events, as slow and simple as the rule."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

SKIP = "skip"
WORTH = {"1": 1, "0": -1, "cant_tell": 0}


class OracleItem(NamedTuple):
    """An item of the study; `context` names what its retrieval label belongs to."""

    item_id: str
    context: str


class Subject(NamedTuple):
    """What a label is about: the context for retrieval, the item for task."""

    label_type: str
    key: str


@dataclass
class OracleEvent:
    """A label somebody gave."""

    person: str
    subject: Subject
    value: str
    is_extra: bool
    is_imported: bool = False
    is_undone: bool = False


@dataclass
class LabelLog:
    """Events in order, and who said what about abstention."""

    items: tuple[OracleItem, ...]
    votes_wanted: int
    refusals: set[str]
    events: list[OracleEvent] = field(default_factory=list)

    def subject(self, item_id: str, label_type: str) -> Subject:
        """What a label of this type on this item is about."""
        item = next(one for one in self.items if one.item_id == item_id)
        return Subject(label_type, item.context if label_type == "retrieval" else item_id)

    def current(self, person: str, subject: Subject) -> OracleEvent | None:
        """The last event of a person on a subject that was not undone."""
        mine = [one for one in self._holding() if (one.person, one.subject) == (person, subject)]
        return mine[-1] if mine else None

    def say(self, person: str, subject: Subject, value: str) -> None:
        """A label of a person; too late when all votes are in and none of them is theirs."""
        before = self.current(person, subject)
        if value == SKIP:
            is_extra = False
        elif before is not None and before.value != SKIP:
            is_extra = before.is_extra
        else:
            is_extra = len(self.votes(subject)) >= self.votes_wanted
        self.events.append(OracleEvent(person, subject, value, is_extra))

    def bring_in(self, person: str, subject: Subject, value: str) -> str:
        """A label of a file: new, unchanged, or a conflict that is not written."""
        before = self.current(person, subject)
        if before is None:
            self.events.append(OracleEvent(person, subject, value, False, is_imported=True))
            return "new"
        return "unchanged" if before.value == value else "conflict"

    def undo_last(self, person: str) -> None:
        """Take back the last label that this person gave here."""
        self.own(person)[-1].is_undone = True

    def own(self, person: str) -> list[OracleEvent]:
        """The labels a person gave here and may undo."""
        return [one for one in self._holding() if one.person == person and not one.is_imported]

    def votes(self, subject: Subject) -> list[str]:
        """The values that count."""
        return [one.value for one in self.counting() if one.subject == subject]

    def counting(self) -> list[OracleEvent]:
        """The current answers that count."""
        keys = dict.fromkeys((one.person, one.subject) for one in self._holding())
        found = [self.current(*key) for key in keys]
        return [one for one in found if one and one.value != SKIP and not one.is_extra]

    def majority(self, subject: Subject) -> int | None:
        """1 or 0 where more people say so, None for none or a tie."""
        balance = sum(WORTH[value] for value in self.votes(subject))
        return None if balance == 0 else int(balance > 0)

    def patterns(self) -> Counter[tuple[int, int | None, int | None]]:
        """(A, R, T) of every item; T of a refusal is unobserved."""
        found: Counter[tuple[int, int | None, int | None]] = Counter()
        for item in self.items:
            abstained = int(item.item_id in self.refusals)
            task = None if abstained else self.majority(Subject("task", item.item_id))
            found[abstained, self.majority(Subject("retrieval", item.context)), task] += 1
        return found

    def progress(self) -> tuple[int, int]:
        """Questions with all their votes, of all questions; refusals have no task."""
        asked = {Subject("retrieval", item.context) for item in self.items}
        asked |= {
            Subject("task", item.item_id)
            for item in self.items
            if item.item_id not in self.refusals
        }
        done = [one for one in asked if len(self.votes(one)) >= self.votes_wanted]
        return len(done), len(asked)

    def _holding(self) -> list[OracleEvent]:
        return [one for one in self.events if not one.is_undone]
