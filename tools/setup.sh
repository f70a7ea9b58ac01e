#!/usr/bin/env bash
# tools/setup.sh: makes a machine ready for one make target, and does nothing where it is ready.
#
#   tools/setup.sh build|run|test|browser|bench|format|conformance|aarch64
#
# 1. system packages (Debian 12) by apt as root or with `sudo -n`; otherwise says what to install
# 2. .venv, made with $PYTHON (3.11 or newer); without it: what .venv was made with, then python3, then python3.11
# 3. Python packages as pinned in tests/constraints.txt, and the `lanner` command
# 4. for build, run, bench and conformance: the optimized extension, built into lanner/ (test builds it as one of its
#    steps)
# 5. for build, run and test: the files of the documentation pages, in lanner/native/assets
# 6. for browser: Chromium, beside test; without it, tests of pages are skipped
# 7. for conformance: the other servers, in build/peers (tests/conformance/peers.txt)
#
# For aarch64, which `make test-long` needs: a cross compiler, qemu, and Debian's libraries for arm64, unpacked in
# build/aarch64; nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv
made_with=$venv/lanner-made-with  # path and version of the interpreter behind .venv, and where .venv stands
build_packages="g++ cmake ninja-build pkg-config libfast-float-dev libsimdjson-dev libre2-dev"
test_packages="ccache curl libgtest-dev clang-16 libclang-rt-16-dev clang-format-16 clang-tidy-16 postgresql redis-server"
bench_packages="curl wrk valgrind"
aarch64_packages="cmake ninja-build g++-aarch64-linux-gnu qemu-user googletest"
arm64_libraries="libfast-float-dev libre2-9 libre2-dev libsimdjson14 libsimdjson-dev"

say() { echo "setup: $*"; }
die() { printf 'setup: %s\n' "$@" >&2; exit 1; }

missing_packages() {  # names -> those not installed
  local name
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
  done
}

install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not Debian: expecting the counterparts of: $*"
    return
  fi
  local missing as_root=()
  missing=$(missing_packages "$@" | xargs)
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      die "these Debian packages are missing, and this user may not install them:" "  $missing" \
        "Install them, then try again:" "  sudo apt-get update && sudo apt-get install -y $missing"
    fi
    as_root=(sudo -n)
  fi
  say "installing $missing"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600)
  "${apt[@]}" update
  # shellcheck disable=SC2086  # a list of names
  "${apt[@]}" install -y --no-install-recommends $missing >/dev/null
}

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# The interpreter itself: through shims and virtual environments.
real_python() {
  "$1" -c 'import os, sys; print(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))'
}

can_build() {  # has the headers and can make a virtual environment
  "$1" -c 'import ensurepip, os, sysconfig, sys, venv
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}

# Prints the interpreter to use, or nothing if there is none.
pick_python() {
  local candidate
  if [ -n "${PYTHON:-}" ]; then
    "$PYTHON" -c '' 2>/dev/null || die "PYTHON=$PYTHON does not run: name an interpreter, 3.11 or newer"
    new_enough "$PYTHON" || die "PYTHON=$PYTHON is $("$PYTHON" -V 2>&1); Lanner needs Python 3.11 or newer"
    real_python "$PYTHON"
    return
  fi
  if [ -f "$made_with" ] && "$venv/bin/python" -c '' 2>/dev/null; then
    real_python "$venv/bin/python"
    return
  fi
  for candidate in python3 /usr/bin/python3.11 /usr/bin/python3; do
    if new_enough "$candidate" && can_build "$candidate"; then
      real_python "$candidate"
      return
    fi
  done
  for candidate in /usr/bin/python3.11 /usr/bin/python3 python3; do  # Debian's first: apt can complete it
    if new_enough "$candidate"; then
      real_python "$candidate"
      return
    fi
  done
}

