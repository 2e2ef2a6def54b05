# Everything a checkout needs: `make demo` shows it, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
MUTANTS ?= 100000

.PHONY: help demo test check fix bench bench-peers torture docs clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $(STAMP)

demo: $(STAMP)  ## show the bundled conversations in the terminal
	@$(BIN)/python demo/show.py

check: $(STAMP)  ## format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: check  ## everything: lint, types, laws, transcripts, docs, faults
	@tests/tools.sh
	$(BIN)/python -m pytest -n auto

torture: $(STAMP)  ## the long runs: thousands of cases per law and fault, 100,000 mutants a format
	@tests/tools.sh
	HYPOTHESIS_PROFILE=torture $(BIN)/python -m pytest -n auto -m "torture or not torture"
	$(BIN)/python -m tests.torture.fuzz $(MUTANTS)

fix: $(STAMP)  ## format and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)  ## measure, side by side, and print the table
	$(BIN)/python -m bench

bench-peers: $(STAMP)  ## install other programs beside, and measure them on the same history
	$(BIN)/python -m bench.peers

docs: $(STAMP)  ## write the generated pages anew
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
