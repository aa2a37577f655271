"""The GoogleTest tests of the project, as their sources say."""
import pathlib
import re
from typing import NamedTuple

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("src", "cli", "testkit", "tests", "examples", "benchmarks")

TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)


class Test(NamedTuple):
    suite: str
    name: str
    file: pathlib.Path
    # Lines of the file, from 0: of its comment, of its head, behind its end.
    comment: int
    head: int
    end: int

    def full_name(self):
        return f"{self.suite}.{self.name}"


def end_of_body(lines, head):
    """Behind the brace that stands at the beginning of a line, or behind the head if all is on one line."""
    if lines[head].endswith("}"):
        return head + 1
    return next((number + 1 for number in range(head, len(lines)) if lines[number].startswith("}")), len(lines))


def tests_of(file):
    """The tests of one file, in order."""
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    for match in TEST.finditer(text):
        head = comment = text.count("\n", 0, match.start())
        while comment > 0 and lines[comment - 1].startswith("//"):
            comment -= 1
        yield Test(match[1], match[2], file, comment, head, end_of_body(lines, head))


def all_test_files():
    for folder in FOLDERS:
        yield from sorted((PROJECT / folder).rglob("*.cc"))


def all_tests():
    for file in all_test_files():
        yield from tests_of(file)
