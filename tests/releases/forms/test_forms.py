"""A release in the forms of other programs: each is read by the reader that it is for."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import subprocess
import sys
import zipfile
import zipimport
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.releases.made import published, small_release, with_about, write_release
from workbench.formats.documents import read_documents
from workbench.formats.qrels import read_qrels
from workbench.formats.topics import read_topics
from workbench.records import THREE_GRADES, Document, Qrel, Topic
from workbench.releases.contents import ReleaseContents, ReleasedDocument
from workbench.releases.forms import FORMS, form_files, published_forms, qrels_file

# Ids and texts that readers are known to spoil: zeros in front, exponents, hashes, no ASCII, separators of
# lines that only some programs split at, quotation marks, code of Python and YAML.
TOPICS = (
    Topic(
        "007", 'Noise in "harbours"', "What, if anything: is loud?", "One.\n\nTwo ñ 😀", (("1", "cranes"),)
    ),
    Topic("MB001", "", "Ferries at night"),
)
DOCUMENTS = (
    Document("1e5", "NA", "007"),
    Document("doc#1", "A title", "a line\u2028and <b>another</b>\n"),
    Document("dé/1", "", "'''\\"),
)
QRELS = (Qrel("MB001", "dé/1", 1), Qrel("007", "doc#1", 2), Qrel("007", "1e5", 0))
RELEASE = published(
    "harbour",
    'Harbour: "noise"\x85',
    TOPICS,
    QRELS,
    DOCUMENTS,
    authors=("Lee: A", "The Harbour Group"),
    licence="CC-BY-4.0",
    homepage="https://example.org/harbour",
)
WITHOUT_DOCUMENTS = replace(RELEASE, included=frozenset())
GRADES = {(qrel.topic, qrel.docno): qrel.grade for qrel in QRELS}


def release_files(release: ReleaseContents) -> dict[str, bytes]:
    files, left_out = published_forms(release)
    assert left_out == {}
    return {"qrels.txt": qrels_file(release), **files}


def unzipped(release: ReleaseContents, folder: Path) -> Path:
    for name, content in release_files(release).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def zipped(release: ReleaseContents, path: Path, top: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in release_files(release).items():
            archive.writestr(top + name, content)
    return path


def from_folder(release: ReleaseContents, tmp_path: Path) -> Any:
    place = unzipped(release, tmp_path / "unzipped") / "ir_datasets_definition.py"
    spec = importlib.util.spec_from_file_location("ir_datasets_definition", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.dataset


def from_zip(release: ReleaseContents, tmp_path: Path, top: str = "") -> Any:
    place = zipped(release, tmp_path / "release.zip", top)
    return imported_from_zip(f"{place}/{top}".rstrip("/"))


def imported_from_zip(place: str) -> Any:
    loader = zipimport.zipimporter(place)
    spec = loader.find_spec("ir_datasets_definition")
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module.dataset


def test_the_zip_of_a_release_registers_itself_as_it_is(own_cache: None, tmp_path: Path) -> None:
    about = replace(small_release().about, name="whole-release")
    place = tmp_path / "release.zip"
    place.write_bytes(write_release(small_release(about=about)))
    dataset = imported_from_zip(str(place))
    assert dataset.dataset_id() == "whole-release/1.0"
    assert dataset.qrels_dict() == {"T1": {"d#1": 1, "é2": 0}}
    assert [one.title for one in dataset.queries_iter()] == ["tides", "nets"]
    assert dataset.docs_store().get("é2").text == "Ebb"


def test_a_release_says_which_form_it_does_not_have(tmp_path: Path) -> None:
    qrels = (*small_release().qrels, Qrel("T1", "a,b", 1))
    files = form_files(small_release(qrels=qrels))
    assert b"Croissant: " in files["FORMS-LEFT-OUT.txt"]
    assert "croissant.json" not in files
    assert "FORMS-LEFT-OUT.txt" not in form_files(small_release())


def from_zip_with_a_folder(release: ReleaseContents, tmp_path: Path) -> Any:
    return from_zip(release, tmp_path, "harbour-1.0/")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ir_datasets keeps what it indexed in the test's own folder."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "ir_datasets"))


@pytest.mark.parametrize("load", [from_folder, from_zip, from_zip_with_a_folder])
def test_ir_datasets_loads_the_release_with_topics_grades_and_documents(
    load: Callable[[ReleaseContents, Path], Any], own_cache: None, tmp_path: Path
) -> None:
    # Registered once in a process, so each test has a data set of its own.
    dataset = load(with_about(RELEASE, name=load.__name__.replace("_", "-")), tmp_path)
    assert dataset.dataset_id() == f"{load.__name__.replace('_', '-')}/1.0"
    assert [tuple(query) for query in dataset.queries_iter()] == [
        ("007", 'Noise in "harbours"', "What, if anything: is loud?", "One.\n\nTwo ñ 😀"),
        # The query of a topic without a title is its description.
        ("MB001", "Ferries at night", "Ferries at night", ""),
    ]
    assert {(qrel.query_id, qrel.doc_id): qrel.relevance for qrel in dataset.qrels_iter()} == GRADES
    assert dataset.qrels_defs() == {
        0: "Not relevant: Nothing here answers the topic",
        1: "Partially relevant: Answers the topic in part or in passing",
        2: "Highly relevant: The answer is what the document is about",
    }
    assert [tuple(one) for one in dataset.docs_iter()] == [(d.docno, d.title, d.text) for d in DOCUMENTS]
    assert dataset.docs_store().get("doc#1").default_text() == "A title a line\u2028and <b>another</b>"
    assert dataset.docs_count() == 3


@pytest.mark.parametrize("is_zip", [False, True], ids=["folder", "zip"])
def test_the_definition_names_the_release_as_the_source_of_its_topics_and_documents(
    is_zip: bool, own_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the template itself, with the facts of a release in the place of its own, which are empty."""
    template = importlib.import_module("workbench.releases.definition_template")
    name = f"harbour/{tmp_path.name}"
    beside = zipped(RELEASE, tmp_path / "release.zip", "") if is_zip else unzipped(RELEASE, tmp_path)
    facts = {"BESIDE": beside, "DATASET_ID": name, "GRADES": {1: "Relevant"}, "HAS_DOCUMENTS": True}
    for fact, value in facts.items():
        monkeypatch.setattr(template, fact, value)
    dataset = template.register()
    assert template.register() is dataset  # registered once
    assert (dataset.queries_namespace(), dataset.docs_namespace()) == (name, name)
    # In which language they are written nobody has said.
    assert (dataset.queries_lang(), dataset.docs_lang()) == (None, None)
    assert dataset.queries_cls()._fields == ("query_id", "title", "description", "narrative")
    assert dataset.qrels_cls()._fields == ("query_id", "doc_id", "relevance", "iteration")
    assert dataset.docs_cls()._fields == ("doc_id", "title", "text")
    assert dataset.qrels_defs() == {1: "Relevant"}
    assert [query.query_id for query in dataset.queries_iter()] == ["007", "MB001"]
    assert {(one.query_id, one.doc_id): one.relevance for one in dataset.qrels_iter()} == GRADES
    # The first and the third of three, by a slice as in every data set of ir_datasets.
    assert [one.doc_id for one in dataset.docs_iter()[::2]] == ["1e5", "dé/1"]
    assert (dataset.docs_count(), dataset.docs_store().get("dé/1").default_text()) == (3, "'''\\")


