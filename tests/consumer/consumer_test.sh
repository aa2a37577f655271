#!/usr/bin/env bash
# Installs Fermata into a folder, builds a project outside the tree against it and runs what came out:
#   consumer_test.sh BUILD_FOLDER SCRATCH_FOLDER COMPILER EXAMPLE_SOURCE
# Nothing of the build tree is used but by `cmake --install`.
set -euo pipefail

build=$1 scratch=$2 compiler=$3 example=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
installed=$scratch/installed

quietly() {
  local log=$scratch/log.txt
  "$@" >"$log" 2>&1 || {
    cat "$log"
    echo "Failed: $*"
    exit 1
  }
}

rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$here/project" "$scratch/project"
quietly cmake --install "$build" --prefix "$installed"
quietly cmake -S "$scratch/project" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$installed" -DCMAKE_CXX_COMPILER="$compiler" -DFERMATA_EXAMPLE="$example"
quietly cmake --build "$scratch/build"

cd "$scratch"
"$scratch/build/native_loop" "$scratch/run" 300
"$scratch/build/hook_check"
"$installed/bin/fermata" --version

library=$(find "$installed" -name libfermata.so)
soname=$(readelf -d "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
[[ $soname == libfermata.so.0 ]] || { echo "Expected the soname libfermata.so.0, found '$soname'"; exit 1; }
