# The front door: each target sets up what it needs (tools/setup.sh), then works.
#   PYTHON=python3.12   the interpreter of .venv (3.11 or newer); it is remembered
#   ARGS=...            appended to what `run`, `bench` and `conformance` start: make run ARGS="--port 8001"
#   STEPS=...           only these steps of `test`: make test STEPS="tidy layers"
#   HOURS=...           of each fuzzer, for `nightly`; 1 if it is not given

export PYTHON
APP ?= api:app
APP_DIR ?= examples/cards
HOURS ?= 1

.PHONY: build run test test-long test-all nightly bench conformance format
.DEFAULT_GOAL := build

build:
	@tools/setup.sh build

run:
	@tools/setup.sh run
	@echo "Open http://127.0.0.1:8000/docs when it says that it serves (Ctrl-C ends it)."
	@exec .venv/bin/lanner run $(APP) --app-dir $(APP_DIR) $(ARGS)

test:
	@tools/setup.sh test
	@exec .venv/bin/python tools/run_tests.py $(STEPS)

test-long:
	@tools/setup.sh test
	@tools/setup.sh browser
	@exec .venv/bin/python tools/run_tests.py --long

# Both, with one sum at the end.
test-all:
	@tools/setup.sh test
	@tools/setup.sh browser
	@exec .venv/bin/python tools/run_tests.py --all

nightly:
	@tools/setup.sh test
	@tools/setup.sh extension
	@exec tools/nightly.sh $(HOURS)

bench:
	@tools/setup.sh bench
	@exec .venv/bin/python bench/run.py $(ARGS)

conformance:
	@tools/setup.sh conformance
	@exec .venv/bin/python -m tests.conformance.run $(ARGS)

format:
	@tools/setup.sh format
	@exec .venv/bin/python tools/run_tests.py --write format
