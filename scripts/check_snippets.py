#!/usr/bin/env python3
"""Checks that the C++ code of a page is code that the tests compile.

    scripts/check_snippets.py PAGE.md SOURCE.cc...

Each block between ```cpp and ``` in PAGE must stand in one SOURCE, line by line; how far it is indented does not count.
Prints the first line of each block that does not; the exit code is 1 if there is any, or if PAGE has no block.
"""
import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks_of(page):
    """The code blocks of a page, each with the number of its first line."""
    for match in BLOCK.finditer(page):
        yield page.count("\n", 0, match.start(1)) + 1, lines_of(match.group(1))


def lines_of(text):
    return textwrap.dedent(text).splitlines()


def stands_in(block, source):
    """Whether the lines of a block follow each other in the source."""
    return any(
        lines_of("\n".join(source[first : first + len(block)])) == block
        for first in range(len(source) - len(block) + 1)
    )


def main(page_path, *source_paths):
    page = pathlib.Path(page_path).read_text(encoding="utf-8")
    sources = [pathlib.Path(path).read_text(encoding="utf-8").splitlines() for path in source_paths]
    blocks = list(blocks_of(page))
    missing = [(line, block) for line, block in blocks if not any(stands_in(block, source) for source in sources)]
    named = ", ".join(source_paths)
    for line, block in missing:
        print(f"{page_path}:{line}: not in {named}: {block[0]}")
    if not blocks:
        print(f"{page_path}: no C++ code found")
    if missing or not blocks:
        return 1
    print(f"All {len(blocks)} pieces of code of {page_path} are compiled in {named}.")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
