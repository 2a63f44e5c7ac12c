"""How the terminal speaks of what is no UTF-8."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.agreement.intervals import Interval
from workbench.cli.agreement_output import bounds_in_words, four
from workbench.cli.output import (
    COLLECTED_IN_MEMORY,
    collected,
    print_collected,
    print_csv,
    printable,
    say_short,
)
from workbench.errors import WorkbenchError


def test_csv_keeps_the_bytes_of_ids_and_leaves_cells_without_value_empty(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    print_csv(("topic", "doc", "value"), [("1", "d\udce9", None), ("2", 'a "b", c', 0.5)])
    assert capsysbinary.readouterr().out == b'topic,doc,value\n1,d\xe9,\n2,"a ""b"", c",0.5\n'


def test_a_value_that_is_nearly_nothing_has_no_sign(capsys: pytest.CaptureFixture[str]) -> None:
    # As the lower bound of an interval comes out of resampling.
    say_short(("name", "value"), [("a", -2e-16), ("b", -0.0004), ("c", -0.0006)])
    assert capsys.readouterr().out == "name\tvalue\na\t0.000\nb\t0.000\nc\t-0.001\n"
    nearly = Interval(-2e-16, 0.25, 0.95, "bootstrap", 4)
    assert (four(-2e-16), bounds_in_words(nearly)) == ("0.0000", "0.000 to 0.250")


def test_a_terminal_gets_a_question_mark_for_a_byte_that_was_no_utf8() -> None:
    assert printable("d\udce9 é") == "d? é"
    assert printable(3) == "3"


def test_an_error_in_the_middle_prints_no_half(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    def parts() -> Iterator[bytes]:
        yield b"x" * (COLLECTED_IN_MEMORY + 1)
        raise WorkbenchError("one id is odd")

    with pytest.raises(WorkbenchError):
        print_collected(collected(parts()))
    assert capfdbinary.readouterr().out == b""
