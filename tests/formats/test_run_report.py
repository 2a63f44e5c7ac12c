"""Reports on checked runs, as they are stored and printed."""

from __future__ import annotations

from workbench.errors import Finding
from workbench.formats.run_report import Repair, RunReport, report_from_json, report_to_json

WRONG = Finding("a.run", 2, "rank", "the rank is no number", "write a whole number")
REPORT = RunReport("a.run", "alpha", 1, 2, "f" * 64, 1, (WRONG,), (), Repair(("ranks renumbered",), 0))


def test_a_stored_report_comes_back() -> None:
    assert report_from_json(report_to_json(REPORT)) == REPORT
