"""Reads the JSON of a Google Benchmark program with repetitions; prints each benchmark beside the program's first."""
import json
import statistics
import sys


def times_of(report):
    """The nanoseconds of CPU time per iteration of each repetition, by name, in the order of the program."""
    times = {}
    # Repetitions that take turns are reported as they came.
    for run in sorted(report["benchmarks"], key=lambda run: run["family_index"]):
        if run["run_type"] == "iteration":
            if run.get("error_occurred"):
                sys.exit(f"{run['run_name']}: {run['error_message']}")
            times.setdefault(run["run_name"], []).append(run["cpu_time"])
    return times


def main():
    times = times_of(json.load(sys.stdin))
    if not times:
        sys.exit("the program ran no benchmark")
    base = statistics.median(next(iter(times.values())))
    print(f"{'benchmark':32} {'median ns':>10} {'spread ns':>17} {'ratio':>7} {'more by ns':>11}")
    for name, values in times.items():
        median = statistics.median(values)
        low, _, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
        spread = f"{low:.1f} – {high:.1f}"
        print(f"{name:32} {median:10.1f} {spread:>17} {median / base:7.2f} {median - base:11.1f}")


if __name__ == "__main__":
    main()
