#!/usr/bin/env bash
# tools/tsan_loop.sh: the loop's storms of threads under ThreadSanitizer, in the interpreter itself. Not part of
# `make test`: the instrumented extension takes minutes to build. Needs tools/setup.sh test.
#
# Python is not instrumented: the GIL is a mutex to TSan, so what is found is what other threads do without it.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/tsan-python
python=$PWD/.venv/bin/python

cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLANNER_PYTHON=ON -DPython_EXECUTABLE="$python" \
  -DCMAKE_CXX_FLAGS=-fsanitize=thread >/dev/null
cmake --build $build --target _core
rm -rf $build/package
mkdir $build/package
cp -r lanner $build/package/
rm -f $build/package/lanner/_core*.so
cp $build/_core*.so $build/package/lanner/

export PYTHONPATH=$build/package:. LD_PRELOAD=
LD_PRELOAD=$(realpath "$("${CXX:-c++}" -print-file-name=libtsan.so)")
export TSAN_OPTIONS="exitcode=66 report_signal_unsafe=0"
# A fixed layout of memory: TSan's shadow does not fit every random one.
storm=(setarch -R "$python" -P -m tests.support.loop_storms)
setarch -R "$python" -P -c 'import lanner._core as core
if "tsan-python" not in core.__file__ or "libtsan" not in open("/proc/self/maps").read():
    raise SystemExit("not the instrumented extension: " + core.__file__)'
for name in call_soon_threadsafe wakes_a_loop_that_waits executors a_loop_that_closes loops_in_threads signals_meanwhile; do
  outcome=$("${storm[@]}" $name)
  echo "$name: $outcome"
done