def test_without_documents_ir_datasets_offers_none(own_cache: None, tmp_path: Path) -> None:
    dataset = from_folder(with_about(WITHOUT_DOCUMENTS, name="without-documents"), tmp_path)
    assert not dataset.has_docs()
    assert dataset.has_queries()
    assert dataset.has_qrels()


def test_a_label_cannot_end_the_literal_in_which_the_definition_has_it() -> None:
    grades = (
        replace(THREE_GRADES.grades[0], label="'''\"\"\"\\", definition="\nimport os"),
        *THREE_GRADES.grades[1:],
    )
    release = replace(RELEASE, scale=replace(THREE_GRADES, grades=grades))
    source = release_files(release)["ir_datasets_definition.py"]
    names: dict[str, Any] = {}
    facts = source.split(b"import ir_datasets\n\n")[1].split(b"BESIDE")[0]
    exec(facts, names)
    assert names["GRADES"][0] == "'''\"\"\"\\: \nimport os"
    assert names["DATASET_ID"] == "harbour/1.0"
    assert b"type: ignore" not in source


def test_beirs_folder_has_its_three_files_and_ir_datasets_reads_them_as_beirs_own(tmp_path: Path) -> None:
    beir = importlib.import_module("ir_datasets.datasets.beir")
    local = importlib.import_module("ir_datasets").util.LocalDownload
    folder = unzipped(RELEASE, tmp_path) / "beir"
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == [
        "corpus.jsonl",
        "qrels/test.tsv",
        "queries.jsonl",
    ]
    queries = beir.BeirQueries("harbour", local(folder / "queries.jsonl"), beir.BeirToucheQuery)
    assert [tuple(one)[:2] for one in queries.queries_iter()] == [
        ("007", 'Noise in "harbours"'),
        ("MB001", "Ferries at night"),
    ]
    qrels = beir.BeirQrels(local(folder / "qrels/test.tsv"), {})
    assert {(one.query_id, one.doc_id): one.relevance for one in qrels.qrels_iter()} == GRADES
    documents = beir.BeirDocs("harbour", local(folder / "corpus.jsonl"), beir.BeirTitleDoc)
    assert [(one.doc_id, one.title, one.text) for one in documents._docs_iter()] == [
        (one.docno, one.title, one.text) for one in DOCUMENTS
    ]


