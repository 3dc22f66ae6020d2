"""A server killed while people answer: every label that was told as saved counts, once.

The small version of benchmarks/proof_kills.py, which kills fifty times.
"""

from pathlib import Path

import pytest

from benchmarks import kill_team


@pytest.mark.behaviour(4)
@pytest.mark.behaviour(9)
def test_killed_server_loses_nothing_and_overspends_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ratchet.db'}"
    tally = kill_team.kill_often(url, tmp_path, kills=1, people=3, items=15)
    assert tally.verdict.saved > 0
    assert tally.is_right, tally
