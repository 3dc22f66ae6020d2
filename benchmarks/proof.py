"""Runs every long proof and writes its table to docs/: `make proof`."""

import subprocess
import sys

PROOFS = (
    "benchmarks.proof_sbc",
    "benchmarks.proof_kills",
    "benchmarks.proof_plan",
    "benchmarks.proof_next",
)


def main() -> None:
    """Run them one after the other; stop at the first that fails."""
    for module in PROOFS:
        print(f"== {module}", flush=True)
        subprocess.run([sys.executable, "-m", module], check=True)


if __name__ == "__main__":
    main()
