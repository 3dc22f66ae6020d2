"""Where does a long computation run? Here, or on a Dask cluster when DASK_SCHEDULER names one.

The parts of a plan do not depend on each other, and each carries its own seed: wherever they run,
the numbers are the same. Results come back in the order asked for, each as soon as it is there.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from workflow.errors import RatchetError

SCHEDULER = "DASK_SCHEDULER"
CONNECT_SECONDS = 10

Item = TypeVar("Item")
Result = TypeVar("Result")


def spread(compute: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Yield the result of each item, in order.

    Args:
        compute: importable by name, for it may run in another process.
        items: what to compute it of.

    Raises:
        RatchetError: DASK_SCHEDULER is set and there is no such cluster, or Dask is not installed.
    """
    address = os.environ.get(SCHEDULER)
    if not address:
        yield from map(compute, items)
        return
    yield from _on_dask(address, compute, items)


def _on_dask(
    address: str, compute: Callable[[Item], Result], items: Sequence[Item]
) -> Iterator[Result]:
    try:
        from distributed import Client
    except ImportError as error:
        raise RatchetError(
            f"{SCHEDULER} is {address!r}, and Dask is not installed. Install ratchet[dask], or"
            f" unset {SCHEDULER} to compute here."
        ) from error
    try:
        client = Client(address, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise RatchetError(
            f"{SCHEDULER} is {address!r}, and no Dask scheduler answers there ({error}). Start it,"
            f" or unset {SCHEDULER} to compute here."
        ) from error
    with client:
        executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        futures = [executor.submit(compute, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            executor.shutdown(wait=False)
