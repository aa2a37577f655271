# Shared by the scripts of this folder: stages that print one line each, with long output kept in a log.
# Sourced, not run. Sets where things are: `project` (the checkout), `logs` (the long output), `cache` and the two
# folders in it; and which TensorFlow is used.

set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
logs=$project/build/logs
cache=${XDG_CACHE_HOME:-$HOME/.cache}/fermata
tensorflow_wheel=$project/scripts/lib/tensorflow_wheel.txt
tensorflow_version=$(sed -n 's/^tensorflow-cpu==\([0-9.]*\) .*/\1/p' "$tensorflow_wheel")
tensorflow_dir=$cache/tensorflow-$tensorflow_version
python_dir=$cache/python-$tensorflow_version

# Ends the script with one sentence.
stop() {
  printf '%s\n' "$*" >&2
  exit 1
}

# show_help FILE: the comment at the top of a script, which says how it is used.
show_help() {
  sed -n '2,/^[^#]/{/^[^#]/d;s/^# \{0,1\}//;p}' "$1"
}

# Seconds since the given EPOCHREALTIME, with one decimal.
seconds_since() {
  local now=${EPOCHREALTIME/[.,]/} then=${1/[.,]/}
  local tenths=$(((now - then + 50000) / 100000))
  printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

# stage WHAT LOG COMMAND...: runs the command with its output in build/logs/LOG and prints WHAT and how long it
# took. If it fails, the end of its output is shown and the script ends.
stage() {
  local what=$1 log=$logs/$2 start=$EPOCHREALTIME
  shift 2
  mkdir -p "$logs"
  printf '%-58s ' "$what"
  if "$@" >"$log" 2>&1 </dev/null; then
    printf '%6s s\n' "$(seconds_since "$start")"
    return
  fi
  printf 'failed after %s s\n' "$(seconds_since "$start")"
  tail -n 40 "$log" >&2
  stop "Failed: $what. The whole output is in $log."
}

# stage_note WHAT START: the line of a stage that had nothing to run.
stage_note() {
  printf '%-58s %6s s\n' "$1" "$(seconds_since "$2")"
}

# The settings the scripts build with, whatever the folder was configured with before.
build_settings() {
  printf '%s\n' FERMATA_WITH_TENSORFLOW:BOOL=ON "FERMATA_TENSORFLOW_DIR:PATH=$tensorflow_dir"
}

# Whether the folder is configured that way and has nothing to build.
build_up_to_date() {
  local folder=$1 setting
  shift
  [[ -f $folder/build.ninja ]] || return 1
  while read -r setting; do
    grep -qxF "$setting" "$folder/CMakeCache.txt" || return 1
  done < <(build_settings)
  [[ $(ninja -C "$folder" -n "$@" 2>/dev/null | tail -n 1) == *'no work to do.' ]]
}

# configure_and_build PRESET TARGET...: brings the targets up to date; one line each for configuring and building.
configure_and_build() {
  local preset=$1 folder=$project/build/$1 start=$EPOCHREALTIME settings=()
  shift
  if build_up_to_date "$folder" "$@"; then
    stage_note "Build ($preset): up to date" "$start"
    return
  fi
  mapfile -t settings < <(build_settings)
  stage "Configure ($preset)" "configure-$preset.log" cmake -S "$project" --preset "$preset" "${settings[@]/#/-D}"
  stage "Build ($preset)" "build-$preset.log" cmake --build "$folder" --target "$@"
}
