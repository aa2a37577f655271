# The Debian packages Fermata needs, and how they are installed. Sourced, after stages.sh.

build_packages=(g++ cmake ninja-build pkg-config git ca-certificates python3 python3-pip python3-venv
  libleveldb-dev libsnappy-dev libisal-dev libprotozero-dev libcli11-dev nlohmann-json3-dev libfmt-dev libgtest-dev
  libgmock-dev libbenchmark-dev libprotobuf32 valgrind)
# For the sanitizer, clang and tidy builds of `scripts/test --heavy`.
heavy_packages=(clang clang-tidy clang-format libclang-rt-14-dev llvm)

# Prints those of the packages that are not installed. It asks dpkg, which is fast, not apt.
missing_packages() {
  command -v dpkg-query >/dev/null ||
    stop "These scripts install what they need on Debian 12; elsewhere install the like of: $*, then use cmake."
  local installed package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qxF "installed $package" <<<"$installed" || printf '%s\n' "$package"
  done
}

is_root() { ((EUID == 0)); }

# Asks for the password only where somebody can type it.
may_use_sudo() {
  command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo true; }; }
}

apt_install() {
  local as_root=("$@")
  "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y \
      --no-install-recommends "${missing[@]}"
}

# Installs what is missing of the given packages: as root directly, else with sudo, else it says what to run.
install_debian_packages() {
  local start=$EPOCHREALTIME missing=() as_root=()
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    stage_note "Debian packages: all installed" "$start"
    return
  fi
  if ! is_root; then
    may_use_sudo ||
      stop "Debian packages are missing; as root, run: apt-get update && apt-get install -y ${missing[*]}"
    as_root=(sudo)
  fi
  stage "Debian packages: installing ${#missing[@]}" debian-packages.log apt_install "${as_root[@]}"
}
