#!/bin/sh
# Runs every fuzz target for a while on seeds made from tests/vectors: tools/fuzz.sh SECONDS [TARGET...]
# Builds by the preset `fuzz`. Corpora stay in build/fuzz/corpus. Exit 1 = a target failed; its input lies in build/fuzz/crash.
set -eu

seconds=${1:?usage: tools/fuzz.sh SECONDS [TARGET...]}
shift
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/fuzz
targets=${*:-head chunked session forwarded json_reader schema}

cd "$root"
[ -f "$build/build.ninja" ] || cmake --preset fuzz > /dev/null
for target in $targets; do
  cmake --build "$build" --target "lanner_fuzz_$target"
done
mkdir -p "$build/crash"
python3 tools/gen_fuzz_seeds.py "$build/seeds"

failed=0
for target in $targets; do
  mkdir -p "$build/corpus/$target"
  echo "== lanner_fuzz_$target, $seconds s"
  case $target in json_* | schema) dictionary=json ;; *) dictionary=http1 ;; esac
  if ! "$build/fuzz/lanner_fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
      -dict=fuzz/$dictionary.dict -artifact_prefix="$build/crash/$target-" -print_final_stats=1 -verbosity=0 \
      "$build/corpus/$target" "$build/seeds/$target" > "$build/$target.log" 2>&1; then
    failed=1
    tail -n 40 "$build/$target.log"
    echo "FAILED: lanner_fuzz_$target"
  else
    grep -E 'number_of_executed_units|average_exec_per_sec' "$build/$target.log"
  fi
done
exit $failed
