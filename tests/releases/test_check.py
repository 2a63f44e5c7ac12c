"""The check of a release names what is damaged, whatever byte it is."""

from __future__ import annotations

import hashlib
import io
import json
import tracemalloc
import zipfile
from dataclasses import replace

import pytest

from tests.releases.made import RUN, build_zip, release_files, small_release, write_release
from workbench.errors import InvalidInput
from workbench.releases.check import check_release, open_release
from workbench.releases.contents import ReleasedRun
from workbench.releases.files import CHECKSUMS, MANIFEST, checksums, hashes, run_path
from workbench.releases.record_form import json_bytes


def found(content: bytes, **options: object) -> list[tuple[str, str]]:
    """Where and what the check finds, by source and code."""
    checked = check_release(io.BytesIO(content), source="r.zip", **options)  # type: ignore[arg-type]
    assert checked.whole == (not checked.findings)
    return [(one.source, one.code) for one in checked.findings]


@pytest.fixture(scope="module")
def release() -> bytes:
    return write_release(small_release())


def test_a_release_is_whole_as_it_was_made(release: bytes) -> None:
    assert found(release) == []
    assert found(release, sha256=hashlib.sha256(release).hexdigest().upper()) == []
    assert found(release, sha256="0" * 64) == [("r.zip", "whole")]


def test_a_flipped_bit_anywhere_is_found(release: bytes) -> None:
    # A prime step, so that every kind of place is met: headers, names, contents, directory, end.
    for at in range(0, len(release), 97):
        damaged = bytearray(release)
        damaged[at] ^= 1
        assert found(bytes(damaged)), at


def test_a_damaged_file_is_named_with_both_checksums(release: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(release)) as archive:
        starts = {one.filename: one.header_offset + 30 + len(one.filename) for one in archive.infolist()}
    for name in ("qrels.txt", "judgments.jsonl", "manifest.json", CHECKSUMS):
        damaged = bytearray(release)
        damaged[starts[name]] ^= 1
        assert found(bytes(damaged))[0] == (name, "checksum")
    damaged = bytearray(release)
    damaged[starts["qrels.txt"]] ^= 1
    (finding, *_) = check_release(io.BytesIO(bytes(damaged)), source="r.zip").findings
    whole = hashlib.sha256(release_files(small_release())["qrels.txt"]).hexdigest()
    assert whole in finding.message


def test_bytes_around_the_files_are_found(release: bytes) -> None:
    assert found(release + b"\0") == [("r.zip", "layout")]
    assert found(b"\0" + release)[0] == ("r.zip", "layout")
    assert found(release[:-1]) == [("r.zip", "layout")]
    assert found(b"") == [("r.zip", "layout")]


def test_missing_extra_and_doubled_files_are_named() -> None:
    files = release_files(small_release())
    missing = {name: content for name, content in files.items() if name != "qrels.txt"}
    assert ("qrels.txt", "missing") in found(build_zip(missing))
    assert ("more.txt", "extra") in found(build_zip({**files, "more.txt": b""}))
    assert (CHECKSUMS, "missing") in found(build_zip({"qrels.txt": b"1 0 d 1\n"}))
    doubled = io.BytesIO()
    with zipfile.ZipFile(doubled, "w") as archive:
        archive.writestr("a.txt", b"")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.txt", b"")
    assert ("a.txt", "duplicate") in found(doubled.getvalue())


@pytest.mark.parametrize("path", ["../up.txt", "/etc.txt", "a//b", "a\\b", "c:x", "a/../b", ".hidden"])
def test_paths_that_would_leave_the_folder_are_named(path: str) -> None:
    files = {path: b"x"}
    codes = {code for _, code in found(build_zip({**files, CHECKSUMS: checksums(files)}))}
    assert "path" in codes


