"""The losses of the digits example under `fermata train` are those of the same training in Python."""
import program
import reference

STEPS = 50
BATCH = 32


def python_losses(digits, executor):
    trainer = reference.MetaTrainer(digits / "digits.meta", executor)
    inputs = reference.batches(reference.load_digits(digits), BATCH)
    losses = trainer.train(["loss"], STEPS, inputs)[0]
    trainer.close()
    return losses


def fermata_metrics(places, folder, *options):
    report = places.program.train(
        folder,
        places.digits / "digits.meta",
        *places.digits_inputs(BATCH),
        *("--last-step", STEPS, "--log", "loss", "--log-every", 1, "--metrics", "metrics.jsonl"),
        *options,
    )
    program.expect_equal(report["verdict"]["reason"], "target_reached", "reason")
    program.expect_equal(report["verdict"]["step"], STEPS, "step")
    return program.read_metrics(folder / "metrics.jsonl")


def main():
    places = program.Places()
    for executor in reference.EXECUTORS:
        with program.case(f"bit for bit with the executor {executor}") as folder:
            metrics = fermata_metrics(places, folder, "--executor", executor, *program.ONE_THREAD)
            program.expect_losses(metrics, python_losses(places.digits, executor), executor)
    with program.case("close with the options left alone") as folder:
        metrics = fermata_metrics(places, folder)
        program.expect_losses(metrics, python_losses(places.digits, "pool"), "default options", tolerance=1e-6)


if __name__ == "__main__":
    main()
