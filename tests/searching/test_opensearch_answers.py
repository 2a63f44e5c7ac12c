"""What a cluster may answer instead of results: each is an error in plain words, none has the password."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
from werkzeug.wrappers import Response

from tests.certificates import localhost_certificate
from tests.servers import served_here
from workbench.errors import WorkbenchError
from workbench.records import Document, SearchCluster
from workbench.searching import opensearch_engine
from workbench.searching.engine import EngineUnavailable, RefusedQuery, UnwritableIndex, read_query
from workbench.searching.opensearch_engine import IndexedDocument, OpenSearchEngine, client_of

JSON = "application/json"
PASSWORD = "a password of the cluster"


class Cluster:
    """A server that answers as it is told, one answer after another, the last one for ever."""

    def __init__(self) -> None:
        self.answers: list[Response] = []
        self.asked: list[str] = []

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        self.asked.append(environ["PATH_INFO"])
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(environ, start_response)

    def pause(self) -> None:
        """Nothing goes on here."""


@pytest.fixture
def server() -> Cluster:
    return Cluster()


@pytest.fixture
def engine(server: Cluster) -> Iterator[OpenSearchEngine]:
    with served_here(server) as url:
        yield OpenSearchEngine(SearchCluster((url,), "ada", PASSWORD), "an-index")


def refusing(status: int, kind: str = "", reason: str = "") -> Response:
    body = {"error": {"type": kind, "reason": reason, "root_cause": [{"type": kind, "reason": reason}]}}
    return Response(json.dumps(body | {"status": status}), status, content_type=JSON)


def answered(items: list[int]) -> Response:
    """The answer to a portion: the status of each document."""
    lines = [
        {"index": {"_id": str(place), "status": status}}
        | (
            {}
            if status < 400
            else {"index": {"_id": str(place), "status": status, "error": {"reason": "why"}}}
        )
        for place, status in enumerate(items)
    ]
    return Response(json.dumps({"errors": True, "items": lines}), 200, content_type=JSON)


@pytest.mark.parametrize(
    "answer",
    [
        refusing(401),
        refusing(403, "security_exception", "no permissions for [indices:data/read/search]"),
        refusing(400, "too_many_clauses", "maxClauseCount is set to 1024"),
        refusing(429, "circuit_breaking_exception", "Data too large"),
        refusing(503),
        Response("<h1>A proxy</h1>", 200, content_type="text/html"),
        Response("<h1>A proxy</h1>", 502, content_type="text/html"),
    ],
    ids=["login", "rights", "clauses", "memory", "down", "page", "proxy"],
)
def test_a_cluster_that_refuses_is_one_error_without_the_password(
    server: Cluster, engine: OpenSearchEngine, answer: Response, caplog: pytest.LogCaptureFixture
) -> None:
    server.answers = [answer]
    with caplog.at_level(logging.DEBUG), pytest.raises(EngineUnavailable) as raised:
        engine.search(read_query("wing"), limit=1)
    assert raised.value.remedy
    assert PASSWORD not in f"{raised.value} {caplog.text} {engine.cluster!r}"


def test_a_query_that_is_refused_is_told_from_a_cluster_that_is_away(
    server: Cluster, engine: OpenSearchEngine
) -> None:
    server.answers = [refusing(400, "too_many_clauses"), refusing(503)]
    with pytest.raises(RefusedQuery):
        engine.count(read_query("wing"))
    with pytest.raises(EngineUnavailable) as away:
        engine.count(read_query("wing"))
    assert not isinstance(away.value, RefusedQuery)


def test_a_cluster_that_is_away_or_silent_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        cluster = SearchCluster((f"http://127.0.0.1:{silent.getsockname()[1]}",))
        with pytest.raises(EngineUnavailable):
            OpenSearchEngine(cluster, "an-index").search(read_query("wing"), limit=1)
        silent.listen()
        monkeypatch.setattr("workbench.searching.opensearch_engine.SEARCH_SECONDS", 0.05)
        waiting = replace(cluster, prefix="waiting")
        with pytest.raises(EngineUnavailable):
            OpenSearchEngine(waiting, "an-index").search(read_query("wing"), limit=1)


def test_a_file_of_certificates_that_is_missing_is_named() -> None:
    cluster = SearchCluster(("https://localhost:1",), authorities="/nowhere/authority.pem")
    with pytest.raises(WorkbenchError) as raised:
        client_of(cluster)
    assert "/nowhere/authority.pem" in raised.value.message


def test_a_certificate_that_nobody_vouches_for_is_refused_before_the_password_is_sent(
    server: Cluster, tmp_path: Path
) -> None:
    certificate = localhost_certificate(tmp_path / "localhost.pem")
    server.answers = [Response('{"hits": {"hits": [], "total": {"value": 0}}}', 200, content_type=JSON)]
    with served_here(server, certificate) as url:
        cluster = SearchCluster((url,), "ada", PASSWORD)
        with pytest.raises(EngineUnavailable):
            OpenSearchEngine(cluster, "an-index").count(read_query("wing"))
        assert server.asked == []
        trusted = replace(cluster, authorities=str(certificate))
        assert OpenSearchEngine(trusted, "an-index").count(read_query("wing")) == 0


DOCUMENTS = [Document(f"d{number}", "", "wing") for number in range(3)]


def test_what_a_busy_cluster_refuses_is_sent_again(
    server: Cluster, engine: OpenSearchEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opensearch_engine, "FIRST_PAUSE", 0)
    # The whole portion, then one of three documents; a later text that is there already is no error.
    server.answers = [refusing(429), answered([201, 429, 409]), answered([201]), refusing(200)]
    engine.write(IndexedDocument(one, "") for one in DOCUMENTS)
    assert server.asked == ["/an-index/_bulk"] * 3 + ["/an-index/_refresh"]


# A full disk; an index that was deleted meanwhile.
@pytest.mark.parametrize("status", [403, 404])
def test_a_document_that_cannot_be_written_is_an_error(
    server: Cluster, engine: OpenSearchEngine, status: int
) -> None:
    server.answers = [answered([201, status, 201])]
    with pytest.raises(UnwritableIndex):
        engine.write(IndexedDocument(one, "") for one in DOCUMENTS)
