# Ratchet: `make app` runs it, `make test` checks everything. Python 3.11 to 3.13.
.DEFAULT_GOAL := app
.PHONY: app setup test check proof bench clean

FIND_PYTHON := for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& echo $$p && break; done
PYTHON ?= $(shell $(FIND_PYTHON))
BIN := .venv/bin
READY := .venv/.ready

app: setup
	@$(BIN)/ratchet serve

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed and none was found. Install one, or run: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Installing into .venv; this takes a minute or two the first time."
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $(READY)

test: check
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

proof: setup
	$(BIN)/python -m benchmarks.proof

bench: setup
	$(BIN)/python -m benchmarks.refresh
	$(BIN)/python -m benchmarks.clicks

clean:
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
