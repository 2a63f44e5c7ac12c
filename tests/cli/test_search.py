"""`workbench search`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.learning.small_collection import TEXTS
from workbench.cli.search import _with_progress, command
from workbench.errors import WorkbenchError
from workbench.records import CLUSTER_PREFIX, Document, SearchCluster
from workbench.searching.engine import EngineUnavailable
from workbench.searching.opensearch_engine import client_of


@pytest.fixture
def docs(tmp_path: Path) -> str:
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(json.dumps({"id": docno, "text": text}) for docno, text in TEXTS.items()))
    return str(path)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_indexing_is_shown_on_a_terminal_once_it_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [Document(docno, "", text) for docno, text in TEXTS.items()]
    assert list(_with_progress(iter(documents))) == documents
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("workbench.cli.search.SHOWN_EVERY", 1)
    monkeypatch.setenv("TERM", "xterm")
    assert list(_with_progress(iter(documents))) == documents
    assert "Indexing" in capsys.readouterr().err


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


def test_a_cluster_finds_the_same_and_keeps_no_index(
    docs: str, cluster: SearchCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_OPENSEARCH_LOGIN", cluster.login)
    monkeypatch.setenv("WORKBENCH_OPENSEARCH_PASSWORD", cluster.password)
    found = []
    for more in ((), ("--opensearch", cluster.nodes[0])):
        answer = json.loads(invoke(docs, "wing -slipstream", "--json", *more).stdout)
        found.append({hit["docno"]: hit["fragments"] for hit in answer["hits"]})
    assert answer["engine"].startswith("opensearch")
    assert found[0] == found[1] != {}
    assert client_of(cluster).indices.get(index=f"{CLUSTER_PREFIX}-command-*") == {}


def test_a_cluster_that_is_away_is_named(docs: str) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        invoke(docs, "wing", "--opensearch", "http://127.0.0.1:9")
    assert "127.0.0.1:9" in raised.value.message


def test_an_address_with_a_password_is_refused_and_not_repeated(docs: str) -> None:
    with pytest.raises(WorkbenchError) as raised:
        invoke(docs, "wing", "--opensearch", "https://ada:a-password@localhost:9200")
    assert "a-password" not in str(raised.value)
