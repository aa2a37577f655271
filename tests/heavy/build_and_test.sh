#!/usr/bin/env bash
# build_and_test.sh PRESET [TARGET...]: builds with a preset and runs its tests; with targets, builds only these.
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/stages.sh"

preset=$1
folder=$project/build/$preset
shift

stage "Configure ($preset)" "heavy-configure-$preset.log" cmake -S "$project" --preset "$preset"
stage "Build ($preset)" "heavy-build-$preset.log" cmake --build "$folder" ${1:+--target "$@"}
(($# == 0)) || exit 0
cd "$folder"
ctest --output-on-failure --parallel "$(nproc)" --label-exclude '^(heavy|benchmark|sources)$'
