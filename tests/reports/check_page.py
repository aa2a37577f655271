#!/usr/bin/env python3
"""Each report of the page has its test, and each test of a report its line.

    check_page.py docs/user_reports.md

The lines of the page's tables begin with the id of a report and end with the names of its tests or test files. A
test says `// report ID` (in Python `# report ID`) in the lines above it.
"""
import pathlib
import re
import sys

SOURCES = ("src", "tests", "testkit", "cli", "examples")
ID = re.compile(r"^\s*(?://|#) report ([A-Z]{2}-\d\d)$")
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)")


def tests_of_reports(root):
    """The names of the tests, or the files of scripts, by the ids above them."""
    found = {}
    for path in sorted(p for folder in SOURCES for p in (root / folder).rglob("*") if p.suffix in (".cc", ".py", ".txt")):
        waiting = []
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if match := ID.match(line):
                waiting.append(match[1])
                if path.suffix != ".cc":
                    found.setdefault(match[1], set()).add(path.name)
            elif match := TEST.match(line):
                for report in waiting:
                    found.setdefault(report, set()).add(f"{match[1]}.{match[2]}")
                waiting = []
    return found


def lines_of_page(page):
    rows = [line.strip().strip("|").split("|") for line in page.read_text(encoding="utf-8").splitlines()
            if re.match(r"\| [A-Z]{2}-\d\d \|", line)]
    return {row[0].strip(): set(re.findall(r"`([\w.]+)`", row[-1])) for row in rows}


def main():
    tests = tests_of_reports(pathlib.Path("."))
    page = lines_of_page(pathlib.Path(sys.argv[1]))
    faults = [f"{report}: the page has no line for it" for report in tests if report not in page]
    for report, named in page.items():
        if report not in tests:
            faults.append(f"{report}: no test has the comment `report {report}`")
        elif named != tests[report]:
            faults.append(f"{report}: the page names {sorted(named)}, the tests are {sorted(tests[report])}")
    for fault in sorted(faults):
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
