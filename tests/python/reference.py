"""Trains exported graphs in Python the way `fermata train` is asked to, for tests and recordings to compare with."""
import itertools
import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1

EXECUTORS = ("single", "caller", "pool")


def batches(arrays, size, start=0):
    """Rows in file order, for ever. The last batch of a round is short; `start` batches are left out."""
    rows = len(next(iter(arrays.values())))
    firsts = range(0, rows, size)
    number = start
    while True:
        first = firsts[number % len(firsts)]
        yield {name: array[first : first + size] for name, array in arrays.items()}
        number += 1


def session_config(executor="pool", threads=1):
    config = v1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    if executor == "single":
        config.experimental.executor_type = "SINGLE_THREADED_EXECUTOR"
    return config


def run_options(executor="pool"):
    """The caller's thread runs the step itself when no pool is named."""
    return v1.RunOptions(inter_op_thread_pool=-1) if executor == "caller" else None


class MetaTrainer:
    """A `.meta` in a session of its own, initialised as a chief does it."""

    def __init__(self, path, executor="pool", threads=1):
        self.options = run_options(executor)
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.saver = v1.train.import_meta_graph(str(path))
            initialise = self.named("init_op") or v1.global_variables_initializer()
        self.session = v1.Session(graph=self.graph, config=session_config(executor, threads))
        self.run(initialise)
        self.run(self.named("local_init_op"))
        self.train_op = self.named("train_op") or self.graph.get_operation_by_name("train")

    def named(self, collection):
        found = self.graph.get_collection(collection)
        return found[0] if found else []

    def run(self, fetches, feeds=None):
        feeds = {self.graph.get_tensor_by_name(f"{name}:0"): value for name, value in (feeds or {}).items()}
        return self.session.run(fetches, feeds, options=self.options)

    def train(self, fetches, steps, inputs=None):
        """What the fetches gave in the very runs that trained: one list per fetch."""
        found = [[] for _ in fetches]
        names = [f"{name}:0" for name in fetches]
        for _ in range(steps):
            values = self.run([self.train_op, names], next(inputs) if inputs else None)[1]
            for history, value in zip(found, values):
                history.append(value)
        return found

    def losses(self, steps, feeds=None):
        """Losses until the input ends, at most `steps`, and which of the two it was. Queue runners work meanwhile."""
        coordinator = v1.train.Coordinator()
        with self.graph.as_default():
            threads = v1.train.start_queue_runners(self.session, coordinator)
        found = []
        try:
            while len(found) < steps:
                found += self.train(["loss"], 1, itertools.repeat(feeds))[0]
            return found, "steps"
        except tf.errors.OutOfRangeError:
            return found, "OUT_OF_RANGE"
        finally:
            coordinator.request_stop()
            # A runner that waits for room in its queue hears of the stop when the queue is cancelled.
            coordinator.join(threads)

    def variables(self):
        with self.graph.as_default():
            held = {v.op.name: v for v in v1.global_variables()}
        return self.session.run(held)

    def close(self):
        self.session.close()


class SavedModelTrainer:
    """A SavedModel in a session: loading restores its variables, fetching a signature's results runs it."""

    def __init__(self, folder, executor="pool", threads=1, tags=("serve",)):
        self.options = run_options(executor)
        self.graph = tf.Graph()
        self.session = v1.Session(graph=self.graph, config=session_config(executor, threads))
        with self.graph.as_default():
            self.meta = v1.saved_model.load(self.session, list(tags), str(folder))

    def call(self, signature, inputs):
        held = self.meta.signature_def[signature]
        fetches = {name: info.name for name, info in held.outputs.items()}
        feeds = {held.inputs[name].name: value for name, value in inputs.items()}
        return self.session.run(fetches, feeds, options=self.options)

    def close(self):
        self.session.close()


def load_digits(folder, part="train"):
    folder = pathlib.Path(folder)
    return {name: np.load(folder / f"{part}_{name}.npy") for name in ("x", "y")}
