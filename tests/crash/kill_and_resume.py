#!/usr/bin/env python3
"""Kills a run by SIGKILL at random instants, lets it go on, and compares the end with that of a run in one go.

    kill_and_resume.py --fermata PROGRAM --kills N [--seed S] [--share F] -- COMMAND...

{dir} in COMMAND is the folder of the run. Final variables must be the same bit for bit, and so must the curves in the
event files. At least a share F (a third) of the kills must have met a save between its first write and its last sync,
which is seen by the draft that it left.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

# Seconds from the first sign of life to the kill.
LONGEST_WAIT = 0.15
# Of so many kills one comes at any time; the others wait for the first save, since starting takes longer than training.
ANY_TIME = 6


class Runs:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.random = random.Random(options.seed)
        self.kills = 0
        self.in_a_save = 0
        self.runs = 0

    def command(self, run):
        return [word.replace("{dir}", str(run)) for word in self.options.command]

    def to_the_end(self, run):
        result = subprocess.run(self.command(run), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
        if result.returncode != 0:
            sys.exit(f"a run that was not killed failed with {result.returncode}:\n{result.stdout}")

    @staticmethod
    def state_of(run):
        """Another one after each save."""
        try:
            return (run / "checkpoint").stat().st_mtime_ns
        except FileNotFoundError:
            return None

    def kill_once(self, run):
        """False if the run was at its end before."""
        process = subprocess.Popen(self.command(run), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        before = self.state_of(run)
        process.stdout.readline()
        if self.random.randrange(ANY_TIME) > 0:
            while self.state_of(run) == before and process.poll() is None:
                time.sleep(0.001)
        time.sleep(self.random.uniform(0, LONGEST_WAIT))
        ended = process.poll() is not None
        process.kill()
        rest = process.communicate()[0]
        if ended and process.returncode != 0:
            sys.exit(f"a run failed by itself with {process.returncode}:\n{rest}")
        if process.returncode != -9:
            return False
        self.kills += 1
        self.in_a_save += any(path.name.startswith(".") and "tempstate" in path.name for path in run.iterdir())
        return True

    def fermata(self, *words):
        result = subprocess.run([self.options.fermata, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return result.returncode, result.stdout, result.stderr

    def curve(self, run):
        code, text, errors = self.fermata("events", "export", str(run))
        if code != 0:
            sys.exit(f"the event files of {run} cannot be read: {errors}")
        rows = [line.split(",") for line in text.splitlines()[1:]]
        # Speeds are those of the machine.
        return [(int(step), tag, value) for step, _, tag, value in rows if "sec" not in tag]

    def compare(self, run, reference):
        code, text, errors = self.fermata("checkpoint", "diff", str(reference), str(run))
        if code != 0:
            sys.exit(f"the variables of the killed run differ:\n{text}{errors}")
        expected, found = self.curve(reference), self.curve(run)
        if expected != found:
            missing = sorted(set(expected) - set(found))[:5]
            more = sorted(set(found) - set(expected))[:5]
            sys.exit(f"the curves differ: missing {missing}, too much {more}, {len(expected)} and {len(found)} points")

    def run(self):
        reference = self.folder / "reference"
        self.to_the_end(reference)
        while self.kills < self.options.kills:
            run = self.folder / f"run{self.runs}"
            run.mkdir()
            self.runs += 1
            while self.kills < self.options.kills and self.kill_once(run):
                pass
            self.to_the_end(run)
            self.compare(run, reference)
        print(f"{self.kills} kills in {self.runs} runs, {self.in_a_save} of them within a save; all ended the same")
        if self.in_a_save < self.options.share * self.kills:
            sys.exit(f"fewer than a share of {self.options.share} of the kills met a save")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1 / 3)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-kill-") as folder:
        Runs(options, pathlib.Path(folder).resolve()).run()


if __name__ == "__main__":
    main()
