"""Writes the handwritten digits as train_x.npy, train_y.npy, test_x.npy and test_y.npy beside this file.

Run by hand: needs scikit-learn, which carries the data set.
"""
import pathlib

import numpy as np
from sklearn.datasets import load_digits

FOLDER = pathlib.Path(__file__).resolve().parent
TRAINING_ROWS = 1437


def main():
    digits = load_digits()
    images = np.ascontiguousarray(digits.data / 16, dtype=np.float32)
    labels = np.ascontiguousarray(digits.target, dtype=np.int64)
    # RandomState, because its numbers are promised to stay the same in every version of NumPy.
    order = np.random.RandomState(2021).permutation(len(images))
    for name, rows in (("train", order[:TRAINING_ROWS]), ("test", order[TRAINING_ROWS:])):
        np.save(FOLDER / f"{name}_x.npy", images[rows])
        np.save(FOLDER / f"{name}_y.npy", labels[rows])
        print(f"{name}: {len(rows)} rows")


if __name__ == "__main__":
    main()
