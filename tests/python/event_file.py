"""Python's `summary_iterator` reads the event files of `fermata train`, and finds in them what Python computes."""
import collections

import numpy as np
import program
import reference
import tensorflow as tf

STEPS = 50
BATCH = 32
EVERY = 10


def read_events(folder):
    """All files of a folder, in order: the version of each, and the scalars as tag → {step: value}."""
    versions, scalars = [], collections.defaultdict(dict)
    for path in sorted(folder.glob("*tfevents*")):
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            if event.HasField("file_version"):
                versions.append(event.file_version)
            for value in event.summary.value:
                scalars[value.tag][event.step] = scalar_of(value)
    return versions, scalars


def scalar_of(value):
    if value.HasField("simple_value"):
        return np.float32(value.simple_value)
    return np.float32(tf.make_ndarray(value.tensor).item())


def expect_curve(curve, expected, tag):
    """Points of the curve are steps of the run, and the value of step n is that of the n-th run."""
    if not STEPS // EVERY <= len(curve) <= STEPS // EVERY + 1:
        raise AssertionError(f"{tag}: {len(curve)} points at steps {sorted(curve)}, expected one every {EVERY} steps")
    program.expect_equal([step for step in curve if not 1 <= step <= STEPS], [], f"{tag}: steps out of range")
    for step, value in curve.items():
        program.expect_same(value, expected[step - 1], f"{tag} at step {step}")


def main():
    places = program.Places()
    with program.case("scalars and summaries") as folder:
        places.program.train(
            folder,
            places.digits / "digits.meta",
            *places.digits_inputs(BATCH),
            *("--last-step", STEPS, "--log", "loss", "--log-every", EVERY, "--summaries", EVERY),
            *("--checkpoint-dir", "run", "--executor", "single", *program.ONE_THREAD),
        )
        trainer = reference.MetaTrainer(places.digits / "digits.meta", "single")
        inputs = reference.batches(reference.load_digits(places.digits), BATCH)
        losses, accuracies = trainer.train(["loss", "accuracy"], STEPS, inputs)
        trainer.close()

        versions, scalars = read_events(folder / "run")
        program.expect_equal(set(versions), {"brain.Event:2"}, "versions of the files")
        expect_curve(scalars["loss"], losses, "loss")
        expect_curve(scalars["summaries/loss"], losses, "summaries/loss")
        expect_curve(scalars["summaries/accuracy"], accuracies, "summaries/accuracy")


if __name__ == "__main__":
    main()
