#!/usr/bin/env python3
"""The table of estimators beside measured memory (tools/compare_estimators.py): it agrees with what
was measured and with what the program says today, and no other tool errs less on its own rows.

Environment: as cli_test.py. GPUREADY_UPDATE=1 writes our column anew.
"""

import csv
import os
import pathlib
import statistics
import sys
import unittest

SOURCE = pathlib.Path(os.environ["GPUREADY_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "tools"))

import estimator_rows as rows  # noqa: E402

TABLE = SOURCE / "tests/fit/tables" / rows.TABLE


class Table(unittest.TestCase):
    def test_every_measured_row_has_a_line_of_each_tool(self):
        lines = [(line["id"], line["tool"]) for line in rows.table_rows(TABLE)]
        self.assertEqual(lines, [(row["id"], tool) for row in rows.measured_rows()
                                 for tool in rows.TOOLS])

    def test_a_line_is_an_estimate_with_its_ratio_or_the_reason_for_none(self):
        measured = {row["id"]: row["measured_bytes"] for row in rows.measured_rows()}
        for line in rows.table_rows(TABLE):
            with self.subTest(line["id"] + " " + line["tool"]):
                self.assertEqual(int(line["measured_bytes"]), round(measured[line["id"]]))
                self.assertTrue(line["version"] and line["how"])
                self.assertEqual(line["ratio"] == "", line["how"].startswith("none: "))
                if line["ratio"]:
                    ratio = int(line["estimate_bytes"]) / measured[line["id"]]
                    self.assertEqual(line["ratio"], f"{ratio:.4f}")

    def test_each_tool_takes_rows_and_in_the_middle_errs_more_than_we_do_on_them(self):
        of = rows.ratios(TABLE)
        self.assertEqual(len(of["gpuready"]), len(rows.measured_rows()))
        for tool in rows.TOOLS[1:]:
            with self.subTest(tool):
                theirs, ours = (statistics.median(rows.errors(of[side], of[tool]))
                                for side in (tool, "gpuready"))
                self.assertGreater(len(of[tool]), 30)
                self.assertLess(ours, theirs)

    def test_the_documentation_tells_the_same(self):
        text = (SOURCE / "docs/measured.md").read_text(encoding="utf-8")
        for line in rows.summary(rows.ratios(TABLE)):
            self.assertIn(line, text)


class Ours(unittest.TestCase):
    def test_our_column_is_what_the_program_says(self):
        lines = rows.table_rows(TABLE)
        said = {row["id"]: rows.ours(row) for row in rows.measured_rows()}
        if os.environ.get("GPUREADY_UPDATE") == "1":
            return self.write(lines, said)
        for line in (line for line in lines if line["tool"] == "gpuready"):
            with self.subTest(line["id"]):
                self.assertEqual((int(line["estimate_bytes"]), line["how"]), said[line["id"]],
                                 "GPUREADY_UPDATE=1 writes it anew, docs/measured.md tells of it")

    def write(self, lines, said):
        measured = {row["id"]: row["measured_bytes"] for row in rows.measured_rows()}
        for line in (line for line in lines if line["tool"] == "gpuready"):
            figure, line["how"] = said[line["id"]]
            line["estimate_bytes"] = figure
            line["ratio"] = f"{figure / measured[line['id']]:.4f}"
        with TABLE.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows.COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
        print("\n".join(rows.summary(rows.ratios(TABLE))))


if __name__ == "__main__":
    unittest.main(verbosity=2)
