# Everything a checkout needs: `make demo` shows it, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
MUTANTS ?= 100000
# The number of the first mutant: new ones in each run, and make prints it.
FROM ?= $(shell date +%s)

# The commit since which files changed, for `make mutate`.
BASE ?= HEAD~1

DEMO := TALKTREE_HOME=$(CURDIR)/.demo

.PHONY: help demo demo-terminal frontend test quick check fix bench bench-peers torture mutate docs clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(STAMP): pyproject.toml hatch_build.py frontend/build.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	$(BIN)/python -m compileall -q src/talktree
	@touch $(STAMP)

demo: frontend  ## open the studio on the bundled conversations, until Ctrl-C
	@$(DEMO) $(BIN)/talktree studio demo

demo-terminal: $(STAMP)  ## show the bundled conversations in the terminal
	@$(BIN)/python examples/demo.py

frontend: $(STAMP)  ## build the page of the studio, if anything changed
	@$(BIN)/python frontend/build.py

check: $(STAMP)  ## format, lint, types and words
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m tests.wordlist

test: check frontend  ## everything: lint, types, laws, transcripts, docs, faults, the page in a browser
	@tests/tools.sh
	$(BIN)/python frontend/build.py check
	$(BIN)/python -m pytest -n auto --dist worksteal

quick: $(STAMP)  ## a tenth of the random cases and nothing slow; all of a folder with T=conversion
	$(if $(T),,HYPOTHESIS_PROFILE=quick) $(BIN)/python -m pytest -n auto --dist worksteal $(if $(T),tests/$(T),-m "not slow")

torture: frontend  ## the long runs: thousands of cases per law and fault, 100,000 mutants a format
	@tests/tools.sh
	HYPOTHESIS_PROFILE=torture PYTEST_TIMEOUT=0 $(BIN)/python -m pytest -n auto --dist worksteal
	$(BIN)/python -m tests.torture.fuzz $(MUTANTS) --from $(FROM)

mutate: $(STAMP)  ## 40 small mistakes in the files changed since BASE; the related tests should notice them
	$(BIN)/python -m tests.mutate --base $(BASE)

fix: $(STAMP)  ## format, and repair what the linters can repair
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python frontend/build.py fix

bench: $(STAMP)  ## measure, side by side, and print the table
	$(BIN)/python -m bench

bench-peers: $(STAMP)  ## install other programs beside, and measure them on the same history
	$(BIN)/python -m bench.peers

docs: $(STAMP)  ## write the generated pages anew
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) .demo frontend/node_modules src/talktree/web/static .mypy_cache .ruff_cache .pytest_cache .hypothesis
