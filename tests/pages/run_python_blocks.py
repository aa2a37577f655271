#!/usr/bin/env python3
"""Runs the Python code of a page that explains how to move away from Python.

    run_python_blocks.py PAGE.md

The first block between ```python and ``` builds a graph. Each later one is run behind it, in a graph of its own; all are
run in one empty folder.
"""
import logging
import os
import pathlib
import re
import sys
import tempfile
import traceback

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf  # noqa: E402

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def run(setup, block, number):
    names = {}
    with tf.Graph().as_default():
        exec(compile(setup, "the graph", "exec"), names)
        exec(compile("\n" * number + block, "the page", "exec"), names)


def main(page_path):
    page = pathlib.Path(page_path).read_text(encoding="utf-8")
    logging.getLogger("tensorflow").setLevel(logging.FATAL)
    blocks = [(page.count("\n", 0, match.start(1)), match[1]) for match in BLOCK.finditer(page)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number, block in blocks[1:]:
            try:
                run(blocks[0][1], block, number)
            except Exception:
                traceback.print_exc()
                print(f"{page_path}:{number + 1}: this block fails")
                failed += 1
        os.chdir("/")
    print(f"{len(blocks) - failed} of {len(blocks)} blocks run.")
    return 1 if failed or len(blocks) < 2 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
