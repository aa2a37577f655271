#!/usr/bin/env bash
# build_and_test.sh PRESET: builds everything with a preset and runs its tests.
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/stages.sh"

preset=$1
folder=$project/build/$preset

stage "Configure ($preset)" "heavy-configure-$preset.log" cmake -S "$project" --preset "$preset"
stage "Build ($preset)" "heavy-build-$preset.log" cmake --build "$folder"
cd "$folder"
ctest --output-on-failure --parallel "$(nproc)" --label-exclude '^(heavy|lint|benchmark|sources)$'
