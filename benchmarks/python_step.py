"""python_step.py REPETITIONS OUT: a step of Python's MonitoredSession with the eight hooks of tensorflow_step.cc and the
same executor, on the same two graphs."""
import json
import os
import pathlib
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
PROJECT = pathlib.Path(__file__).resolve().parents[1]
NEVER = 10**12

GRAPHS = {
    "counter": (PROJECT / "tests/fixtures/executors/fed_counter.meta", {"x:0": np.float32(1)}),
    "digits": (
        PROJECT / "examples/digits/digits.meta",
        {"x:0": np.zeros([64, 64], np.float32), "y:0": np.zeros([64], np.int64)},
    ),
}


def hooks(graph, feeds, folder):
    loss = graph.get_tensor_by_name("loss:0")
    summary = graph.get_collection(v1.GraphKeys.SUMMARY_OP)[0]
    return [
        v1.train.StopAtStepHook(last_step=NEVER),
        v1.train.LoggingTensorHook({"loss": loss}, every_n_iter=NEVER),
        v1.train.CheckpointSaverHook(folder, save_steps=NEVER),
        v1.train.StepCounterHook(every_n_steps=NEVER, output_dir=folder),
        v1.train.SummarySaverHook(save_steps=NEVER, output_dir=folder, summary_op=summary),
        v1.train.NanTensorHook(loss),
        v1.train.FinalOpsHook(loss, feeds),
        v1.train.FeedFnHook(lambda: feeds),
    ]


def nanoseconds(name, repetitions, runs):
    """Of a step, once for each repetition."""
    path, values = GRAPHS[name]
    config = v1.ConfigProto()
    config.experimental.executor_type = "SINGLE_THREADED_EXECUTOR"
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default() as graph:
        v1.train.import_meta_graph(str(path))
        feeds = {graph.get_tensor_by_name(tensor): value for tensor, value in values.items()}
        train = graph.get_operation_by_name("train")
        creator = v1.train.ChiefSessionCreator(config=config)
        found = []
        with v1.train.MonitoredSession(creator, hooks(graph, feeds, folder)) as session:
            for repetition in range(-1, repetitions):
                start = time.perf_counter_ns()
                for _ in range(runs):
                    session.run(train)
                if repetition >= 0:  # The first one warms up.
                    found.append((time.perf_counter_ns() - start) / runs)
    return found


def main():
    repetitions, out = int(sys.argv[1]), sys.argv[2]
    figures = {name: nanoseconds(name, repetitions, 300) for name in GRAPHS}
    pathlib.Path(out).write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
