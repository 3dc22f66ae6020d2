"""Files from the browser: kept on disk until the worker has brought them in."""

import hashlib
import os
import tempfile
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine

from db import jobs, studies
from db.engine import reading, transaction
from db.jobs import FINAL as FINAL
from db.jobs import JobState as JobState
from db.jobs import JobStatus as JobStatus

KIND = "import"


class Upload(NamedTuple):
    """A file to import by the worker; `rows` is a guess, for the progress bar."""

    study: str
    path: Path
    person: str
    mapping: dict[str, str]
    replaces: bool
    rows: int


def keep(name: str, content: bytes) -> Path:
    """Write an upload to disk; the same content gives the same file."""
    folder = Path(os.environ.get("RATCHET_UPLOAD_DIR") or tempfile.gettempdir()) / "ratchet-uploads"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest = hashlib.blake2b(content, digest_size=12).hexdigest()
    kind = "".join(filter(str.isalnum, Path(name).suffix.lower()))[:10]
    path = folder / (f"{digest}.{kind}" if kind else digest)
    if not path.exists():
        part = path.with_suffix(f".part{os.getpid()}")
        part.write_bytes(content)
        part.replace(path)
    return path


def queue_import(engine: Engine, upload: Upload, now: datetime) -> int:
    """Ask the worker to import a file; returns the job's id."""
    arguments = upload._asdict() | {"path": str(upload.path)}
    with transaction(engine) as session:
        study = studies.find_study(session, upload.study)
        return jobs.add(session, KIND, None if study is None else study.id, arguments, now)


def read_job(engine: Engine, job_id: int) -> JobStatus:
    """How a job stands."""
    with reading(engine) as session:
        return jobs.get(session, job_id)


def cancel_job(engine: Engine, job_id: int) -> None:
    """Ask a job to stop."""
    with transaction(engine) as session:
        jobs.cancel(session, job_id)
