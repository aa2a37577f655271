"""Training a SavedModel under `fermata train` gives what its signature gives in a session of Python."""
import itertools

import numpy as np
import program
import reference
import tensorflow as tf

STEPS = 20
BATCH = 32
LOGGED = ("--log", "loss", "--log-every", 1, "--metrics", "metrics.jsonl")


def python_results(folder, inputs, executor):
    trainer = reference.SavedModelTrainer(folder, executor)
    results = [trainer.call("train", next(inputs)) for _ in range(STEPS)]
    trainer.close()
    return results


def check_losses(places, folder, model, options, inputs, executor):
    report = places.program.train(
        folder, model, *options, *LOGGED, "--last-step", STEPS, "--executor", executor, *program.ONE_THREAD
    )
    expected = python_results(model, inputs, executor)
    program.expect_losses(
        program.read_metrics(folder / "metrics.jsonl"), [result["loss"] for result in expected], model.name
    )
    program.expect_equal(report["verdict"]["step"], STEPS, f"{model.name}: step")
    if "step" in expected[-1]:
        program.expect_equal(int(expected[-1]["step"]), STEPS, f"{model.name}: step in Python")


def check_checkpoint(places, folder):
    """Python restores the SavedModel as an object from what the program saved, and goes on with the same losses."""
    model = places.digits / "digits_saved_model"
    options = [*places.digits_inputs(BATCH), "--executor", "single", *program.ONE_THREAD]
    places.program.train(folder, model, *options, "--last-step", 10, "--checkpoint-dir", "run")
    prefix = tf.train.latest_checkpoint(str(folder / "run"))
    reader = tf.train.load_checkpoint(prefix)
    program.expect_equal(int(reader.get_tensor("step/.ATTRIBUTES/VARIABLE_VALUE")), 10, "step in the checkpoint")

    restored = tf.saved_model.load(str(model))
    tf.train.Checkpoint(root=restored).read(prefix).assert_existing_objects_matched()
    inputs = reference.batches(reference.load_digits(places.digits), BATCH)
    expected = python_results(model, inputs, "single")
    held = reference.batches(reference.load_digits(places.digits), BATCH, start=10)
    for number, batch in enumerate(itertools.islice(held, STEPS - 10), start=10):
        found = restored.signatures["train"](**{name: tf.constant(array) for name, array in batch.items()})
        program.expect_equal(int(found["step"]), number + 1, "step after restoring")
        program.expect_same(found["loss"].numpy(), expected[number]["loss"], f"loss of step {number + 1}", 1e-6)


def main():
    places = program.Places()
    line = {name: np.load(places.fixtures / f"line_{name}.npy") for name in ("x", "y")}
    digits = reference.load_digits(places.digits)
    for executor in reference.EXECUTORS:
        with program.case(f"digits with the executor {executor}") as folder:
            model = places.digits / "digits_saved_model"
            check_losses(
                places, folder, model, places.digits_inputs(BATCH), reference.batches(digits, BATCH), executor
            )
        with program.case(f"a module with the executor {executor}") as folder:
            model = places.fixtures / "saved_model_module"
            check_losses(places, folder, model, places.line_inputs(), itertools.repeat(line), executor)
        with program.case(f"Keras, its step named, with the executor {executor}") as folder:
            model = places.fixtures / "saved_model_keras"
            options = [*places.line_inputs(), "--global-step", "adam/iteration"]
            check_losses(places, folder, model, options, itertools.repeat(line), executor)
    with program.case("Python restores what was saved") as folder:
        check_checkpoint(places, folder)


if __name__ == "__main__":
    main()
