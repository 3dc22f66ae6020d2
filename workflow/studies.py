"""Studies: list, make, change; one truth for every number about them."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from db import audit, flags, guidelines, items, labels, queue
from db import studies as store
from db.engine import reading, transaction
from db.flags import FlagRow
from db.guidelines import GuidelineVersion as GuidelineVersion
from db.labels import LabelCounts
from db.queue import Progress
from db.studies import Study, StudySettings
from db.studies import StudySize as StudySize
from db.tables import Asks as Asks
from model.abstention.rules import DEFAULT_RULES
from model.rat.policy import DEFAULT_POLICY, Policy, parse_policy
from model.rat.priors import PRIOR_PRESETS, BetaPrior, RatPriors, check_priors
from workflow.stored_rules import to_stored


class Choices(NamedTuple):
    """What a lead chooses for a study, in the words of the model."""

    description: str = ""
    guidelines: str = ""
    asks: Asks = Asks.BOTH
    policy: Policy = DEFAULT_POLICY
    priors: RatPriors = PRIOR_PRESETS["uniform"]
    interval: float = 0.95
    shows_metadata: bool = False
    asks_in_row: bool = False
    gold_share: float = 0.0
    practices_first: bool = False
    wants_evidence: bool = False
    models_annotators: bool = False


class Overview(NamedTuple):
    """A study with the numbers that every screen shows."""

    name: str
    choices: Choices
    items: int
    labels: LabelCounts
    progress: Progress


def list_names(engine: Engine) -> list[str]:
    """The names of all studies, oldest first."""
    with reading(engine) as session:
        return [name for name, _ in store.list_revisions(session)]


def list_systems(engine: Engine, name: str) -> list[str]:
    """The systems of a study, by name.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        return store.list_systems(session, store.get_study(session, name).id)


def read_guidelines(engine: Engine, name: str) -> str:
    """What the annotators of a study are told, as Markdown.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        return store.get_study(session, name).settings.guidelines


def list_guidelines(engine: Engine, name: str) -> list[GuidelineVersion]:
    """All versions of what the annotators of a study are told, newest first.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        return guidelines.list_versions(session, store.get_study(session, name).id)


def read_votes_wanted(engine: Engine, name: str) -> int:
    """How many answers each question of a study wants.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        return store.get_study(session, name).votes_wanted


def list_overviews(engine: Engine) -> list[Overview]:
    """All studies, oldest first."""
    with reading(engine) as session:
        return [
            _overview(session, store.get_study(session, size.name), size.items)
            for size in store.list_studies(session)
        ]


def list_flags(engine: Engine, name: str) -> list[FlagRow]:
    """What annotators flagged for the lead, newest first.

    Raises:
        StoreError: there is no such study.
    """
    with reading(engine) as session:
        return flags.list_flags(session, store.get_study(session, name).id)


def create(engine: Engine, name: str, choices: Choices, person: str, now: datetime) -> None:
    """Make an empty study.

    Raises:
        StoreError: the name is empty, too long, or taken.
        ModelError: a prior or policy value is out of range.
    """
    with transaction(engine) as session:
        create_in(session, name, choices, person, now)


def create_in(session: Session, name: str, choices: Choices, person: str, now: datetime) -> Study:
    """The same within a transaction of the caller."""
    study = store.create_study(session, name, _settings(choices), now)
    guidelines.set_guidelines(session, study.id, choices.guidelines, person, now)
    items.add_rules(session, study.id, to_stored(DEFAULT_RULES), now)
    deed = audit.Deed(person, "create study", {"name": study.name}, study.id)
    audit.write(session, deed, now)
    return store.get_study(session, study.name)


def change(engine: Engine, name: str, choices: Choices, person: str, now: datetime) -> None:
    """Change what a lead may choose; the posterior follows by itself.

    Raises:
        StoreError: there is no such study.
        ModelError: a prior or policy value is out of range.
    """
    with transaction(engine) as session:
        study = store.get_study(session, name)
        settings = _settings(choices)
        store.change_settings(session, study.id, settings)
        guidelines.set_guidelines(session, study.id, choices.guidelines, person, now)
        deed = audit.Deed(person, "change settings", settings._asdict(), study.id)
        audit.write(session, deed, now)


def choices_of(study: Study) -> Choices:
    """The settings of a stored study in the words of the model."""
    settings = study.settings
    return Choices(
        policy=parse_policy(settings.policy),
        priors=RatPriors(*(BetaPrior(*settings.prior[name]) for name in RatPriors._fields)),
        **{name: getattr(settings, name) for name in _ALIKE},
    )


def _settings(choices: Choices) -> StudySettings:
    check_priors(choices.priors)
    policy = choices.policy._asdict()
    parse_policy(policy)
    return StudySettings(
        policy=policy,
        prior={name: list(prior) for name, prior in choices.priors._asdict().items()},
        **{name: getattr(choices, name) for name in _ALIKE},
    )


# What is stored as it is chosen.
_ALIKE = tuple(
    name for name in Choices._fields if name in StudySettings._fields and name != "policy"
)


def _overview(session: Session, study: Study, items_count: int) -> Overview:
    return Overview(
        study.name,
        choices_of(study),
        items_count,
        labels.count_labels(session, study.id),
        queue.progress(session, study),
    )
