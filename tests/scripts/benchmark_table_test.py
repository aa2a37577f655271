"""The table of scripts/benchmark says what was measured, and a quick run fails where a limit is missed by far."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib" / "benchmark_table.py"
MARKS = ("<!-- figures: scripts/benchmark --page writes them -->", "<!-- end of the figures -->")


def report(times):
    """What Google Benchmark writes: one run for each repetition."""
    runs = []
    for name, values in times.items():
        for value in values:
            run = {"run_name": name, "run_type": "iteration", "cpu_time": value, "real_time": value, "time_unit": "ns"}
            runs.append(run)
    return json.dumps({"benchmarks": runs})


class BenchmarkTableTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make(self, *options, **files):
        for name, times in files.items():
            (self.folder / f"{name}.json").write_text(report(times))
        return subprocess.run(
            [sys.executable, SCRIPT, self.folder, *options], capture_output=True, text=True, check=False
        )

    def native(self, more):
        return {"bare_callable": [10, 10, 11], "monitored_no_hooks": [10 + more, 11 + more, 12 + more]}

    def test_gives_the_difference_of_the_medians(self):
        made = self.make(native_step=self.native(5))
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("| native, no hooks − bare callable | 10 ns | 16 ns | 6 ns |", made.stdout)
        self.assertIn("| ≤ 15 ns | yes |", made.stdout)
        figures = json.loads((self.folder / "figures.json").read_text())
        self.assertEqual(figures["rows"][0]["median"], 6)

    def test_a_quick_run_fails_only_where_a_limit_is_missed_by_more_than_a_fifth(self):
        little, much = self.native(16), self.native(30)
        self.assertEqual(self.make("--quick", native_step=little).returncode, 0)
        self.assertIn("**no**", self.make(native_step=much).stdout)
        made = self.make("--quick", native_step=much)
        self.assertEqual(made.returncode, 1)
        self.assertIn("missed by", made.stderr)

    def test_auto_is_compared_with_the_best_of_the_others(self):
        times = {"g/auto/real_time": [110] * 3, "g/single/real_time": [200] * 3, "g/pool/real_time": [100] * 3}
        self.assertIn("`g`, executor `auto` / best (pool) | 100 ns | 110 ns | 1.1 |", self.make(executors=times).stdout)

    def test_a_bandwidth_must_be_at_least_its_limit(self):
        times = {"memcpy_alone": [50] * 3, "shuffled_batches": [100] * 3}
        made = self.make("--quick", npy_input=times)
        self.assertEqual(made.returncode, 1)
        self.assertIn("| 0.5 | 0.5 – 0.5 | ≥ 0.8 | **no** |", made.stdout)

    def test_puts_the_table_between_the_marks_of_a_page(self):
        page = self.folder / "page.md"
        page.write_text(f"before\n{MARKS[0]}\nstale\n{MARKS[1]}\nafter\n")
        self.assertEqual(self.make("--page", page, native_step=self.native(5)).returncode, 0)
        text = page.read_text()
        self.assertNotIn("stale", text)
        self.assertTrue(text.startswith(f"before\n{MARKS[0]}\nMeasured "))
        self.assertTrue(text.endswith(f"{MARKS[1]}\nafter\n"))
        page.write_text("no marks\n")
        self.assertNotEqual(self.make("--page", page, native_step=self.native(5)).returncode, 0)


if __name__ == "__main__":
    unittest.main()
