"""`workbench search`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.learning.small_collection import TEXTS
from workbench.cli.search import command


@pytest.fixture
def docs(tmp_path: Path) -> str:
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(json.dumps({"id": docno, "text": text}) for docno, text in TEXTS.items()))
    return str(path)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_hits_are_printed_with_their_sentences_and_what_was_understood(docs: str) -> None:
    done = invoke(docs, "wing -slipstream", "--explain")
    assert done.exit_code == 0
    assert "without slipstream" in done.stderr
    assert "*wing*" in done.stdout
    assert [line.split("\t")[1] for line in done.stdout.splitlines() if line[0] != "\t"] == ["d1"]


def test_json_has_what_was_typed_and_understood_and_every_mark(docs: str) -> None:
    found = json.loads(invoke(docs, '"wing"', "--json", "--explain", "-n", "1").stdout)
    assert found["query"] == '"wing"'
    assert found["documents"] == len(TEXTS)
    assert found["found"] == sum("wing" in text.split() for text in TEXTS.values())
    (hit,) = found["hits"]
    assert any(piece["marked"] for fragment in hit["fragments"] for piece in fragment["pieces"])
    assert hit["explanation"][0]["score"] == pytest.approx(hit["score"])


def test_a_query_that_finds_nothing_is_no_error(docs: str) -> None:
    done = invoke(docs, "((*", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["hits"] == []


def test_standard_input_cannot_be_read_twice() -> None:
    assert invoke("-", "wing").exit_code == 2
