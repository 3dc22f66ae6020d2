"""The process beside the server: keeps posteriors up to date and does the long jobs.

Run as `python -m workflow.worker`; `DATABASE_URL` names the database, which has one worker, by
lock. Compiling NUTS takes longest, so it starts first, in a thread, before anything else is even
imported. The process ends with its parent, also when that is killed.
"""

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

NICENESS = 10  # a click goes before a fit


def main() -> None:
    """Work until the parent process is gone."""
    parent = os.getppid()
    os.nice(NICENESS)
    logging.basicConfig(format="%(name)s: %(message)s")
    with ThreadPoolExecutor(1) as pool:
        compiling = pool.submit(compile_nuts)
        from workflow.shift import work

        work(compiling, lambda: os.getppid() == parent)
        os._exit(0)  # a compilation cannot be stopped otherwise


def compile_nuts() -> None:
    """Make NUTS ready: seconds with a warm cache, a good while without."""
    from model.rat.nuts import use_compilation_cache, warm_up

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    use_compilation_cache(str(folder))
    warm_up()


def cache_folder() -> Path:
    """Where compiled programs are kept between starts."""
    base = os.environ.get("RATCHET_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return Path(base or Path.home() / ".cache") / "ratchet" / "jax"


if __name__ == "__main__":
    main()
