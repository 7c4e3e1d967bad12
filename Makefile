# `make demo` and `make test` do all the set-up they need; nothing else has to be typed before.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check lint slow bench clean

demo: $(READY)
	$(BIN)/sidelight demo

test: $(READY)
	$(BIN)/python -m pytest

check: lint test

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

slow: $(READY)
	$(BIN)/python -m pytest -m slow

bench: $(READY)
	for file in benchmarks/bench_*.py; do \
	  $(BIN)/python -m benchmarks.$$(basename $$file .py) || exit 1; done

clean:
	rm -rf $(VENV)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "sidelight needs Python 3.11 or newer; call make with PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[cpu,dev]'
	touch $(READY)
