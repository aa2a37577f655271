"""Reads with Python's TensorFlow what bundle_maker has written.

    python bundle_read_back.py BUNDLE_MAKER
"""
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf


def expected():
    values = {"bool": np.array([True, False, True]),
              "complex64": np.array([1 - 2j, 0.5j], np.complex64),
              "complex128": np.array([1 - 2j], np.complex128),
              "half": np.array([1, -0.5], np.float16),
              "bfloat16": np.array([1, -0.5], tf.bfloat16.as_numpy_dtype),
              "scalar": np.array(12, np.int64),
              "empty": np.zeros((0, 3), np.float32),
              "cube": np.array([[[1, 2, 3]], [[4, 5, 6]]], np.int32),
              "large": np.full((1000, 300), 0.25, np.float32),
              "table": np.arange(10, dtype=np.float32).reshape(5, 2),
              "words": np.array([[b"", b"\x00\xff"], ["gr\u00fc\u00dfe".encode(), b"x" * 300]], object),
              "word": np.array(b"alone", object),
              "no_words": np.array([], object)}
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        info = np.iinfo(name)
        values["z/" + name] = np.array([info.min, -1 if info.min < 0 else info.max, info.max], name)
    for name in ("float32", "float64"):
        values[name] = np.array([np.finfo(name).min, -1, np.finfo(name).max], name)
    for number in range(3000):
        values[f"many/{number}"] = np.array(number, np.int32)
    return values


def main():
    maker = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "m-12")
        subprocess.run([maker, prefix], check=True)
        reader = tf.train.load_checkpoint(prefix)
        shapes = reader.get_variable_to_shape_map()
        wanted = expected()
        assert set(shapes) == set(wanted), set(shapes) ^ set(wanted)
        for name, value in wanted.items():
            found = np.asarray(reader.get_tensor(name))
            assert found.shape == value.shape == tuple(shapes[name]), (name, found.shape)
            assert value.dtype == object or found.dtype == value.dtype, (name, found.dtype)
            assert found.tolist() == value.tolist(), name
    print(f"passed: {len(wanted)} tensors, each as it was written")


if __name__ == "__main__":
    main()
