"""The program under test, and how its results are compared with Python's."""
import argparse
import contextlib
import json
import pathlib
import subprocess
import tempfile

import numpy as np

# One thread on both sides, so that only the executor differs.
ONE_THREAD = ("--intra-op", "1", "--inter-op", "1")


class Program:
    """`fermata train`, run in a folder of its own."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()

    def train(self, folder, model, *options):
        """Trains and gives the report. A failure shows all that the program said."""
        report = pathlib.Path(folder, "report.json")
        command = [self.path, "train", model, *options, "--progress", "none", "--report", report]
        command = [str(part) for part in command]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=110)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(report.read_text())


class Places:
    """What a script is told on its command line."""

    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("program")
        parser.add_argument("source", help="the project's folder")
        given = parser.parse_args()
        self.program = Program(given.program)
        source = pathlib.Path(given.source).resolve()
        self.digits = source / "examples" / "digits"
        self.fixtures = source / "tests" / "fixtures"

    def digits_inputs(self, rows):
        """The options that feed the training rows in batches."""
        inputs = [("--input", f"{name}={self.digits / f'train_{name}.npy'}") for name in ("x", "y")]
        return [*inputs[0], *inputs[1], "--batch-size", rows]

    def line_inputs(self):
        """The options that feed all eight rows of the line in every step."""
        inputs = [("--input", f"{name}={self.fixtures / f'line_{name}.npy'}") for name in ("x", "y")]
        return [*inputs[0], *inputs[1], "--batch-size", 8]


@contextlib.contextmanager
def case(name):
    """A folder for one case, which is named when it passed or failed."""
    with tempfile.TemporaryDirectory(prefix="fermata-") as folder:
        try:
            yield pathlib.Path(folder)
        except Exception:
            print(f"FAILED: {name}", flush=True)
            raise
    print(f"passed: {name}", flush=True)


def read_metrics(path):
    """The lines of `--metrics`: a list of (step, values). Numbers that JSON lacks are strings there."""
    lines = map(json.loads, pathlib.Path(path).read_text().splitlines())
    return [(line["step"], {name: float(value) for name, value in line["values"].items()}) for line in lines]


def expect_equal(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: found {found}, expected {expected}")


def expect_same(found, expected, what, tolerance=0.0):
    """Without a tolerance every bit must be the same; not-a-number equals itself."""
    found, expected = np.asarray(found), np.asarray(expected)
    expect_equal((found.shape, found.dtype), (expected.shape, expected.dtype), what)
    if found.dtype.kind not in "fc":
        same = found == expected
    elif tolerance:
        same = np.isclose(found, expected, rtol=tolerance, atol=0, equal_nan=True)
    else:
        same = (found == expected) & (np.signbit(found) == np.signbit(expected)) | (np.isnan(found) & np.isnan(expected))
    if not np.all(same):
        where = tuple(int(number) for number in np.argwhere(~np.atleast_1d(same))[0])
        values = np.atleast_1d(found)[where], np.atleast_1d(expected)[where]
        raise AssertionError(f"{what}: differs at {where}: found {values[0]!r}, expected {values[1]!r}")


def expect_losses(metrics, expected, what, tolerance=0.0, name="loss"):
    """The metrics must have a line for each step from 1, and the value `name` of each must be the expected one."""
    expect_equal([step for step, _ in metrics], list(range(1, len(expected) + 1)), f"{what}: steps logged")
    found = [np.float32(values[name]) for _, values in metrics]
    expect_same(found, [np.float32(value) for value in expected], f"{what}: {name}", tolerance)
