# Everything runs in .venv, which `make` builds from any Python >= 3.11 on first use. Nothing else is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python
export NO_MKDOCS_2_WARNING := 1
export UV_PYTHON_DOWNLOADS := never
# Where `make serve` listens; if the port is taken: make serve ADDRESS=127.0.0.1:8001
ADDRESS ?= 127.0.0.1:8000

.PHONY: help serve test site offline update page lint mutate mutants lock clean
.DEFAULT_GOAL := help

help:            ## list the targets
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*## / — /'

# The stamp is newer than the lock exactly when the environment holds what the lock says.
# uv installs in seconds and is itself pinned; where it cannot be had, pip does the same more slowly.
$(VENV)/.ready: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "make: $(PYTHON) is older than Python 3.11; name a newer one: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check "uv>=0.9" && \
	  $(PY) -m uv pip install --quiet --python $(PY) --require-hashes -r requirements.lock \
	  || $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

serve: $(VENV)/.ready    ## serve the site and reload on change; another port: ADDRESS=127.0.0.1:8001
	$(PY) -m mkdocs serve --dev-addr $(ADDRESS)

site: $(VENV)/.ready     ## build the site into site/, failing on any warning
	$(PY) -m mkdocs build --strict

offline: $(VENV)/.ready  ## build the site as one zip that works from disk, into build/
	$(PY) -m sitekit.offline

# All files at once but the browser's: there a busy machine looks like a slow page. Both say what they found.
test: $(VENV)/.ready     ## run every check
	@$(PY) -m pytest --numprocesses=auto --dist=loadfile --ignore=tests/browser; found=$$?; \
	  $(PY) -m pytest tests/browser && exit $$found

page: $(VENV)/.ready     ## check one page: make page PAGE=docs/lessons/x.md
	@test -n "$(PAGE)" || { echo 'make: name the page: make page PAGE=docs/lessons/x.md'; exit 2; }
	@$(PY) -m sitekit.check $(PAGE)

update: $(VENV)/.ready   ## rewrite numerals and outputs after an intended change
	$(PY) -m sitekit.update $(PAGE)

mutate: $(VENV)/.ready   ## change every numeral and input, one at a time
	$(PY) -m sitekit.mutate $(PAGE)

mutants: $(VENV)/.ready  ## change attnref, one place at a time; minutes: make mutants MODULES=_softmax
	$(PY) -m benchmarks.mutate_attnref $(MODULES)

lint: $(VENV)/.ready     ## style and types
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

lock: $(VENV)/.ready     ## renew requirements.lock from pyproject.toml
	$(PY) -m uv pip compile --quiet --upgrade --group site --group test --universal --generate-hashes \
	  --no-header --python-version 3.11 --output-file requirements.lock pyproject.toml

clean:           ## remove the environment and all that was built
	rm -rf $(VENV) site build dist .cache .hypothesis .pytest_cache .mypy_cache .ruff_cache