def test_what_beirs_folder_says_the_project_reads_back() -> None:
    files = release_files(RELEASE)
    topics = read_topics(io.BytesIO(files["beir/queries.jsonl"]), source="queries.jsonl")
    assert [topic.id for topic in topics] == ["007", "MB001"]
    qrels = read_qrels(io.BytesIO(files["beir/qrels/test.tsv"]), source="test.tsv")
    assert {(one.topic, one.docno): one.grade for one in qrels} == GRADES
    documents = read_documents(io.BytesIO(files["beir/corpus.jsonl"]), source="corpus.jsonl")
    assert tuple(documents) == DOCUMENTS


def test_a_release_without_documents_has_no_corpus() -> None:
    files = release_files(WITHOUT_DOCUMENTS)
    assert "beir/corpus.jsonl" not in files
    assert b"corpus.jsonl" not in files["croissant.json"]


def test_a_citation_is_yaml_with_what_the_organiser_said() -> None:
    cited = yaml.safe_load(release_files(RELEASE)["CITATION.cff"])
    assert cited["cff-version"] == "1.2.0"
    assert cited["title"] == 'Harbour: "noise"'
    assert cited["authors"] == [{"name": "Lee: A"}, {"name": "The Harbour Group"}]
    assert cited["version"] == "1.0"
    assert cited["date-released"] == "2026-11-22"
    assert cited["license"] == "CC-BY-4.0"
    assert cited["url"] == "https://example.org/harbour"
    assert cited["type"] == "dataset"


@pytest.mark.parametrize(
    "text", ["\x00\x1b\x7f\x80\u2028\ufeff\U000e0001", "tab\tand\r\nlines", "# no comment", '\\" \\', "é😀"]
)
def test_any_text_survives_in_the_citation(text: str) -> None:
    release = with_about(RELEASE, description=f"before {text} after", authors=(f"x{text}x",))
    cited = yaml.safe_load(release_files(release)["CITATION.cff"])
    assert cited["abstract"] == f"before {text} after"
    assert cited["authors"] == [{"name": f"x{text}x"}]


def test_a_citation_leaves_out_what_its_schema_forbids_and_names_the_organisers_for_want_of_authors() -> None:
    said = with_about(RELEASE, authors=("  ",), licence="ask us", homepage="javascript:alert(1)")
    cited = yaml.safe_load(release_files(said)["CITATION.cff"])
    assert cited.keys().isdisjoint({"license", "license-url", "url"})
    assert [author["name"] for author in cited["authors"]] == ['The organisers of Harbour: "noise"']
    elsewhere = with_about(RELEASE, licence="https://example.org/terms")
    assert (
        yaml.safe_load(release_files(elsewhere)["CITATION.cff"])["license-url"] == "https://example.org/terms"
    )


