"""Files that others made, read whole; the numbers are those of their catalogue, or counted here apart."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from pathlib import Path

import pytest

from tests.formats.strategies import codes, read_as
from tests.support import shared
from workbench.errors import Finding, InvalidInput
from workbench.formats.documents import read_documents
from workbench.formats.identifiers import read_ids
from workbench.formats.judgments import read_judgments
from workbench.formats.qrels import read_qrels, write_qrels
from workbench.formats.run_check import Expected, check_run
from workbench.formats.run_rules import RunRules
from workbench.formats.runs import RunReading
from workbench.formats.topics import read_topics
from workbench.records import Answer, Judgment, Qrel, Topic

pytestmark = pytest.mark.slow  # whole collections


def topics(*parts: str) -> tuple[Topic, ...]:
    with shared("data", *parts).open("rb") as stream:
        return read_topics(stream, source=parts[-1])


def qrels(*parts: str) -> tuple[Qrel, ...]:
    with shared("data", *parts).open("rb") as stream:
        return read_qrels(stream, source=parts[-1])


def judgments(*parts: str, cannot_judge: tuple[int, ...] = ()) -> tuple[Judgment, ...]:
    with shared("data", *parts).open("rb") as stream:
        return read_judgments(stream, source=parts[-1], cannot_judge=cannot_judge)


def run(path: Path) -> RunReading:
    with path.open("rb") as stream:
        return read_as(stream, source=path.name, file_stem=path.name.removesuffix(".gz"))


def by_code(findings: tuple[Finding, ...]) -> dict[str, Finding]:
    return {finding.code: finding for finding in findings}


@pytest.mark.parametrize(
    ("name", "count", "empty"), [("cf", 1239, 0), ("cranfield", 1400, 2), ("adi", 82, 0)]
)
def test_the_documents_of_small_collections(name: str, count: int, empty: int) -> None:
    with shared("data", name, "docs.jsonl").open("rb") as stream:
        documents = list(read_documents(stream, source="docs.jsonl"))
    assert len(documents) == count
    assert sum(not document.title and not document.text for document in documents) == empty


@pytest.mark.parametrize(
    ("name", "count"),
    [("cf", 100), ("cranfield", 225), ("adi", 35), ("robust03", 100), ("trec-covid/round1", 30)],
)
def test_the_topics_of_collections(name: str, count: int) -> None:
    found = topics(*name.split("/"), "topics.jsonl")
    assert len(found) == count
    assert all(topic.title for topic in found)


@pytest.mark.parametrize(
    ("parts", "count"),
    [
        (("cranfield", "qrels.txt"), 1837),
        (("adi", "qrels.txt"), 170),
        (("cf", "qrels.majority.txt"), 4819),
        (("trec-covid", "round1", "qrels.txt"), 8691),
        (("robust03", "qrels.txt"), 128_796),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_qrels_of_collections_are_read_and_written_alike(parts: tuple[str, ...], count: int) -> None:
    found = qrels(*parts)
    assert len(found) == count
    # The second column is not kept: TREC-COVID's is the half-round of judging.
    rows = [line.split() for line in shared("data", *parts).read_bytes().splitlines()]
    ours = sorted(b"%b 0 %b %b\n" % (topic, docno, grade) for topic, _, docno, grade in rows)
    assert sorted(write_qrels(found)) == ours


def test_four_assessors_of_cystic_fibrosis() -> None:
    found = judgments("cf", "judgments.tsv")
    assert Counter(judgment.assessor for judgment in found) == dict.fromkeys(
        ("A1_REW", "A2_colleague", "A3_postdoc", "A4_JBW"), 4819
    )
    assert {judgment.grade for judgment in found} == {0, 1, 2}


def test_a_crowd_of_assessors_with_broken_links_and_repeated_labels() -> None:
    found = judgments("trec-rf10-crowd", "judgments.tsv.gz", cannot_judge=(-2,))
    assert len(found) == 98_453
    assert len({judgment.assessor for judgment in found}) == 766
    assert len({(judgment.topic, judgment.docno) for judgment in found}) == 20_232
    with gzip.open(shared("data", "trec-rf10-crowd", "judgments.tsv.gz"), "rt") as lines:
        broken = sum(row["grade"] == "-2" for row in csv.DictReader(lines, delimiter="\t"))
    answers = Counter(judgment.answer for judgment in found)
    assert answers == {Answer.CANNOT_JUDGE: broken, Answer.GRADE: 98_453 - broken}
    assert {judgment.grade for judgment in found} == {None, 0, 1, 2}
    triples = Counter((judgment.assessor, judgment.topic, judgment.docno) for judgment in found)
    assert sum(count > 1 for count in triples.values()) == 1489


@pytest.mark.parametrize("name", ["reviewers_before", "reviewers_after"])
def test_reviewers_before_and_after_their_discussion(name: str) -> None:
    assert len(judgments("nyt-core17-pilot", f"judgments.{name}.tsv")) == 360


@pytest.mark.parametrize("name", ["cf", "cranfield", "adi"])
def test_runs_made_with_public_libraries(name: str) -> None:
    readings = [run(path) for path in sorted(shared("data", name, "runs_generated").iterdir())]
    assert len(readings) == 10
    assert len({reading.run.tag for reading in readings}) == 10


def test_runs_that_are_nearly_all_ties() -> None:
    # The catalogue counts the documents that lengthen a tie (90,099, 99,545); we count all that are in one.
    for name, lengthening in (("MU03rob01", 90_099), ("rutcor03100", 99_545)):
        path = shared("data", "robust03", "runs", f"{name}.gz")
        with gzip.open(path, "rt") as lines:
            rows = [line.split() for line in lines]
        sizes = Counter((row[0], float(row[4])) for row in rows)
        tied = sum(size for size in sizes.values() if size > 1)
        assert len(rows) - len(sizes) == lengthening
        assert f"({tied:,} of 100,000 lines in 100 topics)" in by_code(run(path).findings)["ties"].message


def test_the_runs_of_robust_2003_are_accepted() -> None:
    known = {topic.id for topic in topics("robust03", "topics.jsonl")}
    for path in sorted(shared("data", "robust03", "runs").iterdir())[:6]:
        with path.open("rb") as stream:
            reading = read_as(stream, source=path.name, topics=known, rules=RunRules(max_per_topic=1000))
        assert set(reading.run.rankings) == known


@pytest.mark.slow
def test_the_runs_behind_the_first_pool_of_trec_covid() -> None:
    folder = shared("data", "trec-covid", "round1")
    with (folder / "runs.tsv").open(encoding="utf-8") as lines:
        told = [row for row in csv.DictReader(lines, delimiter="\t") if row["contributed"] == "yes"]
    known = {topic.id for topic in topics("trec-covid", "round1", "topics.jsonl")}
    with (folder / "valid_docids.txt.gz").open("rb") as stream:
        docnos = frozenset(read_ids(stream, source="valid_docids.txt.gz"))
    contradicted = []
    for row in told:
        with (folder / "runs" / f"{row['run']}.gz").open("rb") as stream:
            check = check_run(stream, source="r", file_stem=row["run"], expected=Expected(known, docnos))
        assert (check.errors, check.lines, check.topics) == ((), int(row["lines"]), int(row["topics"]))
        contradicted += [row["run"]] if {"rank-order", "distances"} & by_code(check.warnings).keys() else []
    assert len(told) == 56
    # The catalogue: five contributing runs have a rank column that contradicts their scores.
    assert len(contradicted) == 5


def test_the_scorer_s_own_inputs() -> None:
    folder = shared("data", "trec_eval-tests", "raw")
    assert len(run(folder / "results.test").run.rankings) == 3
    assert {qrel.topic for qrel in qrels("trec_eval-tests", "raw", "qrels.test")} >= {"301", "302", "303"}
    # Docnos of MS MARCO hold #, and trec_eval 10 once took what follows for a comment.
    (docnos, *_) = (ranking.docnos for ranking in run(folder / "results.comment.test").run.rankings.values())
    assert docnos[0] == "msmarco_v2.1_doc_50_2286987788#13_3087841662"
    assert all("#" in qrel.docno for qrel in qrels("trec_eval-tests", "raw", "qrels.comment.test"))
    with pytest.raises(InvalidInput) as refused:
        qrels("trec_eval-tests", "raw", "qrels.test.with-comments")
    assert codes(refused.value) == [(1, "comment"), (4, "comment"), (7, "comment")]
