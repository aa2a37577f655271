"""A run that changes from Fermata to Python and back by its checkpoints ends as one that Python never left."""
import pathlib

import program
import reference
import tensorflow as tf

v1 = tf.compat.v1

# Fermata trains to the first of these steps, Python goes on to the second, Fermata to the third. All of them lie in
# the first round through the rows, so that a position in the input is the same however it is counted.
STEPS = (10, 20, 30)
BATCH = 32


def resume_in_python(model, folder, last_step, inputs, executor):
    """The reference's own monitored session: restores the newest checkpoint, trains, saves at the end."""
    with tf.Graph().as_default() as graph:
        v1.train.import_meta_graph(str(model))
        train_op = graph.get_collection("train_op")[0]
        start = int(pathlib.Path(tf.train.latest_checkpoint(str(folder))).name.rpartition("-")[2])
        batches = inputs(start) if inputs else None
        with v1.train.MonitoredTrainingSession(
            checkpoint_dir=str(folder),
            hooks=[v1.train.StopAtStepHook(last_step=last_step)],
            config=reference.session_config(executor),
        ) as session:
            while not session.should_stop():
                feeds = {f"{name}:0": rows for name, rows in next(batches).items()} if batches else None
                session.run(train_op, feeds, options=reference.run_options(executor))


def uninterrupted(model, folder, inputs, executor):
    """Python alone, saved at each of the steps: the prefix of each checkpoint."""
    folder.mkdir()
    trainer = reference.MetaTrainer(model, executor)
    batches = inputs(0) if inputs else None
    prefixes, done = {}, 0
    for step in STEPS:
        trainer.train([], step - done, batches)
        with trainer.graph.as_default():
            prefixes[step] = trainer.saver.save(trainer.session, str(folder / "model.ckpt"), step)
        done = step
    trainer.close()
    return prefixes


def expect_same_checkpoint(found, expected, what):
    """The same variables with the same bits."""
    found, expected = tf.train.load_checkpoint(found), tf.train.load_checkpoint(expected)
    names = sorted(expected.get_variable_to_shape_map())
    program.expect_equal(sorted(found.get_variable_to_shape_map()), names, f"{what}: variables")
    for name in names:
        program.expect_same(found.get_tensor(name), expected.get_tensor(name), f"{what}: {name}")


def newest(folder, step):
    prefix = tf.train.latest_checkpoint(str(folder))
    program.expect_equal(pathlib.Path(prefix or "none").name.rpartition("-")[2], str(step), "newest checkpoint")
    return prefix


def check(places, folder, model, options, inputs, executor):
    expected = uninterrupted(model, folder / "expected", inputs, executor)
    run = folder / "run"
    options = [*options, "--checkpoint-dir", run, "--executor", executor, *program.ONE_THREAD]

    first, second, third = STEPS
    report = places.program.train(folder, model, *options, "--last-step", first)
    program.expect_equal(report["steps_run"], first, "steps run from the start")
    saved = newest(run, first)
    expect_same_checkpoint(saved, expected[first], "saved by Fermata")

    # From the description of the graph that Fermata wrote beside the checkpoint, not from the one it was given.
    # report CU-08
    resume_in_python(f"{saved}.meta", run, second, inputs, executor)
    expect_same_checkpoint(newest(run, second), expected[second], "continued by Python")

    report = places.program.train(folder, model, *options, "--last-step", third)
    program.expect_equal(report["start_step"], second, "step that Fermata went on from")
    program.expect_equal(report["steps_run"], third - second, "steps run after Python")
    expect_same_checkpoint(newest(run, third), expected[third], "continued by Fermata")


def main():
    places = program.Places()
    digits = reference.load_digits(places.digits)
    rows = len(digits["x"])
    graphs = (
        ("counter", "single"),
        ("counter", "pool"),
        ("counter_ref", "caller"),
        ("partitioned", "single"),
        ("while_loop_v1", "caller"),
    )
    for name, executor in graphs:
        with program.case(f"{name} with the executor {executor}") as folder:
            check(places, folder, places.fixtures / f"{name}.meta", [], None, executor)
    for batch, what in ((rows, "all rows in every step"), (BATCH, f"batches of {BATCH}")):
        with program.case(f"digits, {what}") as folder:
            check(
                places,
                folder,
                places.digits / "digits.meta",
                places.digits_inputs(batch),
                lambda start, batch=batch: reference.batches(digits, batch, start),
                "single",
            )


if __name__ == "__main__":
    main()
