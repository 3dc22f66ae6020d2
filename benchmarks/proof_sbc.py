"""Simulation-based calibration of both engines, at length; writes docs/proof_sbc.md."""

import argparse
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.sbc import FALSE_ALARM, MASKS, RANK_DRAWS, Calibration, Fit, Study, calibrate
from model.rat.counts import CountTable
from model.rat.derived import Rates
from model.rat.exact import fit_exact
from model.rat.priors import PRIOR_PRESETS, BetaPrior, RatPriors

REPORT = Path(__file__).parent.parent / "docs" / "proof_sbc.md"
SEED = 2026
NUM_ITEMS = 120
EXACT_SIMULATIONS = 4_000
NUTS_SIMULATIONS = 400
EXACT_DRAWS = 1_000
UNIFORM = PRIOR_PRESETS["uniform"]
BROKEN = UNIFORM._replace(retrieval_success=BetaPrior(3.0, 1.0))


class Row(NamedTuple):
    """One line of the table."""

    engine: str
    mask: str
    prior: str
    simulations: int
    worst_p: float
    verdict: str
    seconds: float


def main() -> None:
    """Run all masks with both engines, and each engine's twin that must fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exact", type=int, default=EXACT_SIMULATIONS)
    parser.add_argument("--nuts", type=int, default=NUTS_SIMULATIONS)
    wish = parser.parse_args()
    rows = [*_rows("exact", fit_exactly, wish.exact), *_rows("nuts", fit_by_nuts, wish.nuts)]
    REPORT.write_text(table(rows), encoding="utf-8")
    print(table(rows))
    if any(row.verdict.isupper() for row in rows):
        raise SystemExit(1)


def fit_exactly(seed: int, counts: CountTable, priors: RatPriors) -> Rates:
    """Draws of the exact engine."""
    return fit_exact(seed, counts, priors, EXACT_DRAWS).rates


def fit_by_nuts(seed: int, counts: CountTable, priors: RatPriors) -> Rates:
    """Draws of NUTS; 99 chosen of 4,000 are as good as independent."""
    from model.rat.nuts import fit_nuts

    return fit_nuts(seed, counts, priors).rates


def table(rows: list[Row]) -> str:
    """The rows as a page of Markdown."""
    lines = [
        "# Simulation-based calibration",
        "",
        "Written by `python -m benchmarks.proof_sbc`. Rates from the prior,"
        f" {NUM_ITEMS} items from the rates, labels hidden by the mask, a fit, and the rank of the",
        f"truth among {RANK_DRAWS} posterior draws; chi-square in equal bins for each of ten"
        f" quantities. An engine that is right fails with probability {FALSE_ALARM:g}",
        "(Bonferroni over quantities). The rows with a broken prior fit another prior than was",
        "simulated and must fail.",
        "",
        "| engine | mask | prior fitted | simulations | smallest p of 10 | verdict | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row.engine} | {row.mask} | {row.prior} | {row.simulations} | {row.worst_p:.2g} |"
        f" {row.verdict} | {row.seconds:.0f} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _rows(engine: str, fit: Fit, simulations: int) -> list[Row]:
    rows = []
    for name, mask in MASKS.items():
        study = Study(simulations, NUM_ITEMS, UNIFORM, mask)
        start = time.monotonic()
        found = calibrate(SEED, study, fit, UNIFORM)
        verdict = "calibrated" if found.is_calibrated else "NOT CALIBRATED"
        rows.append(_row(engine, name, "the true one", study, found, verdict, start))
    study = Study(simulations, NUM_ITEMS, UNIFORM, MASKS["mixed"])
    start = time.monotonic()
    found = calibrate(SEED, study, fit, BROKEN)
    verdict = "NOT DETECTED" if found.is_calibrated else "fails, as it must"
    rows.append(_row(engine, "mixed", "broken", study, found, verdict, start))
    return rows


def _row(
    engine: str,
    mask: str,
    prior: str,
    study: Study,
    found: Calibration,
    verdict: str,
    start: float,
) -> Row:
    worst = min(found.p_values.values())
    seconds = time.monotonic() - start
    print(f"{engine}, {mask}, {prior}: {verdict} (p {worst:.2g}, {seconds:.0f} s)", flush=True)
    return Row(engine, mask, prior, study.num_simulations, worst, verdict, seconds)


if __name__ == "__main__":
    main()
