"""NUTS fits one after the other until it is stopped: the load beside which clicks are measured.

A process of its own, like the worker that fits for a server. Run with `--seconds` to end by itself.
"""

import argparse
import itertools
import os
import time

import numpy as np

from model.rat.counts import from_cells
from model.rat.nuts import fit_nuts, warm_up
from model.rat.priors import get_priors
from workflow.worker import NICENESS

# (abstained, retrieval, task) and how many items show it: a study of 500 with some labels.
PATTERNS = np.array([(1, -1, -1), (1, 1, -1), (0, 1, 1), (0, 1, 0), (0, 0, 0), (0, -1, -1)])
COUNTS = np.array([190.0, 8.0, 30.0, 12.0, 10.0, 250.0])


def main() -> None:
    """Fit until the time is over, or for ever."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    deadline = time.monotonic() + parser.parse_args().seconds
    os.nice(NICENESS)
    warm_up()
    table = from_cells(PATTERNS.astype(np.int8), COUNTS)
    for seed in itertools.count():
        if time.monotonic() > deadline:
            break
        fit_nuts(seed, table, get_priors("uniform"))


if __name__ == "__main__":
    main()
