#!/usr/bin/env python3
"""Changes one decision of the code at a time and sees whether the fast tests notice.

    scripts/flip_decisions.py [--check] [--only TEXT] [--jobs N]

    --check      only says whether each decision of tests/decisions/decisions.toml is found in the code
    --only TEXT  only decisions whose description or file holds this text
    --jobs N     compilers at a time (default: the number of processors)

It works on a copy in build/decisions, without TensorFlow and without optimisation. A change counts as noticed if
a test fails, crashes or does not end within a minute; one that does not compile is a mistake in the list. The exit
status is 0 only if every change was noticed.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time
import tomllib

PROJECT = pathlib.Path(__file__).resolve().parent.parent
LIST = PROJECT / "tests/decisions/decisions.toml"
COPY = PROJECT / "build/decisions/source"
BUILD = PROJECT / "build/decisions/build"
TEST_SECONDS = 60


def load():
    decisions = tomllib.loads(LIST.read_text())["decision"]
    faults = []
    for decision in decisions:
        found = (PROJECT / decision["file"]).read_text().count(decision["from"])
        if found != 1:
            faults.append(
                f"{LIST.name}: '{decision['what']}': its text was expected once in {decision['file']}, but is there "
                f"{found} times; bring the list up to date"
            )
    if faults:
        sys.exit("\n".join(faults))
    return decisions


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def copy_sources():
    """Files that did not change keep their time, so that a second run compiles little."""
    tracked = run("git", "-C", PROJECT, "ls-files", "--cached", "--others", "--exclude-standard").stdout.splitlines()
    for name in tracked:
        source, target = PROJECT / name, COPY / name
        if source.is_dir() and not source.is_symlink():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            if not target.is_symlink():
                target.symlink_to(os.readlink(source))
        elif source.exists() and (not target.exists() or target.read_bytes() != source.read_bytes()):
            shutil.copy(source, target)


def configure():
    result = run(
        "cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
        "-DFERMATA_DEVELOPMENT=ON", "-DFERMATA_PRECOMPILE_HEADERS=ON", "-DFERMATA_WITH_TENSORFLOW=OFF",
    )  # fmt: skip
    if result.returncode != 0:
        sys.exit(result.stdout)


def build(tests, jobs):
    return run("cmake", "--build", BUILD, "--parallel", str(jobs), "--target", *tests)


def noticed_by(tests):
    """The first test program that fails, and how; None if all of them pass."""
    for test in tests:
        program = next(path for path in BUILD.glob(f"src/**/{test}") if path.is_file())
        try:
            result = run(program, "--gtest_brief=1", timeout=TEST_SECONDS, cwd=program.parent, errors="replace")
        except subprocess.TimeoutExpired:
            return f"{test} (did not end)"
        if result.returncode != 0:
            failed = [line.split("] ")[1] for line in result.stdout.splitlines() if line.startswith("[  FAILED  ] ")]
            return failed[0].split(",")[0].split(" (")[0] if failed else f"{test} (crashed)"
    return None


def try_decision(decision, jobs):
    """What noticed the change; None if nothing did."""
    target = COPY / decision["file"]
    original = target.read_text()
    target.write_text(original.replace(decision["from"], decision["to"]))
    try:
        built = build(decision["tests"], jobs)
        if built.returncode != 0:
            sys.exit(f"'{decision['what']}' does not compile:\n{built.stdout[-3000:]}")
        return noticed_by(decision["tests"])
    finally:
        target.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    decisions = load()
    if options.check:
        print(f"{len(decisions)} decisions, each found in the code")
        return
    decisions = [d for d in decisions if options.only in d["what"] or options.only in d["file"]]
    copy_sources()
    configure()
    tests = sorted({test for decision in decisions for test in decision["tests"]})
    first = build(tests, options.jobs)
    if first.returncode != 0 or noticed_by(tests):
        sys.exit(f"the unchanged code does not build or pass its tests:\n{first.stdout[-3000:]}{noticed_by(tests)}")
    missed = 0
    for number, decision in enumerate(decisions, 1):
        start = time.monotonic()
        test = try_decision(decision, options.jobs)
        missed += test is None
        seconds = time.monotonic() - start
        print(f"{number:3}/{len(decisions)} {seconds:5.1f} s  {decision['what']}: {test or 'NOT NOTICED'}", flush=True)
    print(f"{len(decisions) - missed} of {len(decisions)} changes were noticed")
    sys.exit(missed != 0)


if __name__ == "__main__":
    main()
