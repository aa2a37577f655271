"""The rivals in Python, for scripts/benchmark_files: its Saver on the graph of 100 MB, and its writer of events.

    python_files.py GRAPH.meta REPETITIONS

Prints a line for each: name, median, quarter below, quarter above.
"""
import os
import statistics
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

v1 = tf.compat.v1
SCALARS = 20_000


def report(name, times, scale):
    low, middle, high = statistics.quantiles([time * scale for time in times], n=4)
    print(f"{name:32} {middle:10.1f} {low:8.1f} – {high:.1f}", flush=True)


def saves(graph, repetitions):
    with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder, v1.Session() as session:
        saver = v1.train.import_meta_graph(graph)
        saver.set_last_checkpoints([])
        session.run(v1.global_variables_initializer())
        times = []
        for step in range(repetitions):
            start = time.perf_counter()
            saver.save(session, os.path.join(folder, "m"), step, write_meta_graph=False)
            times.append(time.perf_counter() - start)
    report("python_saver (not synced), ms", times[1:], 1e3)


def scalars(repetitions):
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        writer = v1.summary.FileWriter(folder)
        times = []
        for _ in range(repetitions):
            start = time.perf_counter()
            for step in range(SCALARS):
                value = v1.Summary.Value(tag="training/loss", simple_value=0.25)
                writer.add_summary(v1.Summary(value=[value]), step)
            writer.flush()
            times.append((time.perf_counter() - start) / SCALARS)
        writer.close()
    report("python_writer, ns a scalar", times, 1e9)


def main():
    repetitions = int(sys.argv[2])
    saves(sys.argv[1], repetitions + 1)
    scalars(repetitions)


if __name__ == "__main__":
    main()
