#!/usr/bin/env python3
"""Writes docs/reference_coverage.md: what holds each statement about the reference system.

    scripts/reference_coverage.py [--check]

The statements are in tests/conformance/contract_ids.tsv: a number, what the reference does, and, where Fermata does
otherwise, what it does; or "left out: " and why. A statement is held by the scenarios of tests/conformance/*.json that
name it, and by the tests with a comment like "contract HOOK-14, CKPT-17" in them or right above.

Prints what is wrong: a statement that nothing holds, a number that is not in the list, a comment that belongs to no test,
a rule or a difference that the pages do not have. With --check the page is compared instead of written. The exit code
is 1 if anything is wrong.
"""
import json
import pathlib
import re
import sys
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
from test_sources import PROJECT, all_test_files, tests_of  # noqa: E402

LIST = "tests/conformance/contract_ids.tsv"
PAGE = "docs/reference_coverage.md"
LEFT_OUT = "left out: "
SHOWN_SCENARIOS = 3

NUMBER = r"[A-Z]+-\d+"
COMMENT = re.compile(rf"//.*\bcontract ({NUMBER}(?:(?:, | and ){NUMBER})*)", re.IGNORECASE)

SECTIONS = {
    "GS": "Global step",
    "TIMER": "Timers",
    "HOOK": "Hooks and what they see",
    "STOP": "StopAtStepHook",
    "LOG": "LoggingTensorHook",
    "CKPT": "CheckpointSaverHook",
    "LIS": "Listeners",
    "CNT": "StepCounterHook",
    "NAN": "NanTensorHook",
    "SUM": "SummarySaverHook",
    "WAIT": "GlobalStepWaiterHook",
    "FINAL": "FinalOpsHook",
    "FEED": "FeedFnHook",
    "PROF": "ProfilerHook",
    "SYNC": "The hook of synchronous replicas",
    "SCAF": "Scaffold",
    "SC": "Session creators",
    "SM": "SessionManager",
    "MON": "Monitored sessions: construction",
    "MSTOP": "should_stop",
    "RUN": "run",
    "REC": "Recovery",
    "CLOSE": "close",
    "ERR": "What each error leads to",
    "STEP": "Step functions",
    "SING": "SingularMonitoredSession",
    "MTS": "MonitoredTrainingSession",
    "TRACE": "Whole traces",
    "COORD": "Coordinator",
    "LOOP": "LooperThread",
    "QR": "QueueRunner",
    "SAVER": "Saver",
    "STATE": "The state file of checkpoints",
    "EVENT": "Event files",
    "FILES": "Files of a run",
    "SUP": "Supervisor",
}


class Statement(NamedTuple):
    number: str
    reference: str
    fermata: str

    def section(self):
        return self.number.rpartition("-")[0]

    def left_out(self):
        return self.fermata.startswith(LEFT_OUT)


def statements_of(project):
    for line in (project / LIST).read_text(encoding="utf-8").splitlines():
        yield Statement(*line.split("\t"))


def scenarios_of(project):
    """Each scenario with the numbers it names."""
    for file in sorted((project / "tests/conformance").glob("*.json")):
        for scenario in json.loads(file.read_text(encoding="utf-8"))["scenarios"]:
            yield scenario["id"], scenario.get("contract", [])


def comments_of(file):
    """The line of each comment that names statements, from 0, with their numbers."""
    for line, text in enumerate(file.read_text(encoding="utf-8").splitlines()):
        match = COMMENT.search(text)
        if match:
            yield line, re.findall(NUMBER, match[1])


