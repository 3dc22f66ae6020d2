"""The process beside the server: keeps posteriors up to date and does the long jobs.

Run as `python -m workflow.worker`; `DATABASE_URL` names the database, which has one worker, by
lock. Compiling NUTS takes longest, so it starts first, in a thread, before anything else is even
imported. The process ends with its parent, also when that is killed.
"""

import logging
import os
from concurrent.futures import ThreadPoolExecutor

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
    from workflow import programs

    programs.compile_nuts(programs.default_folder())


if __name__ == "__main__":
    main()
