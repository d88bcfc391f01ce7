# make demo: set everything up and play a whole game.    make smoke: the core of the tests.    make test: every check.
# `make check` does what `make test` does, in the active environment; .ci/run uses it.

PYTHON ?= python3
VENV := .venv
IN_VENV := . $(VENV)/bin/activate &&
SETUP := pyproject.toml constraints.txt hawaii_env/_version.py

# A sentence instead of a traceback where Python is missing or too old.
define CHECK_PYTHON
@command -v $(PYTHON) >/dev/null || { echo "No '$(PYTHON)' here. hawaii_env needs Python 3.11 or later; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
  { echo "hawaii_env needs Python 3.11 or later, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
endef

# Lint and types, each command behind what is given: nothing, or $(IN_VENV).
define LINT
$(1) ruff check .
$(1) ruff format --check .
$(1) pyright
endef
PYTEST := python -m pytest -n 2 --dist worksteal
# What tests have compiled of two games, with checks of every index, is compiled on the other core during lint and
# types; of the others by the two processes of the tests.
WARM = for game in hawaii1795 aloha; do HAWAII_ENV_BOUNDS_CHECK=1 hawaii warm --game $$game; done >/dev/null 2>&1 &

.DEFAULT_GOAL := help
# The core of the tests: rules, contract, records and environments of all games, as plain Python. No compiler, no torch.
SMOKE := $(addprefix tests/,rules aloha heiau maori_wars test_toy.py test_positions.py test_rulesets.py test_records.py \
  test_aec.py test_fuzz.py test_index.py test_games.py test_same_games.py) \
  $(addprefix tests/engine/test_,golden.py api.py actions.py bad_input.py perft.py against_referee.py)

.PHONY: help demo smoke test check lint format nightly bench mutation docs test-rllib lowest clean

help:
	@echo "make demo     set up .venv and play a whole game"
	@echo "make smoke    set up .venv without torch (450 MB on disk); the core of the tests, two minutes"
	@echo "make test     set up .venv with torch and all extras (2.6 GB on disk, more with CUDA); lint, types, tests"
	@echo "make check    lint, types and tests in the active environment"
	@echo "make lint     lint and types alone"
	@echo "make format   put the code in form"
	@echo "make nightly  the slow tests, 100,000 random games and make mutation"
	@echo "make bench    measure speed on this machine"
	@echo "make mutation  how many of 400 small changes of the rules their tests notice, under a second of a core each"
	@echo "make docs     the documentation site, in dist/site"
	@echo "make test-rllib  the tests with RLlib, which pins its own gymnasium, in an environment of their own"
	@echo "make lowest   the tests with the lowest versions that pyproject.toml allows"
	@echo "make clean    remove .venv and caches"

demo: $(VENV)/.installed
	$(IN_VENV) hawaii demo

smoke: $(VENV)/.installed-smoke
	$(IN_VENV) HAWAII_ENV_PLAIN=1 $(PYTEST) $(SMOKE)

test: $(VENV)/.installed-test
	@echo "Lint, types and tests take some ten minutes on two cores that do nothing else."
	@$(IN_VENV) $(WARM)
	$(call LINT,$(IN_VENV))
	$(IN_VENV) $(PYTEST)

check:
	@$(WARM)
	$(call LINT,)
	$(PYTEST)

lint: $(VENV)/.installed-test
	$(call LINT,$(IN_VENV))

format: $(VENV)/.installed-test
	$(IN_VENV) ruff check --fix .
	$(IN_VENV) ruff format .

nightly: $(VENV)/.installed-test
	$(IN_VENV) $(PYTEST) -m "slow or nightly" --timeout 3600
	$(IN_VENV) HYPOTHESIS_PROFILE=nightly python -m pytest tests/engine/test_state_machine.py --timeout 3600
	$(IN_VENV) hawaii fuzz --games 100000 --seed 1
	$(MAKE) mutation

mutation: $(VENV)/.installed-test
	$(IN_VENV) python tests/mutation.py

bench: $(VENV)/.installed-test
	$(IN_VENV) python -m pip install -c constraints.txt -e ".[bench]"
	$(IN_VENV) python experiments/bench.py

docs: $(VENV)/.installed-test
	$(IN_VENV) sphinx-build -W --keep-going -b html docs dist/site

test-rllib:
	$(CHECK_PYTHON)
	$(PYTHON) -m venv $(VENV)-rllib
	. $(VENV)-rllib/bin/activate && python -m pip install -e ".[rllib,arena]" "pytest>=8.2" "pytest-timeout>=2.3.1" "hypothesis>=6.112"
	. $(VENV)-rllib/bin/activate && python -m pytest -m "slow or not slow" tests/integrations/test_rllib.py

# Every "name>=version" of the dependencies and of the extras that `test` takes in, but for ruff and pyright, as "name==version".
lowest:
	$(CHECK_PYTHON)
	rm -rf $(VENV)-lowest
	$(PYTHON) -m venv $(VENV)-lowest
	$(PYTHON) -c 'import re, tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	  extras = p["optional-dependencies"]; taken = re.findall(r"[a-z]+", extras["test"][0].split("[")[1]); \
	  asked = sum((extras[name] for name in taken), p["dependencies"] + extras["test"]); \
	  found = [re.fullmatch(r"([\w-]+)>=([\d.]+)", line) for line in asked]; \
	  print(*sorted({f"{m[1]}=={m[2]}" for m in found if m and m[1] != "ruff"}), sep="\n")' > $(VENV)-lowest/lowest.txt
	. $(VENV)-lowest/bin/activate && python -m pip install -c $(VENV)-lowest/lowest.txt -e ".[test]"
	. $(VENV)-lowest/bin/activate && $(PYTEST)

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-rllib .pytest_cache .ruff_cache .hypothesis dist

$(VENV)/bin/activate:
	$(CHECK_PYTHON)
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "No environment could be made; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

$(VENV)/.installed: $(SETUP) | $(VENV)/bin/activate
	$(IN_VENV) python -m pip install -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-smoke: $(SETUP) | $(VENV)/bin/activate
	$(IN_VENV) python -m pip install -c constraints.txt -e ".[agents,render,web]" httpx hypothesis pytest pytest-timeout pytest-xdist
	@touch $(VENV)/.installed $@

$(VENV)/.installed-test: $(SETUP) | $(VENV)/bin/activate
	@echo "Downloads torch and all other extras once: about 1 GB, and on Linux 3 GB more, the CUDA libraries of PyPI's torch."
	@echo "docs/training.md names an index without CUDA; make smoke needs neither."
	$(IN_VENV) python -m pip install -c constraints.txt -e ".[test]"
	@touch $(VENV)/.installed $@
