"""Answers to probes as a table."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from workbench.errors import WorkbenchError
from workbench.formats.graded_pairs import HEADER, ProbeLine, write_probe_answers

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
LINE = ProbeLine(
    "T1", "d\udce9", "Ada", False, "repeat", None, False, ("unsure", None, NOON), ("grade", 2, NOON), None
)


def test_a_line_has_a_cell_for_every_column_and_ids_to_the_byte() -> None:
    header, line = write_probe_answers([LINE])
    assert header.decode().split() == list(HEADER)
    assert line == (
        b"T1\td\xe9\tAda\tno\trepeat\t\tno\tunsure\t\t2026-11-02T12:00:00+00:00"
        b"\tgrade\t2\t2026-11-02T12:00:00+00:00\t\n"
    )


@pytest.mark.parametrize("wrong", [replace(LINE, docno="d 1"), replace(LINE, assessor="A\tda")])
def test_what_would_not_survive_is_refused(wrong: ProbeLine) -> None:
    with pytest.raises(WorkbenchError, match=r"cannot be (written|used)"):
        list(write_probe_answers([wrong]))
