#!/bin/sh
# run_example.sh PROGRAM DATA FOLDER: trains, finds that it is done, goes on from there.
set -eu
program=$1 data=$2 folder=$3
rm -rf "$folder"

expect() {
  output=$("$program" "$data" "$folder" "$1" 2>/dev/null)
  shift
  for text in "$@"; do
    case $output in
      *"$text"*) ;;
      *) printf 'expected: %s\nfound: %s\n' "$text" "$output" >&2; exit 1 ;;
    esac
  done
}

expect 500 "target reached at step 500" "last loss: 0."
expect 500 "already at" "step 500"
expect 600 "target reached at step 600"
