#!/usr/bin/env bash
# tools/asan_python.sh: tests of the extension under AddressSanitizer and UndefinedBehaviorSanitizer, in the interpreter
# itself: tools/asan_python.sh [PYTEST ARGUMENTS]. Needs tools/setup.sh test. Its libraries are those of the unit tests.
#
# Python is not instrumented: its blocks come from malloc(), so that each is watched, and leaks are counted by the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/dev
python=$PWD/.venv/bin/python

cmake --preset dev -DLANNER_PYTHON=ON -DPython_EXECUTABLE="$python" >/dev/null
cmake --build $build --target _core
rm -rf $build/package
mkdir $build/package
cp -r lanner $build/package/
rm -f $build/package/lanner/_core*.so
cp $build/_core*.so $build/package/lanner/

export PYTHONPATH=$PWD/$build/package PYTHONMALLOC=malloc
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
LD_PRELOAD="$("${CXX:-c++}" -print-file-name=libasan.so) $("${CXX:-c++}" -print-file-name=libubsan.so)"
export LD_PRELOAD
"$python" -P -c 'import lanner._core as core
if "build/dev" not in core.__file__:
    raise SystemExit("not the instrumented extension: " + core.__file__)'
exec "$python" -P -m pytest -p no:cacheprovider "$@"
