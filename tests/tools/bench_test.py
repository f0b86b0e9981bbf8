# SPDX-License-Identifier: Apache-2.0
"""Tests of ./dev bench: samples, rows, budgets, comparison of runs, plots. Measures nothing."""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "bench"))

import bench  # noqa: E402
import compare  # noqa: E402
import kernel_report  # noqa: E402
import options  # noqa: E402
import parts  # noqa: E402
import plot  # noqa: E402
import report  # noqa: E402
import result  # noqa: E402
import rows  # noqa: E402
from rows import Row  # noqa: E402
from sample import Sample, from_json, quantity, to_json  # noqa: E402


def state_of(row: Row, ours: float | None, peer: float | None = None) -> result.State:
    return result._state(row, ours and Sample(ours), peer and Sample(peer))


class SampleTest(unittest.TestCase):
    def test_of_several_rounds(self):
        sample = Sample.of([4.0, 2.0, 3.0, 5.0, 6.0], "ns")
        self.assertEqual((sample.least, sample.median, sample.rounds), (2.0, 4.0, 5))
        self.assertAlmostEqual(sample.spread, (5.0 - 3.0) / 4.0)
        self.assertAlmostEqual(sample.noise, 1.0)

    def test_of_one_round_has_no_spread(self):
        self.assertEqual(Sample.of([7.0], "MB"), Sample(7.0, unit="MB"))
        self.assertIsNone(Sample.of([7.0]).noise)

    def test_of_nothing_at_all_has_no_spread(self):
        self.assertEqual(Sample.of([0.0, 0.0], "bytes"), Sample(0.0, 0.0, None, 2, "bytes"))

    def test_merged_takes_the_least_of_both_and_the_quieter_median(self):
        loud, quiet = Sample(2.0, 9.0, 0.5, 10), Sample(3.0, 4.0, 0.1, 10)
        self.assertEqual(loud.merged(quiet), Sample(2.0, 4.0, 0.1, 20))

    def test_json_round_trip(self):
        samples = {"c:x": Sample(1.5, 2.0, 0.1, 25), "size:x": Sample(3.0, unit="MB")}
        self.assertEqual(from_json(json.loads(json.dumps(to_json(samples)))), samples)

    def test_the_first_form_of_json_is_read(self):
        old = {"c:x": {"value": 2.0, "noise": 0.5}, "size:x": {"value": 1.0, "noise": None}}
        self.assertEqual(
            from_json(old), {"c:x": Sample(2.0, 3.0), "size:x": Sample(1.0, unit="MB")}
        )

    def test_quantities(self):
        self.assertEqual(quantity(5.123, "ns"), "5.12 ns")
        self.assertEqual(quantity(12345.0, "ns"), "12.3 µs")
        self.assertEqual(quantity(2.1e9, "ns"), "2.1 s")
        self.assertEqual(quantity(1617, "bytes"), "1 617 bytes")


