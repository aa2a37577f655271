#!/usr/bin/env bash
# Runs clang-tidy over every source of what is shipped; tests are not linted. Nothing is built.
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/stages.sh"

folder=$project/build/tidy
stage "Configure (tidy)" tidy-configure.log cmake -S "$project" --preset tidy
stage "clang-tidy" tidy.log run-clang-tidy-14 -quiet -p "$folder" -j "$(nproc)" \
  "^$project/(src|cli|testkit|examples)/.*(?<!_test)\.cc\$"
