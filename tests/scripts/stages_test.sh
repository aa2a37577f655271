#!/usr/bin/env bash
# Stages say what they do in one line each, and what failed; missing Debian packages are installed as whoever may do
# so, and else named in one line. dpkg-query, apt-get and sudo are stand-ins: stages_test.sh SCRATCH_FOLDER
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/stages.sh"
source "$project/scripts/lib/debian_packages.sh"

scratch=$1
rm -rf "$scratch"
mkdir -p "$scratch/bin"
logs=$scratch/logs
said=$scratch/said.txt

expect() {
  local what=$1
  shift
  "$@" || stop "Expected: $what. Said: $(<"$said")"
  echo "ok: $what"
}
says() { grep -qE -- "$1" "$said"; }
run() { ("$@") >"$said" 2>&1; }
fails() { ! run "$@"; }

absent() { ! grep -q -- "$1" "$2"; }

fake() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}

talk() { printf 'line %s\n' {1..100}; }
talk_and_fail() { talk && return 3; }

expect "a stage that works succeeds" run stage "Something to do" log.txt talk
expect "it is one line with the time" [ "$(wc -l <"$said")" = 1 ]
expect "which names it" says '^Something to do +[0-9]+\.[0-9] s$'
expect "its output is in the log" [ "$(wc -l <"$logs/log.txt")" = 100 ]
expect "a stage that fails ends the script" fails stage "Something else" log.txt talk_and_fail
expect "the end of its output is shown" says '^line 100$'
expect "the start is not" absent '^line 1$' "$said"
expect "the last line says where the rest is" says '^Failed: Something else\. The whole output is in .*log\.txt\.$'

PATH=$scratch/bin:$PATH
fake apt-get 'echo "apt-get $*" >>"$CALLS"'
fake sudo 'echo "sudo $*" >>"$CALLS"; [ "$1" != -n ] || shift; exec "$@"'
export CALLS=$scratch/calls.txt

fake dpkg-query 'printf "installed %s\n" one two'
expect "nothing is done when all packages are there" run install_debian_packages one two
expect "and that is said" says 'all installed'
expect "apt was not asked" [ ! -e "$CALLS" ]

fake dpkg-query 'printf "installed one\nconfig-files two\n"'
expect "a package of which only settings are left is missing" [ "$(missing_packages one two three)" = $'two\nthree' ]
is_root() { true; }
expect "root installs what is missing" run install_debian_packages one two
expect "and says how many" says '^Debian packages: installing 1 '
expect "with fresh lists" grep -q '^apt-get update$' "$CALLS"
expect "and nothing else" grep -qE '^apt-get .*install -y .* two$' "$CALLS"
expect "without sudo" absent sudo "$CALLS"

is_root() { false; }
rm "$CALLS"
expect "another user installs with sudo" run install_debian_packages one two
expect "through sudo" grep -qE '^sudo apt-get update$' "$CALLS"

fake sudo 'exit 1'
expect "a user without rights is stopped" fails install_debian_packages one two
expect "with the one line to run" says '^Debian packages are missing; as root, run: apt-get update && apt-get install -y two$'