class KernelTest(unittest.TestCase):
    SAMPLES = {
        "kernel:tenon/add/float32/contiguous/16/1": Sample(100.0),
        "kernel:torch/add/float32/contiguous/16/1": Sample(400.0),
        "kernel:tenon/add/float32/contiguous/65536/1": Sample(2000.0),
        "kernel:torch/add/float32/contiguous/65536/1": Sample(1000.0),
        "kernel:numpy/add/float32/contiguous/65536/1": Sample(4000.0),
        "kernel:tenon/mm/float32/contiguous/65536/1": Sample(1000.0),
        "kernel:torch/mm/float32/contiguous/65536/1": Sample(2000.0),
        "kernel:tenon/program/MLP step/2": Sample(1000.0),
        "kernel:torch/program/MLP step/2": Sample(3000.0),
        "kernel:roof/copy/65536/1": Sample(100.0, unit="G/s"),
        "kernel:roof/peak": Sample(200.0, unit="G/s"),
    }
    FACTS = {
        "tenon/add/float32/contiguous/65536/1": {"nbytes": 100000, "flops": 0},
        "tenon/mm/float32/contiguous/65536/1": {"nbytes": 100000, "flops": 100000},
    }

    def test_means_are_geometric_and_leave_programs_out(self):
        means = kernel_report.means(kernel_report.rows(self.SAMPLES))
        self.assertAlmostEqual(means["above_1k/1"], 1.0)
        self.assertAlmostEqual(means["up_to_1k/1"], 4.0)
        self.assertAlmostEqual(means["least_above_1k/1"], 0.5)
        self.assertNotIn("above_1k/2", means)

    def test_rows_below_the_limit_are_listed_alone(self):
        slow = kernel_report.slow(kernel_report.rows(self.SAMPLES))
        self.assertEqual([line[0] for line in slow], ["add/float32/contiguous/65536"])
        self.assertEqual(slow[0][2], "0.50")

    def test_shares_of_the_roof(self):
        rows = {row.name: row for row in kernel_report.rows(self.SAMPLES)}
        add, product = (rows[f"{op}/float32/contiguous/65536"] for op in ("add", "mm"))
        # 50 of 100 bytes per nanosecond, and 100 of 200 operations.
        self.assertEqual(kernel_report.share(add, self.FACTS, self.SAMPLES), "50%")
        self.assertEqual(kernel_report.share(product, self.FACTS, self.SAMPLES), "50% of peak")

    def test_section_has_all_rows_and_the_plot(self):
        text = "\n".join(
            kernel_report.section(self.SAMPLES, self.FACTS, report.table, "kernel-speed")
        )
        self.assertIn("kernel-speed/kernel-speeds.svg", text)
        self.assertIn("program/MLP step", text)
        self.assertIn("| whole programs | 2 ", text)
        xml.fromstring(kernel_report.drawing(self.SAMPLES))

    def test_nothing_measured_is_nothing_said(self):
        self.assertEqual(kernel_report.section({}, {}, report.table, ""), [])


class RowTest(unittest.TestCase):
    def test_limits_with_and_without_a_peer(self):
        self.assertIs(state_of(Row("x", "c:x", limit=80), 80), result.State.MET)
        self.assertIs(state_of(Row("x", "c:x", limit=80), 81), result.State.MISSED)
        beside = Row("x", "c:x", "c:p/x", "p", 0.25)
        self.assertIs(state_of(beside, 1, 4), result.State.MET)
        self.assertIs(state_of(beside, 1.1, 4), result.State.MISSED)
        self.assertIs(state_of(beside, 1.1), result.State.NO_PEER)
        self.assertIs(state_of(beside, None, 4), result.State.LEFT_OUT)

    def test_a_floor_is_met_from_above(self):
        row = Row("x", "many:x", limit=1.95, at_least=True)
        self.assertIs(state_of(row, 1.99), result.State.MET)
        self.assertIs(state_of(row, 1.9), result.State.MISSED)
        used = result.Result("s", row, result.State.MISSED, Sample(1.3)).used
        self.assertAlmostEqual(used, 1.5)

    def test_a_name_that_nobody_prints_is_lost(self):
        run = bench.Bench()
        for row in rows.ROWS:
            for name in (row.ours, row.peer):
                if name:
                    run.put(name, Sample(1.0))
        self.assertEqual(result.fill(run)[1], [])
        del run.samples["c:typed_2_tensors"], run.samples["c:torch/typed_2_tensors"]
        self.assertEqual(result.fill(run)[1], ["c:typed_2_tensors", "c:torch/typed_2_tensors"])

    def test_a_name_that_was_left_out_is_not_lost(self):
        run = bench.Bench()
        for _, prefixes in parts.PARTS.values():
            for prefix in prefixes:
                run.skipped[prefix] = bench.OTHER_PART
        results, lost = result.fill(run)
        self.assertEqual(lost, [])
        self.assertEqual({one.state for one in results}, {result.State.LEFT_OUT})

    def test_each_row_occurs_once_and_belongs_to_a_part(self):
        pairs = [(row.ours, row.peer) for row in rows.ROWS]
        self.assertEqual(len(pairs), len(set(pairs)))
        prefixes = tuple(one for _, prefixes in parts.PARTS.values() for one in prefixes)
        for row in rows.ROWS:
            self.assertTrue(row.ours.startswith(prefixes), row.ours)
            self.assertEqual(bool(row.peer), bool(row.peer_name), row)
            self.assertTrue(not row.peer or row.peer.startswith(prefixes), row.peer)

    def test_the_options_name_the_parts(self):
        self.assertEqual(tuple(options.PARTS), tuple(parts.PARTS))
        args = options.parser().parse_args(["--only", "c", "--only", "rust", "--json"])
        self.assertEqual((args.only, args.json), (["c", "rust"], "-"))