def test_a_file_that_was_changed_with_its_checksum_does_not_follow_from_the_others() -> None:
    files = release_files(small_release())
    files["qrels_jg"] = files["qrels_jg"].replace(b" 0\n", b" 1\n")
    del files[CHECKSUMS]
    assert found(build_zip({**files, CHECKSUMS: checksums(files)})) == [("qrels_jg", "derived")]


def repacked(files: dict[str, bytes]) -> bytes:
    """The zip with the checksums of its files, as whoever changes one would make it."""
    listed = {name: content for name, content in files.items() if name != CHECKSUMS}
    return build_zip({**listed, CHECKSUMS: checksums(listed)})


def relisted(files: dict[str, bytes]) -> bytes:
    """The same with the hashes in the manifest, too."""
    manifest = json.loads(files[MANIFEST])
    others = {name: content for name, content in files.items() if name not in {MANIFEST, CHECKSUMS}}
    manifest["files"] = {name: {"sha256": one, "bytes": size} for name, (one, size) in hashes(others).items()}
    return repacked({**files, MANIFEST: json_bytes(manifest, indent=2)})


@pytest.mark.parametrize(
    "path",
    [
        "guidelines.md",
        "README.md",
        "DATASHEET.md",
        "croissant.json",
        "CITATION.cff",
        "ir_datasets_definition.py",
        "beir/corpus.jsonl",
    ],
)
def test_a_file_that_lies_is_named_though_its_checksum_is_right(path: str) -> None:
    files = release_files(small_release())
    files[path] += b"import os\n"
    # What the guidelines are stands in the manifest as well.
    expected = [(MANIFEST if path == "guidelines.md" else path, "derived")]
    assert found(repacked(files)) == found(relisted(files)) == expected


def fields(value: object, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where the plain values of a JSON value are."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = [each for name, one in parts for each in fields(one, (*place, name))]
    return inner or [place]


STATED = {"about", "scale", "rule", "questions", "included", "agreement", "assessors"}
"""What stands in the manifest alone, besides what it derives from the other files."""


def test_no_field_of_the_manifest_that_follows_from_the_files_can_lie() -> None:
    files = release_files(small_release())
    manifest = json.loads(files[MANIFEST])
    for place in fields(manifest):
        if place[0] in STATED or (place[0] == "runs" and place[-1] not in {"lines", "topics", "sha256"}):
            continue
        changed = json.loads(files[MANIFEST])
        at = changed
        for name in place[:-1]:
            at = at[name]
        value = at[place[-1]]
        at[place[-1]] = value + 1 if isinstance(value, int) else "x" * len(str(value))
        assert found(repacked({**files, MANIFEST: json_bytes(changed, indent=2)})), place


def test_qrels_are_those_of_the_rule_though_every_file_was_made_of_others() -> None:
    made = small_release()
    first, *rest = made.qrels
    lied = replace(first, grade=1 if first.grade == 0 else 0)
    assert found(write_release(replace(made, qrels=(lied, *rest)))) == [("qrels.txt", "derived")]
    assert found(write_release(replace(made, qrels=tuple(rest)))) == [("qrels.txt", "derived")]
    assert found(write_release(replace(made, unsettled=made.unsettled + 1))) == [("qrels.txt", "derived")]
    other = replace(made.rule, relevant_from=made.rule.relevant_from + 1)
    assert (MANIFEST, "derived") in found(write_release(replace(made, rule=other)))


def test_a_file_that_no_release_has_is_named() -> None:
    files = {**release_files(small_release()), "setup.py": b"import os\n"}
    assert found(relisted(files)) == [("setup.py", "extra")]


def test_a_release_of_another_version_is_not_called_whole_but_opens() -> None:
    about = replace(small_release().about, software="0.0.1")
    whole = write_release(small_release(about=about))
    assert found(whole) == [(MANIFEST, "version")]
    assert open_release(io.BytesIO(whole), source="r.zip").about == about
    files = release_files(small_release(about=about))
    files["README.md"] += b"Lies.\n"
    assert (MANIFEST, "manifest") in found(repacked(files))
    with pytest.raises(InvalidInput):
        open_release(io.BytesIO(repacked(files)), source="r.zip")


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("pools.json", b'"ties": "file"', b'"ties": 1e999'),
        ("judgments.jsonl", b'"grade": 0', b'"grade": -0.5'),
    ],
)
def test_what_no_release_can_be_made_of_is_named_though_its_checksum_is_right(
    path: str, old: bytes, new: bytes
) -> None:
    files = release_files(small_release())
    files[path] = files[path].replace(old, new, 1)
    del files[CHECKSUMS]
    (first, *_) = found(build_zip({**files, CHECKSUMS: checksums(files)}))
    assert first in {("manifest.json", "form"), ("judgments.jsonl", "record")}


