#!/usr/bin/env bash
# tools/nightly.sh HOURS: the random tests for long. First what 10 million doubles become and were (minutes), then each
# fuzzer for so many hours (a fraction will do: 0.1), one on each CPU. Needs tools/setup.sh test and extension.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$(awk -v "hours=${1:?usage: tools/nightly.sh HOURS}" 'BEGIN { print int(hours * 3600) }')
[ "$seconds" -gt 0 ] || { echo "nightly: HOURS is a number above 0, not $1" >&2; exit 2; }
export LANNER_DOUBLES=10000000

cmake --preset release >/dev/null
cmake --build --preset release --target json_test
build/release/json_test --gtest_brief=1 --gtest_filter='Decimal.*:Number.*'
.venv/bin/python -m pytest -q --timeout 3600 tests/python/test_json_loads.py
FUZZ_JOBS=$(nproc) tools/fuzz.sh "$seconds" all
