# `make demo` and `make test` do all the set-up they need; nothing else has to be typed before.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# What the program needs, and what its tests need besides.
READY := $(VENV)/.ready
TESTED := $(VENV)/.ready-to-test
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test check lint slow fuzz audit sbom bench clean

demo: $(READY)
	$(BIN)/sidelight demo

test: $(TESTED)
	$(BIN)/python -m pytest -n auto --dist loadfile

check: lint test

lint: $(TESTED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

slow: $(TESTED)
	$(BIN)/python -m pytest -m slow

fuzz: $(TESTED)
	$(BIN)/python -m pytest -m fuzz tests/fuzz

# Tools of their own environments, so that what is looked at is not changed by looking.
audit:
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet pip-audit==2.10.1
	$(VENV)-audit/bin/pip-audit --no-deps --disable-pip -r constraints.txt

sbom: $(READY)
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet cyclonedx-bom==7.5.0
	$(VENV)-audit/bin/cyclonedx-py environment $(BIN)/python -o sbom.json

bench: $(TESTED)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(VENV)-*

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "sidelight needs Python 3.11 or newer; call make with PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) torch
	$(INSTALL) -e '.[cpu]'
	touch $(READY)

$(TESTED): $(READY)
	$(INSTALL) -e '.[cpu,dev]'
	touch $(TESTED)
