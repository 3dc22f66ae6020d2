"""Compiled programs kept between processes: loaded, made again when damaged, never required."""

import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

FIT = """
import sys
from pathlib import Path
import numpy as np
from model.rat.counts import from_cells
from model.rat.nuts import fit_nuts
from model.rat.priors import get_priors
from workflow.programs import compile_nuts

compile_nuts(Path(sys.argv[1]))
table = from_cells(np.array([[0, 1, 1]], dtype=np.int8), np.array([9.0]))
rates = fit_nuts(7, table, get_priors("uniform")).rates
print(rates.retrieval_success.sum(), "blackjax" in sys.modules)
"""


@pytest.fixture(scope="module")
def machine_code(request: pytest.FixtureRequest) -> Path:
    """Where earlier tests keep machine code: compiling again is not the point here."""
    return Path(request.config.cache.mkdir("jax"))


def fit(folder: Path) -> tuple[str, bool]:
    """The answer of a process of its own, and whether it had to trace the program."""
    command = [sys.executable, "-c", FIT, str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer, is_traced = done.stdout.split()
    return answer, is_traced == "True"


def test_a_later_process_loads_the_program_and_a_damaged_one_is_made_again(
    machine_code: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "kept"
    copytree(machine_code, folder)
    for kept in folder.glob("*.stablehlo"):
        kept.unlink()
    cold, warm = fit(folder), fit(folder)
    (kept,) = folder.glob("*.stablehlo")
    kept.write_bytes(kept.read_bytes()[:-100])
    damaged = fit(folder)
    assert [is_traced for _, is_traced in (cold, warm, damaged)] == [True, False, True]
    assert cold[0] == warm[0] == damaged[0]


def test_without_a_folder_to_write_in_a_start_only_takes_longer(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder", encoding="utf-8")
    assert fit(in_the_way / "jax")[1]
