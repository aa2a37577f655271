"""Reads the JSON of a Google Benchmark program with repetitions; prints the time of each benchmark and its spread."""
import json
import statistics
import sys


def main():
    report = json.load(sys.stdin)
    times, units = {}, {}
    # Repetitions that take turns are reported as they came.
    for run in sorted(report["benchmarks"], key=lambda run: run["family_index"]):
        if run["run_type"] != "iteration":
            continue
        if run.get("error_occurred"):
            sys.exit(f"{run['run_name']}: {run['error_message']}")
        times.setdefault(run["run_name"], []).append(run["real_time"])
        units[run["run_name"]] = run["time_unit"]
    if not times:
        sys.exit("the program ran no benchmark")
    base = statistics.median(next(iter(times.values())))
    for name, values in times.items():
        low, median, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
        short = name.removesuffix("/real_time").removesuffix("/manual_time")
        spread = f"{low:.1f} – {high:.1f}"
        print(f"{short:32} {median:10.1f} {units[name]} {spread:>20} {median / base:8.2f}")


if __name__ == "__main__":
    main()
