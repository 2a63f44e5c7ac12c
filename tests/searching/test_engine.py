"""What every engine does, on each of them: ids, order of pages, errors; scores on the embedded one alone.

Our own cluster of `tests/clusters.py` has other scores than OpenSearch, and keeps the rest of its protocol.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.searching.test_query import PIECES
from tests.support import examples, shared
from workbench.errors import Conflict
from workbench.formats.documents import read_documents
from workbench.formats.qrels import read_qrels
from workbench.formats.topics import read_topics
from workbench.records import Document, Ranking, Run, SearchCluster
from workbench.scoring.scorer import Scorer
from workbench.searching.engine import ClauseRole, DamagedIndex, DocnoFilter, SearchEngine, read_query
from workbench.searching.opensearch_engine import OpenSearchEngine
from workbench.searching.tantivy_engine import TantivyEngine

DOCUMENTS = (
    Document(
        "d1", "Lift of a wing", "<p>The lift of a <b>wing</b> falls at Mach 1.</p><p>Shocks appear.</p>"
    ),
    Document("d 2", "Drag", "The drag of a body before the wing, measured in wind tunnels &amp; flight."),
    Document("d3", "東京タワー", "東京は大きい。"),
    Document("d\udcff4", "Universities", "Étude of universities, naïve lifting."),
)


@pytest.fixture
def embedded(tmp_path: Path) -> TantivyEngine:
    made = TantivyEngine(tmp_path / "index")
    made.index(DOCUMENTS)
    return made


@pytest.fixture
def elsewhere(cluster: SearchCluster) -> OpenSearchEngine:
    made = OpenSearchEngine(cluster, f"{cluster.prefix}-engine")
    made.index(DOCUMENTS)
    return made


@pytest.fixture(params=["embedded", "elsewhere"])
def engine(request: pytest.FixtureRequest) -> SearchEngine:
    """Each engine, with the documents."""
    made: SearchEngine = request.getfixturevalue(request.param)
    return made


def found(engine: SearchEngine, typed: str, **among: Iterable[str]) -> set[str]:
    chosen = DocnoFilter(**{name: frozenset(docnos) for name, docnos in among.items()})
    return {one.docno for one in engine.search(read_query(typed), limit=10, among=chosen).documents}


@pytest.mark.parametrize(
    ("typed", "docnos"),
    [
        ("wing", {"d1", "d 2"}),
        ("wings", {"d1", "d 2"}),
        ("wing -drag", {"d1"}),
        ("-wing", {"d3", "d\udcff4"}),
        ('"a wing"', {"d1"}),
        ('"wing falls"', {"d1"}),
        ('"falls wing"', set()),
        ("title:wing", {"d1"}),
        ("title:lift OR title:drag", {"d1", "d 2"}),
        ("universi*", {"d\udcff4"}),
        ("UNIVERSI*", {"d\udcff4"}),
        # "body before the wing": three places apart, in either order.
        ("wing NEAR/3 body", {"d 2"}),
        ("body NEAR/3 wing", {"d 2"}),
        ("body NEAR/1 wing", set()),
        ("etude", {"d\udcff4"}),
        ("naïve", {"d\udcff4"}),
        ("東京", {"d3"}),
        ("京東", set()),
        ("タワー", {"d3"}),
        # Neither markup nor entities are words.
        ("amp", set()),
        ("b", set()),
        ("nothing", set()),
        ("...", set()),
    ],
)
def test_a_query_finds(engine: SearchEngine, typed: str, docnos: set[str]) -> None:
    assert found(engine, typed) == docnos
    assert engine.count(read_query(typed)) == len(docnos)


def test_every_form_of_query_on_one_index(engine: SearchEngine) -> None:
    best = engine.search(read_query("lift wing flight"), limit=1)
    assert (best.documents[0].docno, best.total) == ("d1", 3)


def test_documents_are_searched_among_some_or_without_others(engine: SearchEngine) -> None:
    assert found(engine, "wing", only={"d1", "d3"}) == {"d1"}
    assert found(engine, "wing", without={"d1"}) == {"d 2"}
    assert found(engine, "wing", only=set()) == set()


def test_the_parts_of_a_score_are_those_of_the_query(engine: SearchEngine) -> None:
    query = read_query('lift "wing" -drag')
    parts = engine.explain(query, "d1")
    assert [part.clause for part in parts] == ["lift", "“wing”"]
    assert engine.explain(query, "d 2") == ()


def test_the_parts_of_a_score_add_up(embedded: TantivyEngine) -> None:
    query = read_query('lift "wing" -drag')
    (best,) = embedded.search(query, limit=10).documents
    parts = embedded.explain(query, best.docno)
    assert sum(part.score for part in parts) == pytest.approx(best.score, rel=1e-5)


def test_documents_with_the_same_score_are_in_the_order_of_their_docnos(engine: SearchEngine) -> None:
    engine.index([Document(f"n{number}", "", "gust") for number in range(12)])
    # The bytes of n10 and n11 come before those of n2.
    pages = [engine.search(read_query("gust"), limit=limit) for limit in (3, 20)]
    assert [one.docno for one in pages[1].documents[:4]] == ["n0", "n1", "n10", "n11"]
    assert [(len(page.documents), page.total) for page in pages] == [(3, 12), (12, 12)]


def test_a_document_is_like_those_that_share_its_rarer_words(engine: SearchEngine) -> None:
    alike = engine.more_like(DOCUMENTS[0], limit=5)
    assert DOCUMENTS[0].docno not in {one.docno for one in alike.documents}
    assert alike.documents[0].docno == "d 2"
    assert engine.more_like(Document("new", "", "..."), limit=5).total == 0


def test_a_document_that_is_indexed_again_replaces_itself(engine: SearchEngine) -> None:
    engine.index([Document("d1", "", "turbulence")], removed=["d3"])
    assert found(engine, "turbulence") == {"d1"}
    assert found(engine, "wing") == {"d 2"}
    assert found(engine, "東京") == set()
    assert engine.version().documents == 3


def test_a_reader_sees_what_another_one_wrote(embedded: TantivyEngine, tmp_path: Path) -> None:
    other = TantivyEngine(tmp_path / "index")
    other.index([Document("new", "", "wing")])
    assert "new" in found(embedded, "wing")


def test_a_batch_that_fails_leaves_the_index_as_it_was(embedded: TantivyEngine) -> None:
    def failing() -> Iterable[Document]:
        yield Document("new", "", "wing")
        raise RuntimeError("the database went away")

    with pytest.raises(RuntimeError):
        embedded.index(failing())
    assert found(embedded, "wing") == {"d1", "d 2"}
    embedded.index([Document("new", "", "wing")])
    assert "new" in found(embedded, "wing")


def test_two_cannot_write_at_once(embedded: TantivyEngine, tmp_path: Path) -> None:
    other = TantivyEngine(tmp_path / "index")

    def meanwhile() -> Iterable[Document]:
        with pytest.raises(Conflict):
            other.index([Document("other", "", "wing")])
        yield Document("new", "", "wing")

    embedded.index(meanwhile())
    assert found(embedded, "wing") == {"d1", "d 2", "new"}


def test_an_index_that_is_damaged_says_so(embedded: TantivyEngine, tmp_path: Path) -> None:
    (tmp_path / "index" / "meta.json").write_text("{}")
    with pytest.raises(DamagedIndex):
        TantivyEngine(tmp_path / "index")
    with pytest.raises(DamagedIndex):
        embedded.search(read_query("wing"), limit=1)


def test_bytes_that_make_no_sense_are_damage(embedded: TantivyEngine, tmp_path: Path) -> None:
    embedded.index([Document(f"n{number}", "", "word " * 40 + f"w{number}") for number in range(300)])
    positions = max((tmp_path / "index").glob("*.pos"), key=lambda path: path.stat().st_size)
    # More bits a number than a number has: Rust's code panics.
    with positions.open("r+b") as file:  # never shorter meanwhile: it is mapped
        file.write(b"\xff" * (positions.stat().st_size - 100))
    with pytest.raises(DamagedIndex):
        TantivyEngine(tmp_path / "index").search(read_query('"word word"'), limit=1)


# A limit of the size of files stands for a disk without space.
FULL = """
import resource, sys
from pathlib import Path
from workbench.records import Document
from workbench.searching.engine import UnwritableIndex
from workbench.searching.engine import read_query
from workbench.searching.tantivy_engine import TantivyEngine
engine = TantivyEngine(Path(sys.argv[1]))
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
try:
    engine.index([Document("new", "", "wing")])
