"""measure_processes.py BUILD PROJECT REPETITIONS OUT: how long the program takes to start, and its memory beside that of
a program that trains the same graph through TensorFlow's C API alone."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def run(command):
    """Seconds, and the most memory it held in MB."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} left with {child.returncode}: {said.decode()[-500:]}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def measure(build, project, repetitions):
    program = build / "fermata"
    digits = project / "examples" / "digits"
    model = str(digits / "digits.meta")
    found = {"help_ms": [], "first_step_s": [], "memory_mb": [], "bare_memory_mb": []}
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        train = [str(program), "train", model, "--last-step", "2000", "--batch-size", "64", "--report", str(report)]
        for name in ("x", "y"):
            train += ["--input", f"{name}={digits / f'train_{name}.npy'}"]
        for _ in range(repetitions):
            found["help_ms"].append(1000 * run([str(program), "--help"])[0])
            found["memory_mb"].append(run(train)[1])
            found["first_step_s"].append(json.loads(report.read_text())["seconds_to_first_step"])
            found["bare_memory_mb"].append(run([str(build / "benchmarks" / "bare_trainer"), model, "2000"])[1])
    return found


def main():
    build, project, repetitions, out = sys.argv[1:]
    figures = measure(pathlib.Path(build), pathlib.Path(project), int(repetitions))
    pathlib.Path(out).write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
