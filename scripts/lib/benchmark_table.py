"""benchmark_table.py FOLDER [--quick] [--page FILE]: makes the table of what scripts/benchmark measured.

Prints it, and writes FOLDER/table.md and FOLDER/figures.json. With --page it replaces what stands between the two marks
of a page. With --quick it fails if a limit is missed by more than a fifth.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

BEGIN = "<!-- figures: scripts/benchmark --page writes them -->"
END = "<!-- end of the figures -->"
# So much may a limit be missed in a run that is to be quick.
TOLERANCE = 0.2


def times_of(path, clock):
    """Nanoseconds of each repetition, by name."""
    times = {}
    if not path.exists():
        return times
    # Repetitions that take turns are reported as they came.
    for run in json.loads(path.read_text())["benchmarks"]:
        if run["run_type"] == "iteration":
            if run.get("error_occurred"):
                sys.exit(f"{run['run_name']}: {run['error_message']}")
            unit = {"ns": 1, "us": 1e3, "ms": 1e6}[run["time_unit"]]
            times.setdefault(run["run_name"].removesuffix("/real_time"), []).append(run[clock] * unit)
    return times


def quartiles(values):
    if len(values) < 2:
        return [values[0]] * 3
    return statistics.quantiles(values, n=4, method="inclusive")


class Row:
    """One line: what, the figures of each repetition, in which unit, and the limit, "<=" or ">=" something."""

    def __init__(self, what, values, unit="", limit=None, at_least=False, bare=None, ours=None):
        self.what, self.unit, self.limit, self.at_least = what, unit, limit, at_least
        self.low, self.median, self.high = quartiles(values)
        self.bare, self.ours = bare, ours

    def misses_by(self):
        """0 if it holds, else the share of the limit that is missing."""
        if self.limit is None:
            return 0
        over = self.limit / self.median if self.at_least else self.median / self.limit
        return max(0, over - 1)

    def cells(self):
        sign = "≥" if self.at_least else "≤"
        limit = "" if self.limit is None else f"{sign} {self.limit:g}{self.unit}"
        verdict = "" if self.limit is None else ("yes" if self.misses_by() == 0 else "**no**")
        spread = f"{number(self.low)} – {number(self.high)}"
        return [self.what, time_text(self.bare), time_text(self.ours), f"{number(self.median)}{self.unit}", spread, limit, verdict]


def number(value):
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def time_text(nanoseconds):
    if nanoseconds is None:
        return ""
    for unit, size in (("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def ratio_row(what, times, bare, ours, limit):
    """Of repetitions of the same round: what disturbs one disturbs the other."""
    ratios = [mine / theirs for mine, theirs in zip(times[ours], times[bare])]
    middle = statistics.median
    row = Row(what, ratios, limit=limit, bare=middle(times[bare]), ours=middle(times[ours]))
    row.median = row.ours / row.bare
    return row


def difference_row(what, times, bare, ours, limit):
    differences = [mine - theirs for mine, theirs in zip(times[ours], times[bare])]
    row = Row(what, differences, " ns", limit, bare=statistics.median(times[bare]), ours=statistics.median(times[ours]))
    row.median = row.ours - row.bare
    return row


def step_rows(folder):
    rows = []
    for file, way, limits in (
        ("tensorflow_step", "RunCallable", (1.03, 1.10)),
        ("tensorflow_step_c_api", "TF_SessionRun", (1.05, 1.05)),
    ):
        times = times_of(folder / f"{file}.json", "cpu_time")
        for graph in ("counter", "digits"):
            if f"{graph}/bare" in times:
                rows.append(ratio_row(f"{graph}, no hooks / bare `{way}`", times, f"{graph}/bare", f"{graph}/no_hooks", limits[0]))
                rows.append(
                    ratio_row(
                        f"{graph}, 8 hooks / bare `{way}`",
                        times,
                        f"{graph}/bare_fed_and_watched",
                        f"{graph}/eight_hooks",
                        limits[1],
                    )
                )
    return rows


def native_rows(folder):
    times = times_of(folder / "native_step.json", "cpu_time")
    wanted = [
        ("native, no hooks − bare callable", "monitored_no_hooks", 15),
        ("native, 8 idle hooks − bare callable", "monitored_eight_idle_hooks", 50),
        ("native, 8 hooks of the library − bare callable", "monitored_eight_library_hooks", 50),
    ]
    return [difference_row(what, times, "bare_callable", ours, limit) for what, ours, limit in wanted if ours in times]


def executor_rows(folder):
    times = times_of(folder / "executors.json", "real_time")
    rows = []
    for graph in dict.fromkeys(name.rpartition("/")[0] for name in times):
        others = [f"{graph}/{kind}" for kind in ("single", "caller", "pool") if f"{graph}/{kind}" in times]
        best = min(others, key=lambda name: statistics.median(times[name]))
        what = f"`{graph}`, executor `auto` / best ({best.rpartition('/')[2]})"
        rows.append(ratio_row(what, times, best, f"{graph}/auto", 1.05))
    return rows


def input_rows(folder):
    times = times_of(folder / "npy_input.json", "cpu_time")
    if not times:
        return []
    row = ratio_row("1 MB batches of shuffled rows / `memcpy`, bandwidth", times, "shuffled_batches", "memcpy_alone", 0.8)
    row.at_least = True
    row.bare, row.ours = row.ours, row.bare
    return [row]


def process_rows(folder):
    path = folder / "processes.json"
    if not path.exists():
        return []
    found = json.loads(path.read_text())
    more = [ours - bare for ours, bare in zip(found["memory_mb"], found["bare_memory_mb"])]
    return [
        Row("exec to first step, digits", found["first_step_s"], " s", 0.5),
        Row("`fermata --help`", found["help_ms"], " ms", 10),
        Row("memory over a program of the C API alone, digits", more, " MB", 20),
    ]


def python_rows(folder):
    path = folder / "python.json"
    if not path.exists():
        return []
    times = times_of(folder / "tensorflow_step.json", "real_time")
    rows = []
    for graph, limit in (("counter", 100), ("digits", 5)):
        python, ours = json.loads(path.read_text())[graph], statistics.median(times[f"{graph}/eight_hooks"])
        row = Row(
            f"{graph}, 8 hooks: Python's `MonitoredSession` / Fermata",
            [value / ours for value in python],
            limit=limit,
            at_least=True,
            bare=statistics.median(python),
            ours=ours,
        )
        rows.append(row)
    return rows


def compiler():
    found = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False)
    return found.stdout.splitlines()[0] if found.returncode == 0 else "unknown compiler"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def heading(repetitions):
    date = datetime.date.today().isoformat()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"Measured {date}: {os.cpu_count()} × {processor()}, {compiler()}, release build, {repetitions} repetitions "
        f"that take turns; load of the machine at the end {load}."
    )


def table(rows, repetitions):
    head = ["what", "bare", "Fermata", "figure", "half of the repetitions", "limit", "holds"]
    lines = [heading(repetitions), "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row.cells()) + " |" for row in rows]) + "\n"


def put_into(page, text):
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{page}: there are no marks for the figures; expected {BEGIN} and {END}")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def figures_of(rows):
    names = ("what", "unit", "median", "low", "high", "limit", "at_least", "bare", "ours")
    return [{name: getattr(row, name) for name in names} for row in rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = arguments.folder
    rows = [
        row for make in (step_rows, native_rows, executor_rows, input_rows, process_rows, python_rows) for row in make(folder)
    ]
    if not rows:
        sys.exit(f"{folder}: nothing was measured")
    native = times_of(folder / "native_step.json", "cpu_time")
    text = table(rows, len(next(iter(native.values()), [])))
    print(text)
    (folder / "table.md").write_text(text)
    (folder / "figures.json").write_text(json.dumps({"heading": text.splitlines()[0], "rows": figures_of(rows)}, indent=1) + "\n")
    if arguments.page:
        put_into(arguments.page, text)
    missed = [row for row in rows if row.misses_by() > TOLERANCE]
    for row in missed:
        print(f"missed by {row.misses_by():.0%}: {row.what}", file=sys.stderr)
    return 1 if arguments.quick and missed else 0


if __name__ == "__main__":
    sys.exit(main())