def test_croissant_names_each_file_with_its_hash_and_size() -> None:
    files = release_files(RELEASE)
    metadata = json.loads(files["croissant.json"])
    assert metadata["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    named = {one["contentUrl"]: (one["sha256"], one["contentSize"]) for one in metadata["distribution"]}
    assert named == {
        name: (sha256(files[name]).hexdigest(), f"{len(files[name])} B")
        for name in ("qrels.txt", "beir/queries.jsonl", "beir/corpus.jsonl")
    }


def test_documents_whose_ids_pandas_would_change_get_no_records_in_croissant() -> None:
    def record_sets(*docnos: str) -> list[str]:
        made = replace(RELEASE, documents=tuple(ReleasedDocument(one, None, "", "text") for one in docnos))
        return [one["name"] for one in json.loads(release_files(made)["croissant.json"])["recordSet"]]

    assert record_sets("007", "8") == ["qrels", "topics", "grades"]
    assert record_sets("1e5", "2.50") == ["qrels", "topics", "grades"]
    assert record_sets("1", "20") == ["qrels", "topics", "grades", "documents"]
    # One id that is no number keeps the others as they are.
    assert record_sets("007", "x8") == ["qrels", "topics", "grades", "documents"]


@pytest.mark.parametrize(
    ("docno", "left_out"),
    [
        ("a,b", {"Croissant"}),
        ('"a', {"BEIR", "ir_datasets", "Croissant"}),
        ('a"b', {"Croissant"}),
        ("\udcff", {"BEIR", "ir_datasets", "Croissant"}),
    ],
)
def test_a_form_whose_readers_would_misread_an_id_is_left_out_with_the_reason(
    docno: str, left_out: set[str]
) -> None:
    files, without = published_forms(replace(RELEASE, qrels=(*QRELS, Qrel("007", docno, 1))))
    assert set(without) == left_out
    assert all(without.values())
    assert "CITATION.cff" in files
    assert ("beir/queries.jsonl" in files) == ("BEIR" not in left_out)


def test_every_form_writes_the_same_bytes_whatever_the_order_of_qrels_and_documents() -> None:
    other = replace(RELEASE, qrels=QRELS[::-1], documents=RELEASE.documents[::-1])
    assert release_files(other) == release_files(RELEASE)
    assert len(FORMS) == 4


# Its jsonschema is older than that of the others: `pip install --target .venv/citation "cffconvert>=2,<3"`.
APART = Path(sys.prefix) / "citation"


@pytest.mark.slow
def test_the_citation_is_valid_by_its_schema(tmp_path: Path) -> None:
    if not APART.is_dir():
        pytest.skip("install the extra citation apart, by --target")

    def checked(citation: bytes) -> tuple[int, str]:
        (tmp_path / "CITATION.cff").write_bytes(citation)
        command = [sys.executable, "-c", "from cffconvert.cli.cli import cli; cli()", "--validate"]
        environment = os.environ | {"PYTHONPATH": str(APART)}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    for release in (
        RELEASE,
        with_about(RELEASE, licence="https://example.org/terms", authors=()),
        with_about(RELEASE, licence="no licence", homepage="", description="x\x00\x7f\u2028"),
    ):
        valid = "Citation metadata are valid according to schema version 1.2.0.\n"
        assert checked(release_files(release)["CITATION.cff"]) == (0, valid)
    # It is a program that can refuse.
    assert checked(b"cff-version: 1.2.0\ntitle: Tides\n")[0] != 0


@pytest.mark.slow
def test_mlcroissant_accepts_the_metadata_and_reads_every_record(tmp_path: Path) -> None:
    pytest.importorskip("mlcroissant", reason="the extra forms is not installed")
    folder = unzipped(RELEASE, tmp_path)
    program = """
import json, sys, mlcroissant
found = mlcroissant.Dataset("croissant.json")
issues = found.metadata.ctx.issues
text = lambda value: value.decode() if isinstance(value, bytes) else value
records = {
    name: [{key: text(value) for key, value in one.items()} for one in found.records(name)]
    for name in ("qrels", "topics", "grades", "documents")
}
json.dump([sorted(issues.errors), sorted(issues.warnings), records], sys.stdout)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    errors, warnings, records = json.loads(done.stdout)
    assert (errors, warnings) == ([], [])
    read = {(one["qrels/topic"], one["qrels/document"]): one["qrels/grade"] for one in records["qrels"]}
    assert read == GRADES
    assert [one["topics/id"] for one in records["topics"]] == ["007", "MB001"]
    assert [(one["grades/value"], one["grades/relevant"]) for one in records["grades"]] == [
        (0, False),
        (1, True),
        (2, True),
    ]
    assert [
        (one["documents/id"], one["documents/title"], one["documents/text"]) for one in records["documents"]
    ] == [(one.docno, one.title, one.text) for one in DOCUMENTS]
