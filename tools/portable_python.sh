#!/usr/bin/env bash
# tools/portable_python.sh: tests of the extension built with LANNER_PORTABLE, which relies on no layout of CPython's
# objects (src/python/object/layout.h): tools/portable_python.sh [PYTEST ARGUMENTS]. Needs tools/setup.sh test.
#
# A Python version that was not tested gets this build. PYTHON names the interpreter; without it, .venv's.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-$PWD/.venv/bin/python}
build=build/portable-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLANNER_STRICT=OFF -DLANNER_PYTHON=ON -DLANNER_PORTABLE=ON \
  -DPython_EXECUTABLE="$python" >/dev/null
cmake --build "$build" --target _core
rm -rf "$build/package"
mkdir "$build/package"
cp -r lanner "$build/package/"
rm -f "$build/package"/lanner/_core*.so
cp "$build"/_core*.so "$build/package/lanner/"

export PYTHONPATH=$PWD/$build/package
"$python" -P -c 'import lanner._core as core
if "build/portable" not in core.__file__ or core.relies_on_layouts():
    raise SystemExit("not the portable extension: " + core.__file__)'
exec "$python" -P -m pytest -p no:cacheprovider "$@"
