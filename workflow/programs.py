"""Where are compiled programs kept between starts? In a folder, under a name of all they rest on.

The first start compiles for a good while, later ones load. A damaged file is made again; a folder
that cannot be written costs the next start some seconds, nothing more.
"""

import hashlib
import logging
import os
from importlib.metadata import version
from pathlib import Path

from model.rat import nuts

DIGEST_SIZE = hashlib.sha256().digest_size
LIBRARIES = ("jax", "jaxlib", "numpyro", "blackjax")

log = logging.getLogger("ratchet.worker")


def compile_nuts(folder: Path) -> None:
    """Make NUTS ready, by the programs in the folder or else from its sources."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        nuts.use_compilation_cache(str(folder))
        _load_or_write(folder / f"nuts-{_name()}.stablehlo")
    except OSError as error:
        log.warning("Compiled programs are not kept, each start takes longer: %s", error)
    nuts.warm_up()


def default_folder() -> Path:
    """Where compiled programs are kept unless told otherwise."""
    base = os.environ.get("RATCHET_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return Path(base or Path.home() / ".cache") / "ratchet" / "jax"


def _load_or_write(path: Path) -> None:
    written = path.read_bytes() if path.exists() else b""
    digest, program = written[:DIGEST_SIZE], written[DIGEST_SIZE:]
    if hashlib.sha256(program).digest() == digest:
        nuts.load_program(program)
        return
    program = nuts.write_program()
    # Whole or not at all: another process may be reading.
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    unfinished.write_bytes(hashlib.sha256(program).digest() + program)
    unfinished.replace(path)


def _name() -> str:
    """Changes with the settings, the sources of the model and the libraries it is traced by."""
    digest = hashlib.sha256(repr(nuts.DEFAULT_SETTINGS).encode())
    for library in LIBRARIES:
        digest.update(f"{library} {version(library)}".encode())
    for source in sorted(Path(nuts.__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:32]
