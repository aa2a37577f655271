#!/usr/bin/env python3
"""Runs the commands of an approved transcript again and compares what they print.

    run_transcript.py TRANSCRIPT RECEIVED --program FILE --source FOLDER

A transcript is a text with three kinds of lines: comments ("# ..."), commands ("$ ...") and what the command above
printed, stdout and stderr together, then "exit code N" if that is not 0. Each transcript has an empty folder of its own
in which `fixtures` and `digits` are links to the project's data, and `fermata` is the program. Times and speeds are
written as N, dates as TIME. The new transcript goes to RECEIVED; scripts/approve.py makes it the approved one.
"""
import argparse
import difflib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

# In seconds. Nothing here takes more than a few, but the machine may be busy, and a sanitized program is slow.
LONGEST_COMMAND = 240

# Shell functions that commands may use.
PRELUDE = r"""
# Runs a command that may write only where permissions allow it, also if the tests run as root.
plainly() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --bounding-set=-dac_override,-dac_read_search "$@"
  else
    "$@"
  fi
}
# Values of a report or another JSON file: python expressions over `j`.
from_json() {
  "$PYTHON" -c 'import json, sys; j = json.load(open(sys.argv[1])); [print(eval(e)) for e in sys.argv[2:]]' "$@"
}
"""

# What differs from run to run.
CHANGING = [
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"), "TIME"),
    (re.compile(r"\d[\d.e+-]* steps/s"), "N steps/s"),
    (re.compile(r"\d[\d.]* s passed"), "N s passed"),
    (re.compile(r"\d+ (s|min \d+ s|h \d+ min) left"), "N s left"),
]


class Shell:
    """Runs the commands of one transcript in a folder of its own."""

    def __init__(self, folder, options):
        self.folder = folder
        source = options.source.resolve()
        (folder / "fixtures").symlink_to(source / "tests" / "fixtures")
        (folder / "digits").symlink_to(source / "examples" / "digits")
        self.environment = dict(os.environ)
        self.environment["PATH"] = f"{options.program.resolve().parent}:{self.environment['PATH']}"
        self.environment["PYTHON"] = sys.executable
        self.environment["LC_ALL"] = "C"
        self.environment["TERM"] = "dumb"

    def run(self, command):
        """What the command printed, line by line."""
        process = subprocess.Popen(
            ["bash", "-c", PRELUDE + command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output = process.communicate(timeout=LONGEST_COMMAND)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output = process.communicate()[0] + f"not done after {LONGEST_COMMAND} s\n".encode()
        lines = self.settled(output.decode(errors="replace")).splitlines()
        if process.returncode != 0:
            lines.append(f"exit code {process.returncode}")
        return lines

    def settled(self, text):
        text = text.replace(str(self.folder), "FOLDER")
        for pattern, replacement in CHANGING:
            text = pattern.sub(replacement, text)
        return text


def run_again(approved, shell):
    """The transcript with its commands run now."""
    lines = []
    for line in approved:
        if line.startswith("$ "):
            if lines and not lines[-1].startswith("#"):
                lines.append("")
            lines += [line, *shell.run(line[2:])]
        elif line.startswith("#"):
            if lines and not lines[-1].startswith("#"):
                lines.append("")
            lines.append(line)
    return lines


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("transcript", type=pathlib.Path)
    parser.add_argument("received", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    return parser.parse_args()


def main():
    options = parse_arguments()
    approved = options.transcript.read_text().splitlines()
    with tempfile.TemporaryDirectory(prefix="fermata-") as folder:
        received = run_again(approved, Shell(pathlib.Path(folder).resolve(), options))
    options.received.parent.mkdir(parents=True, exist_ok=True)
    options.received.write_text("\n".join(received) + "\n")
    if received == approved:
        options.received.unlink()
        return 0
    sys.stdout.writelines(
        line + "\n" for line in difflib.unified_diff(approved, received, "approved", "received", lineterm="", n=2)
    )
    print(f"\nscripts/approve.py {options.transcript.stem} accepts what was received.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
