"""The files of a release: nothing but lines in qrels, and the contents read back from all of them."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import zipfile
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.releases.made import build_zip, release_files, small_release, write_release
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.judgments import read_judgments
from workbench.formats.qrels import read_qrels, read_sampled_qrels
from workbench.formats.topics import read_topics
from workbench.records import Qrel
from workbench.releases.contents import ReleasedAssessor, ReleasedDocument
from workbench.releases.datasheet import OPEN
from workbench.releases.files import CHECKSUMS, FORM
from workbench.releases.reading import read_contents


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return release_files(small_release())


def test_the_contents_are_read_back_from_the_files(files: dict[str, bytes]) -> None:
    assert read_contents(files) == small_release()
    assert release_files(read_contents(files)) == files


def test_every_record_of_the_small_release_has_each_field_set_somewhere() -> None:
    # Or a field that is written and never read, or the reverse, would go unnoticed above.
    seen: dict[type, set[str]] = {}

    def look(value: Any) -> None:
        if isinstance(value, tuple | list):
            for one in value:
                look(one)
        elif is_dataclass(value) and not isinstance(value, type):
            for field in fields(value):
                if getattr(value, field.name) != field.default:
                    seen.setdefault(type(value), set()).add(field.name)
                look(getattr(value, field.name))

    look(small_release())
    unset = {
        f"{kind.__name__}.{field.name}"
        for kind, names in seen.items()
        for field in fields(kind)
        if field.name not in names
    }
    may_be = {"ReleasedEntry.weight", "ReleasedPool.per_pair", "ReleasedRun.verdict", "ReleaseRule.machines",
              "ReleaseAbout.homepage", "ReleaseContents.agreement_undefined", "ReleasedEstimate.undefined",
              "ReleasedAnswer.reason", "Qrel.iteration"}  # fmt: skip
    assert unset <= may_be


def test_qrels_hold_nothing_but_lines_and_ids_to_the_byte(files: dict[str, bytes]) -> None:
    assert files["qrels.txt"] == "T1 0 d#1 1\nT1 0 é2 0\n".encode()
    # d9 of T2 was pooled and has no grade.
    assert files["qrels_unjudged.txt"] == "T1 0 d#1 1\nT1 0 é2 0\nT2 0 d9 -1\n".encode()
    assert files["qrels/assessor-1.txt"] == "T1 0 d#1 1\nT1 0 é2 1\n".encode()
    assert files["qrels/machine-1.txt"] == b"T1 0 d#1 0\n"
    assert files["qrels_jg"].splitlines()[:2] == [b"T1 assessor-1 d#1 1", "T1 assessor-1 é2 1".encode()]
    for path, content in files.items():
        if path.endswith(".txt") and path.startswith("qrels") and "subtopics" not in path:
            assert read_qrels(io.BytesIO(content), source=path)


def test_the_other_forms_are_read_by_the_readers_of_the_project(files: dict[str, bytes]) -> None:
    topics = read_topics(io.BytesIO(files["topics.jsonl"]), source="topics.jsonl")
    assert topics == small_release().topics
    judgments = read_judgments(io.BytesIO(files["judgments.tsv"]), source="judgments.tsv")
    assert judgments == small_release().judgments()
    # Of four that could be drawn two were; d#1 and é2 have grades.
    sampled = read_sampled_qrels(io.BytesIO(files["sampled/1.prels"]), source="prels")
    assert [(one.docno, one.stratum, one.grade) for one in sampled] == [
        ("d#1", "1", 1), ("d7", "1", None), ("d8", "1", None), ("é2", "1", 0),
    ]  # fmt: skip
    assert files["sampled/1.infap.qrels"] == "T1 0 d#1 1\nT1 0 d7 -1\nT1 0 d8 -1\nT1 0 é2 0\n".encode()
    # d#1 was graded by three, of whom one ticked subtopic 1: no majority. Nobody else ticked anything.
    assert b" 1\n" not in files["qrels_subtopics.txt"]
    assert files["prefs.txt"] == "T1 assessor-1 1 d#1 1\nT1 assessor-1 1 é2 0\n".encode()


def test_the_manifest_has_hashes_counts_and_agreement(files: dict[str, bytes]) -> None:
    manifest = json.loads(files["manifest.json"])
    assert manifest["form"] == FORM
    assert manifest["files"]["qrels.txt"]["sha256"] == hashlib.sha256(files["qrels.txt"]).hexdigest()
    assert manifest["files"].keys() == files.keys() - {"manifest.json", CHECKSUMS}
    counts = manifest["counts"]
    # Two of the three pairs of people have two grades; é2 is decided, so none is disputed.
    assert (counts["lines"], counts["relevant"], counts["unjudged"]) == (2, 1, 1)
    assert (counts["graded"], counts["shared"], counts["disputed"], counts["unsure"]) == (2, 2, 0, 1)
    assert manifest["agreement"]["estimates"][0]["n"] == 2


def test_texts_cite_score_and_leave_open_what_only_the_organiser_knows(files: dict[str, bytes]) -> None:
    readme, sheet = files["README.md"].decode(), files["DATASHEET.md"].decode()
    assert small_release().about.citation in readme
    assert "ir_measures qrels.txt my.run nDCG@10 AP" in readme
    assert OPEN in sheet
    assert "CC-BY-4.0" in sheet
    four = replace(small_release(), rule=replace(small_release().rule, relevant_from=2))
    assert "AP(rel=2)" in release_files(four)["README.md"].decode()


@pytest.mark.parametrize("docno", ["d 1", "d\t1", "", "d\udcff"])
def test_a_docno_that_no_qrels_file_can_hold_is_refused_with_a_word(docno: str) -> None:
    broken = small_release(documents=(ReleasedDocument(docno, None),), qrels=(Qrel("T1", docno, 1),))
    with pytest.raises(InvalidInput) as refused:
        write_release(broken)
    assert [one.code for one in refused.value.findings] == ["id"]


def test_sha256sum_checks_the_unzipped_files(tmp_path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(io.BytesIO(build_zip(files))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == sorted(files)
        archive.extractall(tmp_path)
    done = subprocess.run(["sha256sum", "-c", "--strict", CHECKSUMS], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(files) - 1


@pytest.mark.parametrize(
    ("path", "old", "new", "where"),
    [
        ("manifest.json", b'"form": "workbench', b'"form": "other', ("manifest.json", "form")),
        ("manifest.json", b'"scale": {', b'"scales": {', ("manifest.json", "form")),
        ("manifest.json", b'"relevant_from": 1', b'"relevant_from": 9', ("manifest.json", "form")),
        ("manifest.json", b"{", b"[", ("manifest.json", "form")),
        ("judgments.jsonl", b'"grade": 0', b'"grade": "0"', ("judgments.jsonl", "record")),
        ("judgments.jsonl", b"2026-03-04T05", b"2026-13-04T05", ("judgments.jsonl", "record")),
        ("judgments.jsonl", b": 1099511627776", b": 9223372036854775808", ("judgments.jsonl", "record")),
        ("judgments.jsonl", b"Line one", b"\\ud800", ("judgments.jsonl", "record")),
        ("judgments.jsonl", b"{", b"[" * 100_000, ("judgments.jsonl", "record")),
        ("pools/1.jsonl", b'"inclusion": 0.5', b'"inclusion": NaN', ("pools/1.jsonl", "record")),
        ("pools/1.jsonl", b'"inclusion": 0.5', b'"inclusion": 1e999', ("pools/1.jsonl", "record")),
        ("documents.jsonl", b'"docno"', b'"name"', ("documents.jsonl", "record")),
        ("pools/1.jsonl", b'"runs": 1', b'"runs": true', ("pools/1.jsonl", "record")),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_place(
    files: dict[str, bytes], path: str, old: bytes, new: bytes, where: tuple[str, str]
) -> None:
    assert old in files[path]
    with pytest.raises(InvalidInput) as refused:
        read_contents({**files, path: files[path].replace(old, new, 1)})
    assert (refused.value.findings[0].source, refused.value.findings[0].code) == where


def test_a_missing_file_is_named(files: dict[str, bytes]) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_contents({path: content for path, content in files.items() if path != "topics.jsonl"})
    assert [(one.source, one.code) for one in refused.value.findings] == [("topics.jsonl", "missing")]


def test_too_many_files_are_refused() -> None:
    with pytest.raises(WorkbenchError):
        build_zip({str(number): b"" for number in range(2**16)})


def test_only_who_gave_an_answer_counts_as_an_assessor_and_has_a_file() -> None:
    """A third assessor was handed a document of an adaptive pool and recorded nothing."""
    contents = small_release()
    silent = ReleasedAssessor("assessor-3", False)
    files = release_files(replace(contents, assessors=(*contents.assessors, silent)))
    assert json.loads(files["manifest.json"])["counts"]["assessors"] == 2
    assert "qrels/assessor-3.txt" not in files
    assert {len(content) for path, content in files.items() if path.startswith("qrels/")} & {0} == set()
