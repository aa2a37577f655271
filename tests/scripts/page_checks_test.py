"""The scripts that hold pages against the tests find each kind of fault, and none where there is none."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"

TESTS = """\
TEST(FirstTest, Holds) { EXPECT_TRUE(true); }

// Why.
// Contract GS-2 and TIMER-1.
TEST_F(SecondTest,
       HoldsToo) {
  const auto one = [] { return 1; };
  EXPECT_EQ(one(), 1);  // contract HOOK-3: this line says so
}
"""
DIFFERENCES = "| # | here | test |\n|---|---|---|\n| 1 | other | `FirstTest.Holds`, `SecondTest` |\n"
IDS = (
    "GS-1\tIt is so.\t\nGS-2\tSo.\tNot so (difference 1).\nTIMER-1\tNo.\tYes (“a rule”).\nHOOK-3\tOnce.\t\n"
    "SUP-1\tMany.\tleft out: none is needed.\n"
)
TREE = {
    "src/core/first_test.cc": TESTS,
    "docs/differences.md": DIFFERENCES,
    "docs/conformance.md": "| rule | what |\n|---|---|\n| a rule | so |\n",
    "tests/conformance/contract_ids.tsv": IDS,
    "tests/conformance/group.json": json.dumps({"scenarios": [{"id": "scenario_one", "contract": ["GS-1"]}]}),
}


class PageChecksTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        shutil.copytree(SCRIPTS, self.root / "scripts")
        for name, text in TREE.items():
            self.write(name, text)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_script(self, name, *arguments):
        command = [sys.executable, self.root / "scripts" / name, *arguments]
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.root)
        return result.returncode, result.stdout

    def expect_names(self, code, said):
        self.assertEqual(self.run_script("check_test_names.py", "docs/differences.md")[0], code)
        self.assertIn(said, self.run_script("check_test_names.py", "docs/differences.md")[1])

    def expect_fault(self, said):
        code, output = self.run_script("reference_coverage.py")
        self.assertEqual(code, 1, output)
        self.assertIn(said, output)

    def test_accepts_names_that_are_there(self):
        self.expect_names(0, "All tests that are named")

    def test_finds_a_name_that_is_not_there(self):
        self.write("docs/differences.md", DIFFERENCES.replace("Holds", "Held"))
        self.expect_names(1, "docs/differences.md:3: there is no test FirstTest.Held")

    def test_finds_a_row_without_a_test(self):
        self.write("docs/differences.md", DIFFERENCES + "| 2 | another | by hand |\n")
        self.expect_names(1, "docs/differences.md:4: no test is named")

    def test_writes_a_page_that_it_accepts(self):
        code, output = self.run_script("reference_coverage.py")
        self.assertEqual((code, output), (0, "Each of 5 statements is held or left out.\n"))
        page = (self.root / "docs/reference_coverage.md").read_text(encoding="utf-8")
        self.assertIn("| GS-1 | It is so. |  | `scenario_one` |", page)
        self.assertIn("| GS-2 | So. | Not so (difference 1). | `SecondTest.HoldsToo` |", page)
        self.assertIn("| HOOK-3 | Once. |  | `SecondTest.HoldsToo` |", page)
        self.assertEqual(self.run_script("reference_coverage.py", "--check")[0], 0)

    def test_finds_a_page_that_is_old(self):
        self.run_script("reference_coverage.py")
        self.write("src/core/first_test.cc", TESTS.replace("HoldsToo", "StillHolds"))
        code, output = self.run_script("reference_coverage.py", "--check")
        self.assertEqual(code, 1)
        self.assertIn("is not up to date", output)

    def test_finds_a_statement_that_nothing_holds(self):
        self.write("tests/conformance/contract_ids.tsv", IDS + "SM-1\tNever.\t\n")
        self.expect_fault("SM-1: no scenario and no test names it")

    def test_finds_a_number_that_is_none(self):
        self.write("src/core/first_test.cc", TESTS.replace("GS-2", "GS-2, GS-99"))
        self.expect_fault("src/core/first_test.cc:4: GS-99 is not in")

    def test_finds_a_comment_without_a_test(self):
        self.write("src/core/first_test.cc", TESTS + "\n// Contract GS-1.\nint helper() { return 1; }\n")
        self.expect_fault("src/core/first_test.cc:11: this comment belongs to no test")

    def test_finds_what_is_left_out_and_tested(self):
        self.write("src/core/first_test.cc", TESTS.replace("GS-2", "GS-2, SUP-1"))
        self.expect_fault("SUP-1 is left out, but SecondTest.HoldsToo names it")

    def test_finds_rules_and_differences_that_are_not_there(self):
        self.write("tests/conformance/contract_ids.tsv", IDS.replace("a rule", "no rule").replace("ference 1", "ference 7"))
        self.expect_fault("TIMER-1: docs/conformance.md has no rule “no rule”")
        self.expect_fault("GS-2: docs/differences.md has no row 7")


if __name__ == "__main__":
    unittest.main()
