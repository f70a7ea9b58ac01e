#!/usr/bin/env bash
# tools/aarch64.sh: the tests of the layers with vector instructions, compiled for aarch64 and run under qemu: NEON is
# what base/simd128.h is there. Exit code 77: what it needs could not be installed.
set -euo pipefail
cd "$(dirname "$0")/.."
layers=(base http1 json schema)

if ! tools/setup.sh aarch64; then
  echo "aarch64: skipped, its compiler, qemu or its libraries could not be installed (see above)"
  exit 77
fi
cmake --preset aarch64 >/dev/null
cmake --build --preset aarch64 --target "${layers[@]/%/_test}"
for layer in "${layers[@]}"; do
  timeout 900 qemu-aarch64 -L /usr/aarch64-linux-gnu "build/aarch64/${layer}_test" --gtest_brief=1 \
    "--gtest_output=xml:build/reports/aarch64-$layer.xml"
done
