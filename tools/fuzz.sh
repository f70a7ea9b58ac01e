#!/usr/bin/env bash
# tools/fuzz.sh SECONDS [TARGET...]: runs fuzz targets for a while on seeds made from tests/vectors, FUZZ_JOBS of them at
# a time (default 1). Needs tools/setup.sh test. Corpora stay in build/fuzz/corpus, a target's output in build/fuzz.
# Exit code 1: a target failed; its input lies in build/fuzz/crash.
#
# Without a target: those that need no Python; `all`: the encoders, too, which take minutes to build.
# A target is the X of fuzz/fuzz_X.cpp. encode@baseline is `encode` with no more vector instructions than that.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: tools/fuzz.sh SECONDS [TARGET...]}
shift
build=build/fuzz
quick=(head chunked session forwarded pairs router json_reader schema)
case ${1:-} in
  "") set -- "${quick[@]}" ;;
  all) set -- "${quick[@]}" encode encode@avx2 encode@baseline ;;
esac

fuzz() {  # one target
  local target=$1 name=${1%@*} level= dictionary=http1 log=$build/$1.log
  case $target in *@*) level=${target#*@} ;; esac
  if [ "$name" = encode ]; then
    export PYTHONPATH=$PWD/$build/package:$PWD/fuzz PYTHONMALLOC=malloc
    export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
  fi
  case $name in json_* | schema | encode) dictionary=json ;; esac
  mkdir -p "$build/corpus/$target" "$build/seeds/$name"
  if LANNER_SIMD=$level "$build/fuzz/lanner_fuzz_$name" "-max_total_time=$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=8192 "-dict=fuzz/$dictionary.dict" "-artifact_prefix=$build/crash/$target-" -print_final_stats=1 \
    -verbosity=0 "$build/corpus/$target" "$build/seeds/$name" >"$log" 2>&1; then
    echo "$target, $seconds s: $(grep -oE '(number_of_executed_units|average_exec_per_sec): +[0-9]+' "$log" | xargs)"
  else
    tail -n 40 "$log"
    echo "FAILED: $target"
    return 1
  fi
}

if [ "${FUZZ_ONE:-}" = yes ]; then
  fuzz "$1"
  exit
fi
cmake --preset fuzz "-DPython_EXECUTABLE=$PWD/.venv/bin/python" >/dev/null
names=$(for target; do echo "lanner_fuzz_${target%@*}"; done | sort -u)
# shellcheck disable=SC2086  # a list of names
cmake --build $build --target $names
case " $names " in *lanner_fuzz_encode*)
  rm -rf $build/package
  mkdir $build/package
  cp -r lanner $build/package/
  rm -f $build/package/lanner/_core*.so
  cp $build/_core*.so $build/package/lanner/
  ;;
esac
mkdir -p $build/crash
.venv/bin/python tools/gen_fuzz_seeds.py $build/seeds
export FUZZ_ONE=yes
printf '%s\n' "$@" | xargs -P "${FUZZ_JOBS:-1}" -I {} tools/fuzz.sh "$seconds" {}
