# `make demo` and `make test` do all the set-up they need; nothing else has to be typed before.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check lint slow fuzz docs audit sbom bench clean

demo: $(READY)
	$(BIN)/sidelight demo

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist loadfile

check: lint test

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

slow: $(READY)
	$(BIN)/python -m pytest -m slow

fuzz: $(READY)
	$(BIN)/python -m pytest -m fuzz tests/fuzz

# The site lies in site/; a warning, such as a link that leads nowhere, is an error.
docs: $(READY)
	$(BIN)/python -m sphinx -q -E -W --keep-going -c docs/site . site

# Tools of their own environments, so that what is looked at is not changed by looking.
audit:
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet pip-audit==2.10.1
	$(VENV)-audit/bin/pip-audit --no-deps --disable-pip -r constraints.txt

sbom: $(READY)
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet cyclonedx-bom==7.5.0
	$(VENV)-audit/bin/cyclonedx-py environment $(BIN)/python -o sbom.json

bench: $(READY)
	for file in benchmarks/bench_*.py; do \
	  $(BIN)/python -m benchmarks.$$(basename $$file .py) || exit 1; done

clean:
	rm -rf $(VENV) $(VENV)-audit

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "sidelight needs Python 3.11 or newer; call make with PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[cpu,dev]'
	touch $(READY)
