"""How the terminal speaks of what is no UTF-8."""

from __future__ import annotations

import pytest

from workbench.cli.output import print_csv, printable


def test_csv_keeps_the_bytes_of_ids_and_leaves_cells_without_value_empty(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    print_csv(("topic", "doc", "value"), [("1", "d\udce9", None), ("2", 'a "b", c', 0.5)])
    assert capsysbinary.readouterr().out == b'topic,doc,value\n1,d\xe9,\n2,"a ""b"", c",0.5\n'


def test_a_terminal_gets_a_question_mark_for_a_byte_that_was_no_utf8() -> None:
    assert printable("d\udce9 é") == "d? é"
    assert printable(3) == "3"
