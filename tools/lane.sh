#!/usr/bin/env bash
# tools/lane.sh: a quick part of the tests on another interpreter, or on another build of the extension:
# tools/lane.sh NAME PYTHON [CMAKE OPTION...]. All it makes is under build/lanes/NAME. Exit code 77: no such interpreter.
# -DLANNER_PORTABLE=ON: one that relies on no layout of CPython's objects (src/python/object/layout.h).
set -euo pipefail
cd "$(dirname "$0")/.."
name=$1 python=$2
shift 2
lane=$PWD/build/lanes/$name
tests=(
  tests/python/test_json_*.py
  tests/python/test_schema*.py
  tests/python/test_model.py
  tests/python/test_loop*.py
  tests/integration/test_wsgi_response.py
  tests/integration/test_asgi_send.py
)
packages=(
  annotated-types attrs click fastapi httpx hypothesis jsonschema msgspec numpy orjson pydantic pytest pytest-timeout
  pytz typing-extensions uvloop
)

find_python() {  # version -> an interpreter that runs and has its headers
  local candidate
  for candidate in "$1" "$HOME"/.pyenv/versions/"${1#python}".*/bin/"$1"; do
    if "$candidate" -c 'import os, sysconfig, venv
raise SystemExit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
}

found=$(find_python "$python")
if [ -z "$found" ]; then
  echo "$name: skipped, no $python with its headers here"
  exit 77
fi
state="$("$found" -VV) ${packages[*]} $(cksum <tests/constraints.txt)"
if [ ! -f "$lane/installed" ] || [ "$(cat "$lane/installed")" != "$state" ]; then
  rm -rf "$lane"
  "$found" -m venv "$lane/venv"
  PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
    "$lane/venv/bin/pip" install -q -c tests/constraints.txt "${packages[@]}"
  echo "$state" >"$lane/installed"
fi
cmake -S . -B "$lane/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLANNER_PYTHON=ON \
  -DPython_EXECUTABLE="$lane/venv/bin/python" "$@" >/dev/null
cmake --build "$lane/build" --target _core
rm -rf "$lane/package"
mkdir "$lane/package"
cp -r lanner "$lane/package/"
rm -f "$lane"/package/lanner/_core*.so
cp "$lane"/build/_core*.so "$lane/package/lanner/"

# Servers under test are started with this path, too (tests/support/server.py).
export PYTHONPATH=$lane/package:$PWD PYTHONSAFEPATH=1  # the checkout's own lanner/ is not in the way
"$lane/venv/bin/python" -P -c "import lanner._core as core
portable = '-DLANNER_PORTABLE=ON' in '$*'.split()
if '$lane' not in core.__file__ or (portable and core.relies_on_layouts()):
    raise SystemExit('not the extension of this lane: ' + core.__file__)"
exec "$lane/venv/bin/python" -P -m pytest -q -p no:cacheprovider "--junitxml=build/reports/$name.xml" "${tests[@]}"
