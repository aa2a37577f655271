#!/usr/bin/env python3
"""Checks by the #include lines that the parts of Fermata know only what they may know.

    scripts/check_layers.py [ROOT]

Also that no public header pulls in a foreign one, that TensorFlow's headers stay in the plug-in, and that every test
file is registered in a CMakeLists.txt. Prints one line for each fault; the exit code is 1 if there is any.
"""
import pathlib
import re
import sys

# What the sources of a folder of src/ may include from other folders of src/, and which public headers: those whose
# source lies in an allowed folder, and those that are named. Longer paths count before shorter ones. Tests and
# what only they use (foo_test_support.h, foo_fixture.h) may include anything.
MAY_INCLUDE = {
    "src/core": {"core"},
    "src/wire": {"wire"},
    "src/platform": {"platform", "core"},
    "src/checkpoint": {"checkpoint", "platform", "wire", "core"},
    "src/event_log": {"event_log", "platform", "wire", "core"},
    "src/coordination": {"coordination", "platform", "wire", "core"},
    "src/hooks": {
        "hooks", "checkpoint", "event_log", "coordination", "platform", "wire", "core",
        "fermata/scaffold.h",  # what a saver or summary hook is given; the loop itself stays unknown
    },
    "src/session": {"session", "checkpoint", "event_log", "coordination", "platform", "wire", "core"},
    # An engine reads a checkpoint to see whether it fits; the native one also writes its variables.
    "src/engines": {"engines", "checkpoint", "platform", "wire", "core"},
    "src/engines/tensorflow": {"engines", "wire"},  # on the other side of a C boundary
}

# Public headers of the engines, whose sources lie deeper.
ENGINE_HEADERS = {"native", "tensorflow"}

# Files with a task of their own, and what else they may include.
EXCEPTIONS = {
    # Puts the usual hooks together.
    "src/session/training_session.cc": {"hooks"},
    "include/fermata/training_session.h": {"hooks"},
}

# Who sees only what every user sees.
PUBLIC_ONLY = ("cli", "testkit", "examples")

FRAMEWORK = re.compile(r"(tensorflow|tsl|xla|absl|google/protobuf|Eigen|unsupported)/")
FRAMEWORK_FOLDER = "src/engines/tensorflow/"
# Modules that are opened beside the plug-in, for the plug-in to be compared with.
FRAMEWORK_FILES = {"benchmarks/bare_tensorflow.cc"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
DEFINE = re.compile(r"^\s*#\s*define\s+(?!FERMATA_)(\w+)", re.MULTILINE)
SOURCE_SUFFIXES = {".h", ".cc"}
TEST_FILE = re.compile(r"_test\.(cc|py|sh)$")
TEST_SUPPORT = re.compile(r"_(test|test_support|fixture)\.(cc|h)$")


class Tree:
    """The checkout: its sources, and which folder of src/ each public header belongs to."""

    def __init__(self, root):
        self.root = root
        self.faults = []
        self.owners = {}
        for header in self.files("include"):
            self.owners[header.removeprefix("include/")] = self.owner(header)

    def files(self, folder, suffixes=SOURCE_SUFFIXES):
        found = (self.root / folder).rglob("*")
        return sorted(str(path.relative_to(self.root)) for path in found if path.suffix in suffixes)

    def owner(self, header):
        """The folder of src/ that holds the source of a public header; none if it has no source."""
        if header.startswith("include/fermata/hooks/"):
            return "hooks"
        name = pathlib.PurePath(header).stem
        if name in ENGINE_HEADERS:
            return "engines"
        sources = sorted((self.root / "src").glob(f"*/{name}.cc"))
        return sources[0].parent.name if sources else None

    def includes(self, file):
        text = (self.root / file).read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(2)) + 1
            yield line, match.group(1), match.group(2)

    def fault(self, file, line, text):
        self.faults.append(f"{file}:{line}: {text}")


def allowed_folders(file):
    folders = [folder for folder in MAY_INCLUDE if file.startswith(folder + "/")]
    if not folders:
        return None
    return MAY_INCLUDE[max(folders, key=len)] | EXCEPTIONS.get(file, set())


