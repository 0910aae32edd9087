# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One test more at once than there are processors: they spend half of their time waiting.
JOBS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
HOURS ?= 1
# Compiled tests are kept: else each process of each run compiles all of them, which takes longer than many tests.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: setup demo test test-java test-network quick fuzz check types rules format man docs screenshot recordings conformance bench stream-kills job-kills test-tables soak clean

setup: $(VENV)/.ready
	@$(BIN)/python -m compileall -q mqtools commands pyspark-mqx/src

$(VENV)/.ready: pyproject.toml pyspark-mqx/pyproject.toml VERSION
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing mqx and its tools into $(VENV) (once)"
	@# Both together: the extra spark names pyspark-mqx, which comes from this folder and from no index.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' --editable ./pyspark-mqx
	@touch $@

demo: setup
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/demo.sh

# Types take as long as all the rest.
check: setup
	@$(MAKE) --no-print-directory -j 2 types rules

types:
	$(BIN)/mypy

rules:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python tests/language.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir build/site

quick: setup
	HYPOTHESIS_PROFILE=few $(BIN)/pytest -n $(JOBS) -m 'not slow and not spark and not crash and not java'

# Runs tests: what fails is run once more, alone. What passes then depends on the machine's load, is named, and is to be
# mended. Arguments: how many at once, what.
run_tests = $(BIN)/pytest -rs -n $(1) $(2) || { test $$? -eq 1 && echo "Once more, alone:" && \
	$(BIN)/pytest -vv -n 0 --last-failed --last-failed-no-failures none $(2); }

test: check
	$(call run_tests,$(JOBS),-m 'not java')

# Maven fetches IBM's Java clients, JUnit, Spring Boot, Camel and Narayana when it runs for the first time. MQX_XA_KILLS
# is the number of transactions that are killed.
test-java: export MQX_FETCH = 1
test-java: setup
	$(call run_tests,0,tests/java)

# The command line once more on a queue manager elsewhere; REST, listeners and clients with more examples.
# MQX_REST_EXAMPLES is the number of requests that schemathesis tries for each operation of the REST API.
test-network: export MQX_TEST_NETWORK = 1
test-network: export MQX_REST_EXAMPLES = 500
test-network: setup
	$(call run_tests,$(JOBS),--timeout 3600 tests/rest tests/network tests/clients $(addprefix tests/commands/,put get \
	browse load dlq_handle test_move.py test_copy.py test_unload.py test_qdepth.py test_mqsc.py test_pub.py test_sub.py \
	test_pull.py test_push.py test_apply.py))

fuzz: setup
	HYPOTHESIS_PROFILE=fuzz $(BIN)/pytest -n $(JOBS) -m hypothesis
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris || echo "atheris does not install here"
	$(BIN)/python tests/fuzz/run.py
	$(BIN)/python -m tests.fuzz.client_streams --streams 100000
	MQX_MONKEY_KEYS=10000 MQX_MONKEY_SEED=$$$$ $(BIN)/pytest -n 0 --timeout 3600 tests/tui/test_monkey.py

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

man: setup
	$(BIN)/python man/generate.py

docs: setup
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir build/site
	@echo "build/site/index.html"

screenshot: setup
	$(BIN)/python man/screenshot.py

recordings: screenshot
	$(BIN)/python man/recordings.py

conformance: setup
	$(BIN)/python tests/conformance.py

bench: setup
	$(BIN)/python benchmarks/run.py

stream-kills: setup
	$(BIN)/python benchmarks/stream_kills.py

job-kills: setup
	$(BIN)/python benchmarks/job_kills.py

# The versions of PySpark whose pairs with the jars of Delta and Iceberg are tested; Maven brings the jars. What else
# starts Spark several times is tested with them.
build/spark-%/bin/python:
	@$(PYTHON) -m venv build/spark-$*
	@build/spark-$*/bin/pip install --quiet --disable-pip-version-check 'pyspark==$*' --editable . --editable ./pyspark-mqx \
		|| { rm -rf build/spark-$*; echo "PySpark $* cannot be installed here: its tables are not tested"; }

test-tables: export MQX_TABLES = 1
test-tables: setup build/spark-4.1.1/bin/python build/spark-4.2.0/bin/python build/spark-4.3.0/bin/python
	$(call run_tests,0,pyspark-mqx/tests/tables pyspark-mqx/tests/session/test_class_cache.py \
	tests/test_examples.py::test_the_declarative_pipeline_adds_what_is_new_to_its_tables)

soak: setup
	$(BIN)/python benchmarks/soak.py --hours $(HOURS)

clean:
	rm -rf $(VENV) build dist *.egg-info
