"""What annotators are told, version by version; a label knows the one it was made under."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from db import tables
from db.tables import Guideline


class GuidelineVersion(NamedTuple):
    """A version of the guidelines, and who wrote it when."""

    version: int
    text: str
    person: str
    created_at: datetime


def set_guidelines(session: Session, study_id: int, text: str, person: str, now: datetime) -> int:
    """Make this text the newest version unless it is already; returns the version in force."""
    study = session.get_one(tables.Study, study_id, with_for_update=True)
    newest = session.scalar(
        select(Guideline.text).where(
            Guideline.study_id == study_id, Guideline.version == study.guideline_version
        )
    )
    if (newest or "") == text:
        return study.guideline_version
    version = study.guideline_version + 1
    session.add(
        Guideline(study_id=study_id, version=version, text=text, person=person, created_at=now)
    )
    session.execute(
        update(tables.Study)
        .where(tables.Study.id == study_id)
        .values(guidelines=text, guideline_version=version)
    )
    return version


def list_versions(session: Session, study_id: int) -> list[GuidelineVersion]:
    """All versions of a study, newest first."""
    rows = session.execute(
        select(Guideline.version, Guideline.text, Guideline.person, Guideline.created_at)
        .where(Guideline.study_id == study_id)
        .order_by(Guideline.version.desc())
    )
    return [GuidelineVersion(*row) for row in rows]