def included_folder(tree, header):
    """The folder of src/ that a header belongs to; none for headers of others."""
    if header.startswith("fermata/"):
        return tree.owners.get(header)
    first = header.split("/")[0]
    return first if "/" in header and (tree.root / "src" / first).is_dir() else None


def check_arrows(tree):
    for file in tree.files("src"):
        allowed = allowed_folders(file)
        if allowed is None:
            tree.fault(file, 1, "expected the folder in MAY_INCLUDE of scripts/check_layers.py")
        elif not TEST_SUPPORT.search(file):
            for line, _, header in tree.includes(file):
                check_arrow(tree, file, line, header, allowed)


def check_arrow(tree, file, line, header, allowed):
    folder = included_folder(tree, header)
    if folder is not None and folder not in allowed and header not in allowed:
        tree.fault(file, line, f"includes {header} of {folder}; may know {', '.join(sorted(allowed))}")


def check_public_headers(tree):
    for file in tree.files("include"):
        text = (tree.root / file).read_text(encoding="utf-8")
        if not text.startswith("//") or "#pragma once" not in text:
            tree.fault(file, 1, "expected a comment that says what it is for, then #pragma once")
        for match in DEFINE.finditer(text):
            tree.fault(file, text.count("\n", 0, match.start(1)) + 1, f"defines {match.group(1)} without FERMATA_")
        for line, bracket, header in tree.includes(file):
            ours = bracket == '"' and header in tree.owners
            standard = bracket == "<" and re.fullmatch(r"[a-z0-9_]+", header)
            if not ours and not standard:
                tree.fault(file, line, f"a public header includes {header}, which users do not have")
        owner = tree.owners[file.removeprefix("include/")]
        check_public_arrow(tree, file, owner)


def check_public_arrow(tree, file, owner):
    if owner is None or file == "include/fermata/fermata.h":
        return
    allowed = MAY_INCLUDE[f"src/{owner}"] | EXCEPTIONS.get(file, set())
    for line, _, header in tree.includes(file):
        check_arrow(tree, file, line, header, allowed)


def check_outsiders(tree):
    for part in PUBLIC_ONLY:
        for file in tree.files(part):
            for line, _, header in tree.includes(file):
                if header.split("/")[0] != "fermata" and included_folder(tree, header) is not None:
                    tree.fault(file, line, f"includes {header}; {part} may know public headers only")


def check_framework(tree):
    for part in ("include", "src", *PUBLIC_ONLY, "tests", "benchmarks"):
        for file in tree.files(part):
            if file.startswith(FRAMEWORK_FOLDER) or file in FRAMEWORK_FILES:
                continue
            for line, _, header in tree.includes(file):
                if FRAMEWORK.match(header):
                    tree.fault(file, line, f"includes {header}; TensorFlow is known in {FRAMEWORK_FOLDER} only")


def is_registered(tree, file):
    """Whether a CMakeLists.txt of the file's folder or of one above names it."""
    path = pathlib.PurePath(file)
    for folder in path.parents:
        cmake = tree.root / folder / "CMakeLists.txt"
        name = re.escape(str(path.relative_to(folder)))
        if cmake.is_file() and re.search(rf"(?<![\w/.-]){name}\b|/{name}\b", cmake.read_text(encoding="utf-8")):
            return True
    return False


def check_tests_registered(tree):
    for part in ("src", *PUBLIC_ONLY, "tests"):
        for file in tree.files(part, SOURCE_SUFFIXES | {".py", ".sh"}):
            if TEST_FILE.search(file) and not is_registered(tree, file):
                tree.fault(file, 1, "a test that no CMakeLists.txt names is never run")


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    tree = Tree(root)
    for check in (check_arrows, check_public_headers, check_outsiders, check_framework, check_tests_registered):
        check(tree)
    print("\n".join(tree.faults) if tree.faults else f"{len(tree.owners)} public headers and all sources keep to the layers.")
    sys.exit(1 if tree.faults else 0)


if __name__ == "__main__":
    main()