except UnwritableIndex:
    print(engine.search(read_query("wing"), limit=1).total)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
engine.index([Document("new", "", "wing")])
print(engine.search(read_query("wing"), limit=1).total)
"""


@pytest.mark.usefixtures("embedded")
def test_a_full_disk_leaves_an_index_that_can_be_searched_and_written_later(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL, str(tmp_path / "index")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "3"]
    # Nothing of the attempt in vain stays on the disk.
    assert not [path for path in (tmp_path / "index").iterdir() if path.name.startswith(".tmp")]


def _answers_whatever_is_typed(engine: SearchEngine, typed: str) -> None:
    query = read_query(typed)
    results = engine.search(query, limit=10)
    assert len(results.documents) <= results.total <= len(DOCUMENTS)
    for one in results.documents:
        asked = query.of(ClauseRole.RANKS) + query.of(ClauseRole.REQUIRED)
        assert len(engine.explain(query, one.docno)) == len(asked)


TYPED = st.lists(PIECES | st.text(max_size=4), max_size=12).map("".join)
ONE_INDEX = [HealthCheck.function_scoped_fixture]


@settings(max_examples=examples(100), deadline=None, suppress_health_check=ONE_INDEX)
@given(TYPED)
def test_no_query_is_an_error(embedded: TantivyEngine, typed: str) -> None:
    _answers_whatever_is_typed(embedded, typed)


@settings(max_examples=examples(8), deadline=None, suppress_health_check=ONE_INDEX)
@given(TYPED)
def test_no_query_is_an_error_elsewhere(
    elsewhere: OpenSearchEngine, embedded: TantivyEngine, typed: str
) -> None:
    _answers_whatever_is_typed(elsewhere, typed)
    # Both make the same terms of it, and so find the same documents.
    query = read_query(typed)
    assert {one.docno for one in elsewhere.search(query, limit=10).documents} == {
        one.docno for one in embedded.search(query, limit=10).documents
    }


@pytest.mark.slow
def test_cranfield_is_ranked_as_well_as_the_engine_can(tmp_path: Path) -> None:
    folder = shared("data", "cranfield")
    engine = TantivyEngine(tmp_path)
    with (folder / "docs.jsonl").open("rb") as stream:
        engine.index(read_documents(stream, source="docs"))
    with (folder / "topics.jsonl").open("rb") as stream:
        topics = read_topics(stream, source="topics")
    with (folder / "qrels.txt").open("rb") as stream:
        qrels = read_qrels(stream, source="qrels")
    rankings = {}
    for topic in topics:
        hits = engine.search(read_query(topic.title), limit=100).documents
        rankings[topic.id] = Ranking(tuple(one.docno for one in hits), tuple(one.score for one in hits))
    scores = Scorer(qrels, "nDCG@10").score(Run("tantivy", rankings))
    # .523 as measured; .50 is what Porter and BM25 give in other engines (SQLite FTS5 .518, bm25s .498).
    assert scores.values["nDCG@10"] >= 0.50