def test_a_zip_that_was_packed_anew_is_another_one_but_its_files_are_checked() -> None:
    files = release_files(small_release())
    files["qrels.txt"] += b"T1 0 d9 1\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    assert found(packed.getvalue()) == [("r.zip", "layout"), ("qrels.txt", "checksum")]


def test_what_is_larger_than_allowed_is_refused_unread_and_a_bomb_unpacks_to_no_more() -> None:
    assert found(b"x" * 101, most=100) == [("r.zip", "size")]
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", bytes(10**6))
    # A million zeros in about a thousand bytes: more than 10,000 in all are not unpacked.
    assert found(bomb.getvalue(), most=10_000) == [("r.zip", "layout")]


class Pipe(io.BytesIO):
    """A stream that cannot be sought in, as the standard input may be."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise io.UnsupportedOperation("seek")


def test_a_release_from_a_pipe_is_checked_as_one_from_a_file(release: bytes) -> None:
    one, other = (check_release(kind(release), source="r.zip") for kind in (io.BytesIO, Pipe))
    assert one == other
    assert one.whole
    damaged = release.replace(b"Read *all*", b"Read *any*")
    assert (
        check_release(Pipe(damaged), source="r.zip").findings
        == check_release(io.BytesIO(damaged), source="r.zip").findings
    )
    # What was read before is no part of it.
    rest = io.BytesIO(b"abc" + release)
    rest.seek(3)
    assert check_release(rest, source="r.zip") == one


def test_runs_can_be_left_in_the_zip(release: bytes) -> None:
    left = check_release(Pipe(release), source="r.zip", leaving={"runs"})
    assert left.contents is not None
    assert {run.content for run in left.contents.runs} == {None}
    found = {run.tag: left.files.get(run_path(run.sha256)) for run in left.contents.runs}
    assert found == {run.tag: run.content for run in open_release(io.BytesIO(release), source="r.zip").runs}
    assert RUN in found.values()
    assert set(left.files) == set(release_files(small_release()))


def test_a_run_that_is_not_the_one_of_the_manifest_is_named() -> None:
    files = release_files(small_release())
    path = run_path(hashlib.sha256(RUN).hexdigest())
    files[path] = RUN.replace(b"2.5", b"2.4")
    manifest = json.loads(files[MANIFEST])
    assert hashlib.sha256(RUN).hexdigest() in {run["sha256"] for run in manifest["runs"]}
    del files[CHECKSUMS]
    assert found(build_zip({**files, CHECKSUMS: checksums(files)})) == [(path, "form")]


def most_memory(runs: int) -> int:
    """The most bytes that Python has at once while it checks a release with so many runs of a megabyte."""
    content = [f"{number:<16}".encode() * 2**16 for number in range(runs)]
    made = tuple(
        ReleasedRun(f"r{number}", hashlib.sha256(one).hexdigest(), 1, 1, content=one)
        for number, one in enumerate(content)
    )
    release = Pipe(write_release(small_release(runs=made)))
    tracemalloc.start()
    try:
        assert check_release(release, source="r.zip", leaving={"runs"}).whole
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_check_holds_no_runs_in_memory() -> None:
    assert most_memory(16) - most_memory(1) < 4 * 2**20
