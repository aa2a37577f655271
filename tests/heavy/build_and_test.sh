#!/usr/bin/env bash
# Builds with a preset and runs its tests: build_and_test.sh PRESET [FOLDER [CMAKE_OPTION...]]
# FOLDER (in build/) is the preset's own unless another is named.
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/stages.sh"

preset=$1
folder=$project/build/${2:-$preset}
shift $(($# < 2 ? $# : 2))

stage "Configure ($preset)" "heavy-configure-${folder##*/}.log" \
  cmake -S "$project" -B "$folder" --preset "$preset" "$@"
stage "Build ($preset)" "heavy-build-${folder##*/}.log" cmake --build "$folder"
cd "$folder"
ctest --output-on-failure --parallel "$(nproc)" --label-exclude '^(heavy|benchmark|sources)$'
