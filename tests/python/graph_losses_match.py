"""Graphs of every kind give the same losses under `fermata train` as in Python, bit for bit, and end alike."""
import program
import reference

STEPS = 12

# Which executors take the graph.
EVERY = ("single", "caller", "pool")
NOT_SINGLE = ("caller", "pool")
GRAPHS = {
    "counter": EVERY,
    "counter_ref": NOT_SINGLE,
    "dataset": NOT_SINGLE,
    "lookup_table": EVERY,
    "nan_at": EVERY,
    "partitioned": EVERY,
    "print": EVERY,
    "queue": NOT_SINGLE,
    "softmax": EVERY,
    "trainer": EVERY,
    "while_loop_v1": NOT_SINGLE,
}


def main():
    places = program.Places()
    for name, executors in GRAPHS.items():
        model = places.fixtures / f"{name}.meta"
        for executor in executors:
            with program.case(f"{name} with the executor {executor}") as folder:
                trainer = reference.MetaTrainer(model, executor)
                expected, ended = trainer.losses(STEPS)
                trainer.close()
                options = ("--last-step", STEPS, "--log", "loss", "--log-every", 1, "--metrics", "metrics.jsonl")
                report = places.program.train(
                    folder, model, *options, "--executor", executor, *program.ONE_THREAD
                )
                program.expect_losses(program.read_metrics(folder / "metrics.jsonl"), expected, name)
                reason = {"steps": "target_reached", "OUT_OF_RANGE": "end_of_input"}[ended]
                program.expect_equal(report["verdict"]["reason"], reason, f"{name}: reason")
                program.expect_equal(report["verdict"]["step"], len(expected), f"{name}: step")


if __name__ == "__main__":
    main()
