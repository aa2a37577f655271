#!/usr/bin/env python3
"""Each call of a run that changes a file fails, writes half or is the last one, in turn, until a run passes untouched.

    faults.py --trainer PROGRAM --fermata PROGRAM --shim LIBRARY [--mode async|sync|graph]

After each the newest checkpoint must be whole, and a run without faults must go on from there to the same end.
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
HARMLESS = {str(errno.EINTR), "short"}


class Faults:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.expected = self.finished(folder / "reference")

    def train(self, run, last_step, fault=None):
        environment = dict(os.environ)
        if fault:
            environment.update(fault, LD_PRELOAD=str(self.options.shim), FAULT_DIR=str(run))
        return subprocess.run(
            [self.options.trainer, run, str(last_step), self.options.mode, "quiet"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )

    def fermata(self, *words):
        return subprocess.run([self.options.fermata, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def finished(self, run):
        """Runs to the end without faults; the checksum of the weights."""
        result = self.train(run, LAST_STEP)
        if result.returncode != 0:
            sys.exit(f"a run without faults failed:\n{result.stdout}")
        shown = self.fermata("checkpoint", "show", run).stdout
        return re.search(r"^weights .*", shown, re.MULTILINE).group()

    def check(self, number, kind, mode):
        """Whether the fault was met at all."""
        run = self.folder / "run"
        shutil.rmtree(run, ignore_errors=True)
        report = self.folder / "report"
        report.unlink(missing_ok=True)
        # One step and its checkpoint are there before anything fails.
        start = self.train(run, 1)
        if start.returncode != 0:
            sys.exit(start.stdout)
        result = self.train(run, LAST_STEP, {"FAULT_AT": str(number), "FAULT_KIND": kind, "FAULT_MODE": mode, "FAULT_REPORT": str(report)})
        what = f"call {number} {kind} {mode}"
        if kind in HARMLESS and result.returncode != 0:
            sys.exit(f"{what}: this may not fail:\n{result.stdout}")
        if kind not in HARMLESS and result.returncode not in (0, 1, -9):
            sys.exit(f"{what}: ended with {result.returncode}:\n{result.stdout}")
        listed = (run / "checkpoint").read_text()
        newest = re.search(r'model_checkpoint_path: "(.*)"', listed).group(1)
        verified = self.fermata("checkpoint", "verify", run / newest)
        if verified.returncode != 0:
            sys.exit(f"{what}: the newest checkpoint is not whole:\n{verified.stdout}\n{result.stdout}")
        if self.finished(run) != self.expected:
            sys.exit(f"{what}: the run that went on from it ended elsewhere")
        left = [path.name for path in run.iterdir() if "tempstate" in path.name and path.is_dir()]
        if left:
            sys.exit(f"{what}: left over: {left}")
        return not report.exists() or int(report.read_text()) >= number

    def run(self):
        total = 0
        for kind, mode in KINDS:
            number = 1
            while self.check(number, kind, mode):
                number += self.options.stride
            total += number - 1
            if number < 20:
                sys.exit(f"only {number - 1} calls were met, so little was tested")
            print(f"{kind} {mode}: calls 1 to {number - 1}", flush=True)
        print(f"{total} faults, none of them lost a checkpoint")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trainer", required=True)
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--mode", default="async")
    parser.add_argument("--stride", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-faults-") as folder:
        Faults(options, pathlib.Path(folder).resolve()).run()


if __name__ == "__main__":
    main()
