# Brings TensorFlow's two shared libraries and its headers into the user's cache, out of the PyPI wheel, and if
# wanted the whole Python package into a virtual environment beside them. Sourced, after stages.sh.

python_packages=$project/scripts/lib/python_packages.txt

# The first Python that has pip.
python_with_pip() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -m pip --version >/dev/null 2>&1; then
      printf '%s' "$candidate"
      return
    fi
  done
  stop "No python3 with pip was found; on Debian: apt-get install -y python3-pip"
}

# Runs a command while no other set-up of this user does. The lock goes with the file descriptor.
with_cache_lock() {
  mkdir -p "$cache"
  (
    flock --nonblock 9 || { echo "Another set-up of this user is running: waiting for it." && flock 9; }
    "$@"
  ) 9>"$cache/lock"
}

# The stamp `complete` says what a whole folder holds: the hash of the wheel, number and bytes of the headers, size
# of each library, hash of each library.
headers_of() {
  find "$1/include" -type f -printf '%s\n' | awk '{ bytes += $1 } END { print "include", NR, bytes }'
}

libraries_of() {
  (cd "$1" && stat -c '%n %s' lib/*)
}

write_stamp() {
  local wheel_hash
  wheel_hash=$(grep -o 'sha256:[0-9a-f]*' "$tensorflow_wheel")
  {
    printf '%s\n' "$wheel_hash"
    headers_of "$1"
    libraries_of "$1"
    (cd "$1" && sha256sum lib/*)
  } >"$1/complete"
}

# Compares sizes only, which is fast enough for every run, unless a library was written after the stamp.
tensorflow_is_whole() {
  local stamp=$tensorflow_dir/complete library
  [[ -f $stamp ]] && grep -qf <(grep -o 'sha256:[0-9a-f]*' "$tensorflow_wheel") "$stamp" || return 1
  diff -q <(sed -n '2,4p' "$stamp") <(headers_of "$tensorflow_dir" && libraries_of "$tensorflow_dir") &>/dev/null || return 1
  for library in "$tensorflow_dir"/lib/*; do
    if [[ $library -nt $stamp ]]; then
      (cd "$tensorflow_dir" && sed -n '5,$p' complete | sha256sum --check --status) || return 1
      touch "$stamp"
    fi
  done
}

# pip takes the same wheel whatever Python runs it, and checks its hash; a file that is there already is used if it
# has the right hash and is downloaded anew if not.
download_tensorflow() {
  mkdir -p "$cache/download"
  "$(python_with_pip)" -m pip download --disable-pip-version-check --no-cache-dir --progress-bar off \
    --python-version 3.11 --platform manylinux_2_27_x86_64 --only-binary=:all: --no-deps \
    --require-hashes --requirement "$tensorflow_wheel" --dest "$cache/download"
}

# Unpacks beside the final place and renames, so that the final place is never half filled.
unpack_tensorflow() {
  local fresh=$tensorflow_dir.new
  rm -rf "$fresh" && mkdir -p "$fresh" &&
    "$(python_with_pip)" "$project/scripts/lib/unpack_tensorflow.py" \
      "$cache/download/tensorflow_cpu-$tensorflow_version-cp311-cp311-manylinux_2_27_x86_64.whl" "$fresh" &&
    write_stamp "$fresh" && sync -f "$fresh" && rm -rf "$tensorflow_dir" && mv "$fresh" "$tensorflow_dir"
}

install_tensorflow() {
  local start=$EPOCHREALTIME
  if tensorflow_is_whole; then
    stage_note "TensorFlow $tensorflow_version: in the cache" "$start"
    return
  fi
  [[ $(uname -m) == x86_64 ]] || stop "TensorFlow's wheel is for x86_64, this machine is $(uname -m): build" \
    "without it, with cmake --preset release -DFERMATA_WITH_TENSORFLOW=OFF"
  stage "TensorFlow $tensorflow_version: download (274 MB)" tensorflow-download.log download_tensorflow
  stage "TensorFlow $tensorflow_version: unpack" tensorflow-unpack.log unpack_tensorflow
}

# The wheel is of no use once it is unpacked.
remove_download() {
  rm -rf "$cache/download"
}

python_is_whole() {
  [[ -f $python_dir/complete ]] && cmp -s "$python_packages" "$python_dir/complete" && [[ -x $python_dir/bin/python3 ]] &&
    "$python_dir/bin/python3" -c '' 2>/dev/null
}

# The stamp is written last; without it the folder is made anew.
make_python() {
  rm -rf "$python_dir" && "$(python_with_pip)" -m venv "$python_dir" &&
    "$python_dir/bin/python3" -m pip install --disable-pip-version-check --no-cache-dir --progress-bar off \
      --only-binary=:all: --find-links "$cache/download" --requirement "$python_packages" &&
    "$python_dir/bin/python3" -c 'import numpy, sklearn, tensorflow, tensorboard' &&
    cp "$python_packages" "$python_dir/complete"
}

# A Python for which there is no wheel is not a failure: the tests that want it are skipped.
make_python_if_possible() {
  make_python && return
  if grep -q 'No matching distribution found' "$logs/python-packages.log"; then
    rm -rf "$python_dir"
    return
  fi
  return 1
}

install_python() {
  local start=$EPOCHREALTIME
  if python_is_whole; then
    stage_note "Python's TensorFlow $tensorflow_version: installed" "$start"
    return
  fi
  mkdir -p "$cache/download"
  stage "Python's TensorFlow $tensorflow_version: install" python-packages.log make_python_if_possible
  [[ -d $python_dir ]] || printf '%s\n' "There is no TensorFlow $tensorflow_version for $(python3 --version 2>&1): the tests that compare with it are skipped."
}
