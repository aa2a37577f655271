"""Unpacks what Fermata needs of TensorFlow's wheel: unpack_tensorflow.py WHEEL FOLDER makes FOLDER/lib and FOLDER/include.

Only the standard library is used, so that any Python 3 will do.
"""
import pathlib
import shutil
import sys
import zipfile

LIBRARIES = ("libtensorflow_cc.so.2", "libtensorflow_framework.so.2")

# The C headers, and what TensorFlow's C++ headers include. The rest (compilers, vendored libraries) is four times
# as large and not needed.
HEADERS = (
    "Eigen/",
    "absl/",
    "google/protobuf/",
    "ml_dtypes/",
    "tensorflow/c/",
    "tensorflow/cc/",
    "tensorflow/core/",
    "tsl/",
    "unsupported/Eigen/",
    "xla/tsl/",
)


def place(member):
    """Where a file of the wheel goes, relative to the folder; None if it is not wanted."""
    if not member.startswith("tensorflow/"):
        return None
    name = member[len("tensorflow/"):]
    if name in LIBRARIES:
        return "lib/" + name
    if name.startswith("include/") and name[len("include/"):].startswith(HEADERS):
        return name
    return None


def main():
    wheel, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            target = place(member)
            if target is None or member.endswith("/"):
                continue
            path = folder / target
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, open(path, "wb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
    for name in LIBRARIES:
        if not (folder / "lib" / name).is_file():
            sys.exit(f"{wheel}: expected tensorflow/{name} in the wheel, found none.")


if __name__ == "__main__":
    main()
