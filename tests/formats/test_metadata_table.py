"""Tables of what is said of runs."""

from __future__ import annotations

import gzip
import io

import pytest

from workbench.errors import InvalidInput
from workbench.formats.metadata_table import MetadataTable, read_metadata_table


def read(content: str | bytes) -> MetadataTable:
    data = content.encode() if isinstance(content, str) else content
    return read_metadata_table(io.BytesIO(data), source="r.csv")


@pytest.mark.parametrize("parted", ["\t", ",", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tabs_commas_and_semicolons_part_the_cells(parted: str, end: str) -> None:
    rows = [("Tag", " kind ", "note"), ("a", "manual", "x"), ("b", "", "")]
    table = read(end.join(parted.join(row) for row in rows) + end + end)
    assert table.columns == ("kind",)
    assert table.ignored == ("note",)
    assert [(row.line, row.tag, dict(row.cells)) for row in table.rows] == [
        (2, "a", {"kind": "manual"}),
        (3, "b", {"kind": ""}),
    ]


def test_gzip_a_byte_order_mark_and_quotes_are_read() -> None:
    text = '\ufefftag,description\na,"one, ""two""\nthree"\nb,four\n'
    table = read(gzip.compress(text.encode()))
    assert [(row.line, row.cells["description"]) for row in table.rows] == [
        (2, 'one, "two"\nthree'),
        (4, "four"),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [(None, "empty")]),
        ("\n \n", [(None, "empty")]),
        ("tag,kind\n", [(None, "empty")]),
        ("group,kind\nx,y\n", [(1, "header")]),
        ("tag\na\n", [(1, "header")]),
        ("tag,verdict\na,accepted\n", [(1, "header")]),
        ("tag,tag,kind\na,b,c\n", [(1, "header")]),
        (
            "tag,kind\na\nb,c,d\n,manual\na,x\na,y\n",
            [(2, "columns"), (3, "columns"), (4, "tag"), (6, "repeated")],
        ),
        ('tag,kind\na,"open\n', [(2, "quotes")]),
        (b"tag,kind\ncaf\xe9,manual\n", [(2, "encoding")]),
        (b"tag,kind\na\0,manual\n", [(2, "binary")]),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str | bytes, found: list[tuple[int | None, str]]) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(text)
    assert [(finding.line, finding.code) for finding in refused.value.findings] == found
