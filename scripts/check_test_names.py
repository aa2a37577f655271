#!/usr/bin/env python3
"""Checks that the tests a page names are there.

    scripts/check_test_names.py PAGE.md...

In each table whose last column is "test", each row names at least one test, as `Suite.Name` or `Suite`, and the sources
have it. Prints each row that does not; the exit code is 1 if there is any, or if a PAGE has no such row.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
from test_sources import all_tests  # noqa: E402


def rows_of(page):
    """The last cells of the rows of each table about tests, with the number of their lines."""
    in_table = False
    for number, line in enumerate(page.splitlines(), start=1):
        if not line.startswith("|"):
            in_table = False
            continue
        last = line.strip().strip("|").split("|")[-1].strip()
        if last == "test":
            in_table = True
        elif in_table and set(last) - set("-: "):
            yield number, last


def problems_of(page_path, known):
    rows = list(rows_of(pathlib.Path(page_path).read_text(encoding="utf-8")))
    if not rows:
        yield f"{page_path}: no table with a last column \"test\""
    for number, cell in rows:
        names = re.findall(r"`([^`]+)`", cell)
        if not names:
            yield f"{page_path}:{number}: no test is named"
        for name in names:
            if name not in known:
                yield f"{page_path}:{number}: there is no test {name}"


def main(*page_paths):
    tests = list(all_tests())
    known = {test.full_name() for test in tests} | {test.suite for test in tests}
    problems = [problem for path in page_paths for problem in problems_of(path, known)]
    print("\n".join(problems) if problems else f"All tests that are named in {', '.join(page_paths)} are there.")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
