"""The zip of a release read part by part: the same comparison, every damaged file named, little memory."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.releases.made import AT, answer, build_zip, small_release, write_release
from workbench.errors import InvalidInput
from workbench.records import Qrel
from workbench.releases.comparison import compare_releases
from workbench.releases.files import ANSWERS, CHECKSUMS, GUIDELINES
from workbench.releases.zipped import ZippedFiles, ZippedRelease

FIRST = small_release()
SECOND = replace(
    FIRST,
    about=replace(FIRST.about, version="1.1"),
    answers=(*FIRST.answers, replace(answer("assessor-1", "é2", 1), recorded_at=AT + timedelta(days=1))),
    qrels=(Qrel("T1", "d#1", 1), Qrel("T1", "é2", 1)),
)


def files_in(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def codes(content: bytes) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInput) as refused, ZippedFiles(io.BytesIO(content), source="r.zip") as files:
        files.check()
    return [(one.source, one.code) for one in refused.value.findings]


def test_two_zips_are_compared_as_their_contents_are() -> None:
    with (
        ZippedFiles(io.BytesIO(write_release(FIRST)), source="1") as one,
        ZippedFiles(io.BytesIO(write_release(SECOND)), source="2") as other,
    ):
        one.check()
        first, second = ZippedRelease.of(one), ZippedRelease.of(other)
        assert (first.contents.answers, first.contents.decisions, first.contents.documents) == ((), (), ())
        assert compare_releases(first, second) == compare_releases(FIRST, SECOND)
    found = compare_releases(FIRST, SECOND)
    assert [(pair.docno, pair.decided_by) for pair in found.changed] == [("é2", "judgment")]


def changed(files: dict[str, bytes], path: str, content: bytes) -> bytes:
    return build_zip({**files, path: content})


def without(files: dict[str, bytes], path: str) -> bytes:
    return build_zip({one: content for one, content in files.items() if one != path})


def compressed(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (lambda files: changed(files, GUIDELINES, b"other"), [(GUIDELINES, "checksum")]),
        (lambda files: changed(files, "x", b""), [("x", "extra")]),
        (lambda files: without(files, ANSWERS), [(ANSWERS, "missing")]),
        (lambda files: without(files, CHECKSUMS), [(CHECKSUMS, "missing")]),
        (compressed, [("r.zip", "layout")]),
        (lambda files: build_zip(files)[:-30], [("r.zip", "layout")]),
        (lambda _: b"", [("r.zip", "layout")]),
    ],
)  # fmt: skip
def test_a_damaged_zip_is_refused_by_the_name_of_its_file(
    damage: Callable[[dict[str, bytes]], bytes], found: list[tuple[str, str]]
) -> None:
    assert codes(damage(files_in(write_release(FIRST)))) == found


def test_a_line_that_is_no_answer_is_refused_at_its_place() -> None:
    files = {
        **files_in(write_release(FIRST)),
        ANSWERS: b'{"topic": "T2", "docno": "x"}\n{"topic": "T1", "docno": "d#1"}\n',
    }
    release = ZippedRelease.of(ZippedFiles(io.BytesIO(build_zip(files)), source="r.zip"))
    with pytest.raises(InvalidInput) as refused:
        list(release.answers_about({("T1", "d#1")}))
    assert [(one.source, one.line, one.code) for one in refused.value.findings] == [(ANSWERS, 2, "record")]


@pytest.mark.slow
def test_the_memory_of_a_comparison_does_not_grow_with_what_it_does_not_compare(tmp_path: Path) -> None:
    # 96 MiB of a text that assessors saw, in a release with few pairs: read whole, it took twice that.
    large = replace(FIRST.documents[0], title="", text="ebb and flow " * (96 * 2**20 // 13))
    (tmp_path / "1.zip").write_bytes(write_release(FIRST))
    (tmp_path / "2.zip").write_bytes(write_release(replace(FIRST, documents=(large, *FIRST.documents[1:]))))
    command = [sys.executable, "-m", "workbench", "release", "compare"]
    most = []
    for second in ("1.zip", "2.zip"):
        with subprocess.Popen(
            [*command, str(tmp_path / "1.zip"), str(tmp_path / second)], stdout=subprocess.DEVNULL
        ) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = status
        assert status == 0
        most.append(used.ru_maxrss * 1024)
    assert most[1] - most[0] < 24 * 2**20
