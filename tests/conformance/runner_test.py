#!/usr/bin/env python3
"""Checks that fermata-conformance sees a difference, and says which.

    runner_test.py PROGRAM SCENARIOS
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def expect(condition, what, output):
    if not condition:
        sys.exit(f"{what}, but the program said:\n{output}")


def main():
    program, scenarios = sys.argv[1:]
    group = json.loads((pathlib.Path(scenarios) / "lifecycle.json").read_text(encoding="utf-8"))
    scenario = next(s for s in group["scenarios"] if s["id"] == "lifecycle_two_runs")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "group.json"

        file.write_text(json.dumps({"scenarios": [scenario]}), encoding="utf-8")
        code, output = run(program, folder, "--engine", "native")
        expect(code == 0 and "1 passed, 0 failed" in output, "the recording itself was to pass", output)

        scenario["expect"]["trace"][0] = "h1.something_else"
        file.write_text(json.dumps({"scenarios": [scenario]}), encoding="utf-8")
        code, output = run(program, folder, "--engine", "native")
        expect(code == 1 and "0 passed, 1 failed" in output, "a changed trace was to fail", output)
        expect("- trace: h1.something_else" in output and "+ trace: " in output, "both lines were to show", output)

        code, output = run(program, folder, "--only", "no_such_scenario")
        expect(code == 2 and "no_such_scenario" in output, "an unknown id was to be named", output)
    print("The runner passes what is recorded, fails what is not, and names what it does not know.")


if __name__ == "__main__":
    main()
