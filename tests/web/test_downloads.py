from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.tables import csv_bytes, csv_parts
from workbench.web.downloads import attachment, csv_file


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("a b.tsv", 'attachment; filename="a b.tsv"'),
        ('a"b\\c/d\n.tsv', 'attachment; filename="a-b-c-d-.tsv"'),
        ("prüf.tsv", "attachment; filename=\"pr_f.tsv\"; filename*=UTF-8''pr%C3%BCf.tsv"),
    ],
)
def test_a_file_has_a_name_that_every_browser_can_read(name: str, header: str) -> None:
    assert attachment(b"x", name).headers["Content-Disposition"] == header


def test_a_table_keeps_commas_quotes_and_gaps() -> None:
    answer = csv_file(("a", "b"), [("x,y", None), ('say "no"', 0.1)], "t.csv")
    assert answer.get_data(as_text=True) == 'a,b\n"x,y",\n"say ""no""",0.1\n'


def test_a_long_table_is_written_while_its_rows_are_taken() -> None:
    taken: list[int] = []

    def rows() -> Iterator[tuple[int, str]]:
        for number in range(2_500):
            taken.append(number)
            yield number, "=1"

    parts, then = [], []
    for part in csv_parts(("n", "cell"), rows()):
        parts.append(part)
        then.append(len(taken))
    # The header is the first of a part's thousand rows.
    assert then == [999, 1999, 2500]
    assert b"".join(parts) == csv_bytes(("n", "cell"), [(number, "=1") for number in range(2_500)])