class CompareTest(unittest.TestCase):
    def compared(self, before: dict, now: dict) -> str:
        run = bench.Bench()
        for name, value in now.items():
            run.put(name, Sample(value))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "before.json"
            samples = {name: Sample(value) for name, value in before.items()}
            path.write_text(json.dumps({"samples": to_json(samples)}))
            return compare.text(run, compare.opened(str(path), quick=True))

    def test_verdicts(self):
        text = self.compared({"c:a": 10, "c:b": 10, "c:c": 10}, {"c:a": 8, "c:b": 10.2, "c:c": 12})
        for name, verdict in (("a", "less"), ("b", "same"), ("c", "**more**")):
            line = next(one for one in text.splitlines() if f"`c:{name}`" in one)
            self.assertIn(f"| {verdict} ", line)

    def test_counts_are_held_more_strictly_than_times(self):
        count, time = (Sample(value, unit="instructions") for value in (100, 101)), (100, 101)
        self.assertEqual(compare._change(*count)[-1], "**more**")
        self.assertEqual(compare._change(*map(Sample, time))[-1], "same")

    def test_a_noisy_measurement_is_given_the_doubt(self):
        then, now = Sample(10, 12, 0.3, 20), Sample(11, 12, 0.1, 20)
        self.assertEqual(compare._change(then, now)[-1], "same")

    def test_names_that_came_and_went_are_listed(self):
        text = self.compared(
            {"c:gone": 1, "java:other": 1, "c:stays": 1}, {"c:stays": 1, "c:new": 1}
        )
        self.assertIn("Only before: `c:gone`.", text)
        self.assertIn("Only now: `c:new`.", text)

    def test_a_reference_that_is_nothing_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "must be a file or a revision"):
            compare.opened("no-such-revision-anywhere", quick=True)


class PlotTest(unittest.TestCase):
    def circles(self, text: str) -> dict[str, float]:
        found = {}
        for circle in xml.fromstring(text).iter("{http://www.w3.org/2000/svg}circle"):
            found[circle[0].text] = float(circle.get("cx"))
        return found

    def test_dots_stand_where_their_logarithm_is(self):
        text = plot.dots("t", "ns", [plot.Line("a < b", 1.0, {"ten": 10.0, "hundred": 100.0})])
        places = self.circles(text)
        ours, ten, hundred = (
            places[one] for one in ("ours: 1 ns", "ten: 10 ns", "hundred: 100 ns")
        )
        self.assertAlmostEqual(ten - ours, hundred - ten, delta=0.2)
        self.assertLess(ours, ten)

    def test_a_missed_budget_looks_different(self):
        text = plot.budgets("t", [("good", 0.5), ("bad", 1.5)])
        kinds = [
            one.get("class") for one in xml.fromstring(text).iter() if one.tag.endswith("rect")
        ]
        self.assertEqual(kinds, ["met", "missed"])

    def test_nothing_used_of_a_budget_is_drawn_at_the_low_end(self):
        xml.fromstring(plot.budgets("t", [("nothing", 0.0), ("good", 0.5)]))

    def test_the_page_and_its_plots_are_written_and_old_plots_go(self):
        run = bench.Bench()
        for row in rows.ROWS:
            for name in filter(None, (row.ours, row.peer)):
                run.put(name, Sample(2.0, 2.2, 0.1, 20))
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "performance.md"
            (pathlib.Path(folder) / "performance").mkdir()
            (pathlib.Path(folder) / "performance" / "old.svg").write_text("")
            report.write(page, run, result.fill(run)[0], ["a machine"])
            folder = page.parent / "performance"
            shown = set()
            for text in (page.read_text(), (folder / "tables.md").read_text()):
                lines = [line for line in text.splitlines() if line[:1] == "!"]
                shown |= {line.split("(")[1][:-1].rsplit("/", 1)[1] for line in lines}
            made = {one.name for one in folder.glob("*.svg")}
            self.assertEqual(shown, made)
            self.assertIn("budgets.svg", made)
            for one in made:
                xml.parse(folder / one)
            self.assertLessEqual(len(page.read_text().splitlines()), 150)
            self.assertIn("](performance/tables.md)", page.read_text())


if __name__ == "__main__":
    unittest.main()