class Coverage:
    def __init__(self, project):
        self.project = project
        self.statements = list(statements_of(project))
        self.tests = {statement.number: [] for statement in self.statements}
        self.scenarios = {statement.number: [] for statement in self.statements}
        self.problems = []
        for name, numbers in scenarios_of(project):
            self.add(self.scenarios, name, numbers, f"scenario {name}")
        for file in all_test_files():
            if file.name.endswith("_test.cc"):
                self.add_tests(file)
        self.find_missing()
        self.find_unknown_names()

    def add(self, held_by, name, numbers, where):
        for number in numbers:
            if number not in held_by:
                self.problems.append(f"{where}: {number} is not in {LIST}")
            elif name not in held_by[number]:
                held_by[number].append(name)

    def add_tests(self, file):
        tests = list(tests_of(file))
        for line, numbers in comments_of(file):
            where = f"{file.relative_to(self.project)}:{line + 1}"
            test = next((test for test in tests if test.comment <= line < test.end), None)
            if test is None:
                self.problems.append(f"{where}: this comment belongs to no test")
            else:
                self.add(self.tests, test.full_name(), numbers, where)

    def find_missing(self):
        for statement in self.statements:
            held = self.tests[statement.number] or self.scenarios[statement.number]
            if statement.left_out() and held:
                self.problems.append(f"{statement.number} is left out, but {held[0]} names it")
            elif not statement.left_out() and not held:
                self.problems.append(f"{statement.number}: no scenario and no test names it")

    def find_unknown_names(self):
        rules = (self.project / "docs/conformance.md").read_text(encoding="utf-8")
        differences = (self.project / "docs/differences.md").read_text(encoding="utf-8")
        for statement in self.statements:
            for rule in re.findall("“([^”]+)”", statement.fermata):
                if f"\n| {rule} " not in rules:
                    self.problems.append(f"{statement.number}: docs/conformance.md has no rule “{rule}”")
            for number in re.findall(r"difference (\d+)", statement.fermata):
                if f"\n| {number} |" not in differences:
                    self.problems.append(f"{statement.number}: docs/differences.md has no row {number}")

    def row(self, statement):
        tests, scenarios = self.tests[statement.number], self.scenarios[statement.number]
        shown = [f"`{name}`" for name in tests + scenarios[:SHOWN_SCENARIOS]]
        if len(scenarios) > SHOWN_SCENARIOS:
            shown.append(f"and {len(scenarios) - SHOWN_SCENARIOS} more")
        held = ", ".join(shown) or "–"
        return f"| {statement.number} | {statement.reference} | {statement.fermata} | {held} |"

    def page(self):
        left_out = sum(statement.left_out() for statement in self.statements)
        lines = INTRODUCTION.format(
            all=len(self.statements),
            left_out=left_out,
            scenarios=sum(map(bool, self.scenarios.values())),
            tests=sum(bool(self.tests[number]) and not self.scenarios[number] for number in self.tests),
        ).splitlines()
        section = None
        for statement in self.statements:
            if statement.section() != section:
                section = statement.section()
                lines += ["", f"## {SECTIONS[section]}", "", "| | the reference | Fermata, where it differs | held by |",
                          "|---|---|---|---|"]
            lines.append(self.row(statement))
        return "\n".join(lines) + "\n"


INTRODUCTION = """\
# What holds Fermata to the reference

What `tf.compat.v1.train` does, in {all} statements, and what shows that Fermata does it too: a recorded scenario of
`tests/conformance/` ([conformance.md](conformance.md)), or a test (`Suite.Name`). {scenarios} statements have scenarios,
{tests} have tests alone, {left_out} are left out, with the reason.

Where Fermata means to do otherwise the third column says what it does: “…” is a rule by which the scenarios are judged,
and the differences are those of [differences.md](differences.md). What holds the statement then holds Fermata's way.

`scripts/reference_coverage.py` writes this page from the scenarios, the tests and `tests/conformance/contract_ids.tsv`;
a test checks that it is up to date and that no statement is without."""


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    coverage = Coverage(PROJECT)
    problems = list(coverage.problems)
    page = PROJECT / PAGE
    if not arguments:
        page.write_text(coverage.page(), encoding="utf-8")
    elif not page.exists() or page.read_text(encoding="utf-8") != coverage.page():
        problems.append(f"{PAGE} is not up to date: run scripts/reference_coverage.py")
    print("\n".join(problems) if problems else f"Each of {len(coverage.statements)} statements is held or left out.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
