#!/usr/bin/env python3
"""Each call of a run that changes a file fails, writes half or is the last one, in turn, until a run passes untouched.

    faults.py --fermata PROGRAM (--shim LIBRARY | --tracer PROGRAM) [--stride N] [--own-files] -- COMMAND...

{dir} in COMMAND is the folder of the run, {last} its last step. After each fault the newest checkpoint must be whole, and
a run without faults must go on from there to the same end. The calls are counted by a library that is preloaded, or by
a program that watches the run from outside, which also sees what TensorFlow's own saver does. --own-files says that only
Fermata writes files: then an interrupted call is made again and harms nothing.
"""
import argparse
import errno
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LAST_STEP = 3
KINDS = [
    *[(str(number), mode) for number in (errno.ENOSPC, errno.EIO, errno.EACCES) for mode in ("once", "on")],
    (str(errno.EINTR), "once"),
    ("short", "once"),
    ("short", "on"),
    ("kill", "once"),
]
# The run ends well, with its own error, with a checkpoint that could not be saved, or killed.
ENDS = {0, 1, 4, -9, 137}
# The tracer's, where the system does not let it watch.
NO_TRACING = 77


class Faults:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.report = folder / "report"
        self.harmless = {"short", str(errno.EINTR)} if options.own_files else {"short"}
        # One step and its checkpoint are there before anything fails.
        self.start = folder / "start"
        self.expect_end(self.train(folder / "run", 1))
        # The state file has the full path.
        (folder / "run").rename(self.start)
        self.expected = self.finished(folder / "reference")

    def train(self, run, last_step, fault=None):
        command = [word.format(dir=run, last=last_step) for word in self.options.command]
        environment = dict(os.environ)
        if fault and self.options.tracer:
            number, kind, mode = fault
            command = [self.options.tracer, str(run), str(self.report), str(number), kind, mode, *command]
        elif fault:
            number, kind, mode = fault
            environment.update(FAULT_AT=str(number), FAULT_KIND=kind, FAULT_MODE=mode, FAULT_REPORT=str(self.report))
            environment.update(LD_PRELOAD=str(self.options.shim), FAULT_DIR=str(run))
        return subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False
        )

    @staticmethod
    def expect_end(result):
        if result.returncode != 0:
            sys.exit(f"a run without faults failed:\n{result.stdout}")

    def fermata(self, *words):
        return subprocess.run([self.options.fermata, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def finished(self, run):
        """Runs to the end without faults; the checksums of the variables."""
        self.expect_end(self.train(run, LAST_STEP))
        shown = self.fermata("checkpoint", "show", run).stdout
        values = re.findall(r"^\S.* [0-9a-f]{8}$", shown, re.MULTILINE)
        if not values:
            sys.exit(f"no variable in:\n{shown}")
        return values

    def check(self, number, kind, mode):
        """Whether the fault was met at all."""
        run = self.folder / "run"
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(self.start, run)
        self.report.unlink(missing_ok=True)
        result = self.train(run, LAST_STEP, (number, kind, mode))
        what = f"call {number} {kind} {mode}"
        if self.options.tracer and result.returncode == NO_TRACING:
            print("the system does not let one process watch another")
            sys.exit(NO_TRACING)
        if kind in self.harmless and result.returncode != 0:
            sys.exit(f"{what}: this may not fail:\n{result.stdout}")
        if result.returncode not in ENDS:
            sys.exit(f"{what}: ended with {result.returncode}:\n{result.stdout}")
        listed = (run / "checkpoint").read_text()
        newest = re.search(r'model_checkpoint_path: "(.*)"', listed).group(1)
        verified = self.fermata("checkpoint", "verify", run / pathlib.Path(newest).name)
        if verified.returncode != 0:
            sys.exit(f"{what}: the newest checkpoint is not whole:\n{verified.stdout}\n{result.stdout}")
        if self.finished(run) != self.expected:
            sys.exit(f"{what}: the run that went on from it ended elsewhere")
        left = [path.name for path in run.iterdir() if "tempstate" in path.name and path.is_dir()]
        if left:
            sys.exit(f"{what}: left over: {left}")
        return not self.report.exists() or int(self.report.read_text()) >= number

    def run(self):
        total = 0
        for kind, mode in KINDS:
            number, faults = 1, 0
            while self.check(number, kind, mode):
                number += self.options.stride
                faults += 1
            total += faults
            if number < 20:
                sys.exit(f"only {number - 1} calls were met, so little was tested")
            print(f"{kind} {mode}: {faults} of the calls 1 to {number - 1}", flush=True)
        print(f"{total} faults, none of them lost a checkpoint")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--shim")
    how.add_argument("--tracer")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--own-files", action="store_true")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-faults-") as folder:
        Faults(options, pathlib.Path(folder).resolve()).run()


if __name__ == "__main__":
    main()
