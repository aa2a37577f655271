#!/usr/bin/env bash
# scripts/setup notices what is broken in the cache and repairs it. A small wheel stands in for TensorFlow's, offered
# to pip from a folder, so nothing is downloaded: setup_test.sh SCRATCH_FOLDER
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/stages.sh"
source "$project/scripts/lib/tensorflow.sh"

scratch=$1
rm -rf "$scratch"
mkdir -p "$scratch/wheels"
cache=$scratch/cache
logs=$scratch/logs
tensorflow_dir=$cache/tensorflow-$tensorflow_version
tensorflow_wheel=$scratch/wheel.txt
name=tensorflow_cpu-$tensorflow_version-cp311-cp311-manylinux_2_27_x86_64.whl
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$scratch/wheels

expect() {
  local what=$1
  shift
  "$@" || stop "Expected: $what."
  echo "ok: $what"
}

fails() { ! ("$@") >>"$scratch/failures.txt" 2>&1; }
whole() { (tensorflow_is_whole); }
broken() { ! whole; }
repair() { (install_tensorflow && remove_download) >>"$scratch/output.txt" && whole; }

make_wheel() {
  python3 - "$scratch/wheels/$name" <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    info = "tensorflow_cpu-2.21.0.dist-info/"
    for member, text in {
        "tensorflow/libtensorflow_cc.so.2": "the large library",
        "tensorflow/libtensorflow_framework.so.2": "the other library",
        "tensorflow/include/tensorflow/c/c_api.h": "// a header",
        "tensorflow/include/external/large.h": "// of no use",
        "tensorflow/python/__init__.py": "",
        info + "METADATA": "Metadata-Version: 2.1\nName: tensorflow-cpu\nVersion: 2.21.0\n",
        info + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: cp311-cp311-manylinux_2_27_x86_64\n",
        info + "RECORD": "",
    }.items():
        wheel.writestr(member, text)
PY
  printf 'tensorflow-cpu==%s --hash=sha256:%s\n' "$tensorflow_version" \
    "$(sha256sum "$scratch/wheels/$name" | cut -d' ' -f1)" >"$tensorflow_wheel"
}

library=$tensorflow_dir/lib/libtensorflow_cc.so.2
make_wheel

expect "an empty cache is not whole" broken
expect "set-up fills it" repair
expect "only what is needed is unpacked" [ "$(cd "$tensorflow_dir" && find . -type f | sort | tr '\n' ' ')" = \
  "./complete ./include/tensorflow/c/c_api.h ./lib/libtensorflow_cc.so.2 ./lib/libtensorflow_framework.so.2 " ]
expect "the wheel is not kept" [ ! -e "$cache/download" ]

touch -r "$library" "$scratch/before"
PIP_FIND_LINKS=$scratch/nowhere install_tensorflow >"$scratch/second.txt"
expect "a second run downloads nothing" grep -q 'in the cache' "$scratch/second.txt"
expect "a second run leaves the files alone" [ ! "$library" -nt "$scratch/before" ]

truncate -s 5 "$library"
expect "a truncated library is noticed" broken
expect "a truncated library is repaired" repair

printf 'thE large library' >"$library"
touch -d '+1 minute' "$library"
expect "changed bytes are noticed" broken
expect "changed bytes are repaired" repair

touch -d '+1 minute' "$library"
expect "a newer date alone does no harm" whole

rm "$tensorflow_dir/include/tensorflow/c/c_api.h"
expect "a missing header is noticed" broken
expect "a missing header is repaired" repair

rm "$tensorflow_dir/complete"
mkdir -p "$tensorflow_dir.new/lib" && : >"$tensorflow_dir.new/lib/left_over"
expect "an unpacking that was cut off is repaired" repair
expect "nothing of it is left" [ ! -e "$tensorflow_dir.new" ] 
expect "nothing of it is in the folder" [ ! -e "$tensorflow_dir/lib/left_over" ]

rm -rf "$tensorflow_dir"
mkdir -p "$cache/download" && head -c 100 "$scratch/wheels/$name" >"$cache/download/$name"
expect "half a download is repaired" repair

rm -rf "$tensorflow_dir"
cp "$scratch/wheels/$name" "$scratch/good.whl"
printf 'x' >>"$scratch/wheels/$name"
expect "a wheel with another hash is refused" fails install_tensorflow
expect "and nothing is unpacked" broken
expect "with a sentence that says so" grep -q 'Failed: TensorFlow' "$scratch/failures.txt"
mv "$scratch/good.whl" "$scratch/wheels/$name"
expect "running again repairs it" repair
