"""scripts/check_layers.py finds each kind of fault in a small tree, and none in a tree without one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_layers.py"
HEADER = "// Says something.\n#pragma once\n"

CLEAN = {
    "include/fermata/error.h": HEADER + "#include <string>\n",
    "include/fermata/saver.h": HEADER + '#include "fermata/error.h"\n',
    "include/fermata/hooks/stop_hook.h": HEADER,
    "src/core/error.cc": '#include "fermata/error.h"\n#include <fmt/format.h>\n',
    "src/checkpoint/saver.cc": '#include "fermata/saver.h"\n#include "wire/crc.h"\n',
    "src/checkpoint/saver_test.cc": '#include "session/loop.h"\n',
    "src/checkpoint/CMakeLists.txt": "SOURCES saver_test.cc",
    "src/session/training_session.cc": '#include "fermata/hooks/stop_hook.h"\n',
    "src/engines/tensorflow/runtime.cc": '#include "tensorflow/c/c_api.h"\n',
    "src/wire/crc.cc": "",
    "src/hooks/stop_hook.cc": '#include "fermata/saver.h"\n',
    "cli/main.cc": '#include "fermata/saver.h"\n#include "train.h"\n',
}


class CheckLayersTest(unittest.TestCase):
    def check(self, **changes):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**CLEAN, **changes.get("files", {})}.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            result = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout

    def expect_fault(self, name, text, said):
        code, output = self.check(files={name: text})
        self.assertEqual(code, 1, output)
        self.assertIn(said, output)
        self.assertEqual(output.count("\n"), 1, output)

    def test_accepts_a_tree_without_faults(self):
        code, output = self.check()
        self.assertEqual(code, 0, output)

    def test_finds_an_arrow_the_wrong_way(self):
        self.expect_fault("src/wire/crc.cc", '\n#include "checkpoint/saver.h"\n', "src/wire/crc.cc:2: includes checkpoint/saver.h")

    def test_finds_an_arrow_through_a_public_header(self):
        self.expect_fault("src/core/error.cc", '#include "fermata/saver.h"\n', "includes fermata/saver.h of checkpoint")

    def test_finds_an_arrow_between_public_headers(self):
        self.expect_fault("include/fermata/error.h", HEADER + '#include "fermata/saver.h"\n', "error.h:3: includes fermata/saver.h")

    def test_finds_a_hook_in_the_session(self):
        self.expect_fault("src/session/loop.cc", '#include "fermata/hooks/stop_hook.h"\n', "of hooks; may know")

    def test_finds_a_foreign_header_in_a_public_one(self):
        self.expect_fault("include/fermata/saver.h", HEADER + "#include <fmt/format.h>\n", "which users do not have")

    def test_finds_a_macro_without_prefix(self):
        self.expect_fault("include/fermata/saver.h", HEADER + "#define LIMIT 3\n", "defines LIMIT")

    def test_finds_a_public_header_that_does_not_explain_itself(self):
        self.expect_fault("include/fermata/saver.h", "#pragma once\n", "expected a comment")

    def test_finds_what_is_inside_in_the_program(self):
        self.expect_fault("cli/main.cc", '#include "core/half.h"\n', "public headers only")

    def test_finds_tensorflow_outside_the_plug_in(self):
        self.expect_fault("src/engines/loader.cc", "#include <tensorflow/c/c_api.h>\n", "TensorFlow is known in")

    def test_finds_a_test_that_is_not_registered(self):
        self.expect_fault("src/core/error_test.cc", "", "never run")

    def test_finds_a_folder_without_rules(self):
        self.expect_fault("src/surprise/a.cc", "", "MAY_INCLUDE")


if __name__ == "__main__":
    unittest.main()
