#!/usr/bin/env python3
"""A second process on the folder of a run that is alive, and one after that run was killed.

    two_processes.py --trainer PROGRAM --fermata PROGRAM
"""
import argparse
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

ENDLESS = "1000000000"


def expect(condition, what, seen):
    if not condition:
        sys.exit(f"expected {what}, found:\n{seen}")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)


def files_of(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def meet(options, folder, first):
    """While `first` trains in `folder`."""
    file = folder / ".fermata.lock"
    held = json.loads(file.read_text())
    expect(held["pid"] == first.pid and held["host"] == socket.gethostname(), "the host and the number of the first process", held)
    second = run(options.trainer, folder, ENDLESS)
    expect(second.returncode == 1, "a refusal of the second process", second.stdout)
    who = rf"only one process may save checkpoints in a folder, and this one is held by process {first.pid} on {re.escape(held['host'])}, since \d{{4}}-"
    expect(re.search(who, second.stdout), "the name of the first process", second.stdout)
    # Readers ask nobody.
    read = run(options.fermata, "checkpoint", "list", folder)
    expect(read.returncode == 0, "a list of the checkpoints", read.stdout)
    expect(first.poll() is None, "the first process to go on", first.returncode)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trainer", required=True)
    parser.add_argument("--fermata", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-two-") as name:
        folder = pathlib.Path(name).resolve() / "run"
        # The folder is there, so that it is held from the beginning.
        expect(run(options.trainer, folder, "1").returncode == 0, "a first step", "a failure")
        expect(".fermata.lock" not in files_of(folder), "no file that names a process after its end", files_of(folder))
        first = subprocess.Popen([options.trainer, folder, ENDLESS, "sync", "quiet"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            first.stdout.readline()
            meet(options, folder, first)
        finally:
            first.kill()
            first.communicate()
        expect(".fermata.lock" in files_of(folder), "the file of the process that was killed", files_of(folder))
        step = max(int(number) for number in re.findall(r"model.ckpt-(\d+)\.index", " ".join(os.listdir(folder))))
        third = run(options.trainer, folder, str(step + 2))
        expect(third.returncode == 0, "a run that goes on", third.stdout)
        expect(f"taken over from process {first.pid} on" in third.stdout, "a line about the process before", third.stdout)
        expect(".fermata.lock" not in files_of(folder), "no file that names a process after its end", files_of(folder))
    print("the second process was told who holds the folder, the third one took it over")


if __name__ == "__main__":
    main()