# Sets $python; installs the packages named, and those that Debian's Python lacks for building.
choose_python() {
  python=$(pick_python)
  case "$python" in
    "" | /usr/bin/*) install_packages python3-dev python3-venv "$@" ;;
    *) install_packages "$@" ;;
  esac
  [ -n "$python" ] || python=$(pick_python)
  [ -n "$python" ] || die "no Python 3.11 or newer found; name one: make PYTHON=/path/to/python3.12 ..."
  can_build "$python" || die "$python ($("$python" -V 2>&1)) has no Python.h or no venv module." \
    "Install its development files (on Debian: python3-dev python3-venv), or name another: make PYTHON=..."
}

make_venv() {
  local identity
  identity="$python $("$python" -c 'import sys; print(sys.version)' | tr '\n' ' ') in $PWD"
  if [ -f "$made_with" ] && [ "$(cat "$made_with")" = "$identity" ] && "$venv/bin/python" -c '' 2>/dev/null; then
    return
  fi
  say "making .venv with $python ($("$python" -V 2>&1))"
  rm -rf "$venv" build
  "$python" -m venv "$venv"
  echo "$identity" >"$made_with"
}

pip_install() {
  PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore "$venv/bin/pip" install -q -c tests/constraints.txt "$@"
}

install_lanner() {  # extras, e.g. test,examples: once per change of the files that say what to install
  local extras=$1 stamp state
  stamp=$venv/lanner-installed-${extras:-none}
  state=$(cat pyproject.toml tests/constraints.txt | cksum)
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$state" ] && [ -x "$venv/bin/lanner" ]; then
    return
  fi
  say "installing Python packages ${extras:+($extras)}"
  pip_install scikit-build-core
  LANNER_IN_TREE=1 pip_install --no-build-isolation ".${extras:+[$extras]}"
  # The package itself is this checkout: a line in a .pth file, no import hook.
  pwd >"$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/lanner-checkout.pth"
  echo "$state" >"$stamp"
}

build_extension() {
  local log=build/python.log
  mkdir -p build
  cmake -S . -B build/python -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON \
    -DLANNER_PYTHON=ON -DLANNER_IN_TREE=ON -DPython_EXECUTABLE="$PWD/$venv/bin/python" >"$log" 2>&1 ||
    { cat "$log" >&2; die "cmake failed"; }
  cmake --build build/python
  "$venv/bin/python" -c 'import lanner._core' || die "the extension was built but does not import"
}

fetch_assets() {  # the files of the documentation pages (tools/assets.toml)
  "$venv/bin/python" tools/fetch_assets.py --check >/dev/null && return
  if ! command -v npm >/dev/null; then
    install_packages npm
  fi
  say "fetching the files of the documentation pages"
  "$venv/bin/python" tools/fetch_assets.py >/dev/null || die "the files of the documentation pages are not there"
}

install_peers() {  # once per change of the file that names them
  local list=tests/conformance/peers.txt stamp=build/peers/lanner-installed
  if [ -f "$stamp" ] && cmp -s "$list" "$stamp"; then
    return
  fi
  say "installing the other servers into build/peers"
  rm -rf build/peers
  "$python" -m venv build/peers
  PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore build/peers/bin/pip install -q -r "$list"
  cp "$list" "$stamp"
}

unpack_arm64() {  # names of Debian packages -> build/aarch64/root; this system gets no foreign architecture
  local home=$PWD/build/aarch64 root=$PWD/build/aarch64/root apt
  if [ -f "$root/unpacked" ] && [ "$(cat "$root/unpacked")" = "$*" ]; then
    return
  fi
  say "unpacking $* for arm64"
  rm -rf "$root" "$home/apt" "$home/packages"
  mkdir -p "$root" "$home/apt/lists/partial" "$home/apt/cache/archives/partial" "$home/packages"
  : >"$home/apt/status"
  apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root
    -o "Dir::State::lists=$home/apt/lists" -o "Dir::State::status=$home/apt/status" -o "Dir::Cache=$home/apt/cache")
  "${apt[@]}" update >/dev/null || say "not all sources of packages have lists for arm64"
  (cd "$home/packages" && "${apt[@]}" download "$@") || die "these packages for arm64 could not be downloaded: $*"
  local package
  for package in "$home"/packages/*.deb; do
    dpkg-deb -x "$package" "$root"
  done
  echo "$*" >"$root/unpacked"
}

target=${1:-build}
if [ "$target" = browser ]; then
  (install_packages chromium) || say "chromium could not be installed: the tests of pages in it are skipped"
  exit 0
fi
if [ "$target" = aarch64 ]; then
  command -v dpkg-deb >/dev/null || die "the libraries for arm64 are taken from Debian's packages"
  # shellcheck disable=SC2086  # lists of names
  install_packages $aarch64_packages
  # shellcheck disable=SC2086
  unpack_arm64 $arm64_libraries
  exit
fi
case "$target" in
  build | run | extension) packages=$build_packages ;;
  test) packages="$build_packages $test_packages" ;;
  bench) packages="$build_packages $bench_packages" ;;
  conformance) packages="$build_packages libev-dev" ;;  # bjoern is built against libev
  format) packages=clang-format-16 ;;
  *) die "usage: tools/setup.sh build|run|test|browser|bench|format|conformance|aarch64" ;;
esac
# shellcheck disable=SC2086  # a list of names
choose_python $packages
case "$target:$python" in
  test:/usr/bin/python3.*) install_packages "lib${python##*/}-testsuite" ;;  # CPython's own tests of asyncio
esac
if [ "$target" = test ] && ! (install_packages nginx); then
  say "nginx could not be installed: the tests behind a real one are skipped"
fi
make_venv
case "$target" in
  build) install_lanner "" ;;
  run | bench) install_lanner examples ;;
  test | format | conformance) install_lanner test,examples ;;
esac
case "$target" in
  build | run | test | extension) fetch_assets ;;
esac
case "$target" in
  build | run | bench | extension | conformance) build_extension ;;
esac
[ "$target" != conformance ] || install_peers
