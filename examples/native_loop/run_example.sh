#!/bin/sh
# run_example.sh PROGRAM FOLDER: runs the example three times in one folder and checks what it says.
set -eu
program=$1 folder=$2
rm -rf "$folder"

expect() {
  output=$("$program" "$folder" "$1" 2>/dev/null)
  shift
  for text in "$@"; do
    case $output in
      *"$text"*) ;;
      *) printf 'expected: %s\nfound: %s\n' "$text" "$output" >&2; exit 1 ;;
    esac
  done
}

expect 300 "target reached at step 300" "y = 3.000x + 1.000"
expect 300 "already at" "step 300" "y = 3.000x + 1.000"
expect 310 "target reached at step 310"
