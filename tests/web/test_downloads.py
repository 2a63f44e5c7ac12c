from __future__ import annotations

import pytest

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
