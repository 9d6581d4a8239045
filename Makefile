# Freefloat: `make demo` and `make test` are the only commands a newcomer needs.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo warm test test-full lint docs clean

setup: .venv/.installed

.venv/.installed: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(0 if sys.version_info >= (3, 11) else 'Freefloat needs Python 3.11 or newer; set PYTHON=/path/to/python3.11')"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[all,dev]"
	touch $@

demo: setup
	$(BIN)/freefloat run reconfiguration

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/basedpyright --level error

# the plant and the missions' onboard code are compiled once, before two test workers would do it at the same time
warm: setup
	$(BIN)/python tests/warm.py

# small matrices: more threads of BLAS would only wait for each other
test test-full: export OMP_NUM_THREADS := 1

test: lint warm
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

test-full: lint warm
	HYPOTHESIS=full $(BIN)/python -m pytest -n 2 --dist loadfile

docs: setup
	$(BIN)/python docs/make_tables.py
	$(BIN)/python docs/make_figures.py

clean:
	rm -rf .venv runs .pytest_cache .ruff_cache .hypothesis
