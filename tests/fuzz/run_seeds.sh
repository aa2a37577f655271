#!/usr/bin/env bash
# run_seeds.sh FUZZER NAME: runs a fuzzer once over each of the project's files of its kind.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$project/tests/fuzz/seeds.sh"
mapfile -t files < <(seeds "$2")
((${#files[@]} > 0)) || { echo "there is no file for the reader $2"; exit 1; }
exec "$1" "${files[@]}"
