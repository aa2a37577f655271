#!/usr/bin/env bash
# Builds the fuzzers and runs each for a while, beginning with the project's own files.
#
#   tests/fuzz/fuzz.sh [--seconds N] [--runs N] [--max-len BYTES] [--jobs N] [NAME...]
#
# NAME is bundle, manifest, lock_file, state_file, event_file, meta_graph or npy (default: all). Inputs are at most
# --max-len bytes long (default 20000), the build takes --jobs processors (default: all). What is found is left in
# build/fuzz/found, as libFuzzer names it. Needs clang 14 (exit code 77 without it).
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=60
runs=-1
max_len=20000
jobs=$(nproc)
names=()
while (($# > 0)); do
  case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --runs) runs=$2; seconds=0; shift 2 ;;
    --max-len) max_len=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    *) names+=("$1"); shift ;;
  esac
done
((${#names[@]} > 0)) || names=(bundle manifest lock_file state_file event_file meta_graph npy)

compiler=$(command -v clang++-14 || command -v clang++ || true)
if [[ -z $compiler ]]; then
  echo "there is no clang, which has the fuzzer"
  exit 77
fi

build=$project/build/fuzz
mkdir -p "$build"
cmake -S "$project" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DFERMATA_SANITIZE=fuzzer-no-link,address,undefined -DFERMATA_DEVELOPMENT=ON \
  -DFERMATA_WITH_TENSORFLOW=OFF >"$build/configure.log" || { cat "$build/configure.log"; exit 1; }
cmake --build "$build" -j "$jobs" --target fuzzers >"$build/build.log" || { tail -50 "$build/build.log"; exit 1; }

source "$project/tests/fuzz/seeds.sh"

for name in "${names[@]}"; do
  corpus=$build/corpus/$name
  found=$build/found
  mkdir -p "$corpus" "$found"
  number=0
  while read -r file; do
    number=$((number + 1))
    cp "$file" "$corpus/seed-$number"
  done < <(seeds "$name")
  echo "$name: $number files to begin with"
  "$build/fuzzers/${name}_fuzzer" -max_total_time="$seconds" -runs="$runs" -max_len="$max_len" -timeout=25 -rss_limit_mb=2048 \
    -artifact_prefix="$found/$name-" -print_final_stats=1 "$corpus" 2>"$build/$name.log" ||
    { tail -60 "$build/$name.log"; exit 1; }
  grep -E "stat::number_of_executed_units|stat::peak_rss_mb" "$build/$name.log"
done
