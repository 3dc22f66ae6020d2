"""Compiled programs are kept in pytest's cache, so that only the first run waits for them."""

import pytest


@pytest.fixture(scope="session")
def kept_programs(request: pytest.FixtureRequest) -> None:
    """JAX loads what an earlier run compiled from the same code; a change compiles anew."""
    from workflow.programs import compile_nuts

    compile_nuts(request.config.cache.mkdir("jax"))
