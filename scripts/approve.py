#!/usr/bin/env python3
"""Accepts what the program printed in a test as what it is to print from now on.

    scripts/approve.py [--build FOLDER] [NAME...]

A test that compares text with tests/cli/approved/NAME.txt leaves what it received in the build folder. Without a NAME
all of them are accepted. Shows each difference; the review reads it again.
"""
import argparse
import difflib
import pathlib
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent
APPROVED = PROJECT / "tests" / "cli" / "approved"


def lines_of(path):
    return path.read_text().splitlines() if path.exists() else []


def accept(received):
    approved = APPROVED / received.name
    difference = difflib.unified_diff(
        lines_of(approved), lines_of(received), f"old {approved.name}", f"new {approved.name}", lineterm="", n=1
    )
    print("\n".join(difference))
    received.replace(approved)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=PROJECT / "build" / "release")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    waiting = {path.stem: path for path in sorted((options.build / "tests" / "cli" / "received").glob("*.txt"))}
    unknown = [name for name in options.names if name not in waiting]
    if unknown:
        sys.exit(f"Nothing was received for {', '.join(unknown)}; waiting: {', '.join(waiting) or 'nothing'}.")
    for name in options.names or waiting:
        accept(waiting[name])


if __name__ == "__main__":
    main()
