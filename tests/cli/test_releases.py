"""Releases by commands: made, listed, checked, compared, imported."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from sqlalchemy import select, update

from tests.cli.executable import Terminal, new_instance
from tests.workflow.releases.filled import filled_campaign
from workbench.records import Document
from workbench.storage.tables import DocumentRow
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.releases.releases import withdraw_release

TIME = ("--at", "2026-03-04T05:06:07Z", "--seed", "11")


@pytest.fixture(scope="module")
def filled_file(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Path:
    made = Terminal(new_instance(tmp_path_factory.mktemp("filled") / "one", migrated_sqlite))
    with made.database() as database, database.writing() as db:
        filled_campaign(db)
    return made.instance / "workbench.sqlite3"


@pytest.fixture
def filled(tmp_path: Path, filled_file: Path) -> Terminal:
    """An instance with the campaign harbour."""
    return Terminal(new_instance(tmp_path / "one", filled_file))


@pytest.mark.slow
def test_a_release_goes_from_one_machine_to_another_and_back(
    filled: Terminal, tmp_path: Path, migrated_sqlite: Path
) -> None:
    create = ("campaign", "release", "create", "harbour", "--rule", "adjudicated", *TIME)
    made = json.loads(filled.does(*create, "--include", "runs", "--json"))
    assert (made["version"], made["lines"], made["public"]) == ("1.0", 5, False)
    zip_file = tmp_path / "harbour-1.0.zip"
    filled.does("campaign", "release", "download", "harbour", "1.0", "-o", zip_file)
    (checked,) = json.loads(filled.does("release", "check", zip_file, "--sha256", made["sha256"], "--json"))
    assert checked["whole"] is True

    other = Terminal(new_instance(tmp_path / "two", migrated_sqlite))
    assert other.does("campaign", "release", "import", zip_file) == b"harbour\n"
    other.does(*create, "--include", "runs", "--json")
    assert other.does("campaign", "release", "download", "harbour", "1.0") == zip_file.read_bytes()

    second = ("campaign", "release", "create", "harbour", "--rule", "all", *TIME)
    assert b"release 1.1" in filled.does(*second)
    later = tmp_path / "harbour-1.1.zip"
    filled.does("campaign", "release", "download", "harbour", "1.1", "-o", later)
    compared = json.loads(filled.does("release", "compare", zip_file, later, "--json"))
    # By the lowest grade d2 of T1 is 0 and not 1, d1 of T1 still 2; the machine does not count.
    assert [(one["docno"], one["before"], one["after"]) for one in compared["changed"]] == [("d2", 1, 0)]
    assert {one["tag"] for one in compared["ranking"]["runs"]} == {"alpha", "beta"}
    listed = filled.does("campaign", "release", "list", "harbour").decode().splitlines()
    assert [line.split("\t")[0] for line in listed] == ["version", "1.1", "1.0"]


def test_a_withdrawn_release_is_downloaded_with_a_warning(filled: Terminal) -> None:
    filled.does("campaign", "release", "create", "harbour", *TIME)
    with filled.database() as database, database.writing() as db:
        withdraw_release(db, campaign_by_slug(db, "harbour").id, "1.0", reason="wrong topics")
    (shown,) = filled.json("campaign", "release", "list", "harbour")
    assert (shown["withdrawn"], shown["withdrawn_reason"]) == (True, "wrong topics")
    downloaded = filled.run("campaign", "release", "download", "harbour", "1.0")
    assert b"wrong topics" in downloaded.stderr
    assert filled.run("campaign", "release", "create", "harbour", "--version", "1.0").returncode == 1


def test_a_damaged_release_is_refused_by_every_command(filled: Terminal, tmp_path: Path) -> None:
    filled.does("campaign", "release", "create", "harbour", *TIME)
    content = bytearray(filled.does("campaign", "release", "download", "harbour", "1.0"))
    content[content.index(b"Read *it*")] ^= 1
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(content)
    done = filled.run("release", "check", damaged)
    assert done.returncode == 1
    assert b"guidelines.md" in done.stderr
    whole = tmp_path / "whole.zip"
    filled.does("campaign", "release", "download", "harbour", "1.0", "-o", whole)
    compared = filled.run("release", "compare", whole, damaged)
    assert compared.returncode == 1
    assert f"{damaged}: guidelines.md".encode() in compared.stderr
    # What is whole has its row, whatever becomes of the others.
    checked = filled.run("release", "check", whole, damaged, tmp_path / "nowhere.zip")
    assert checked.returncode == 1
    assert [line.split(b"\t")[3] for line in checked.stdout.splitlines()] == [b"result", b"whole", b"damaged"]
    assert f"{damaged}: guidelines.md".encode() in checked.stderr
    assert b"there is no such file" in checked.stderr
    assert filled.run("campaign", "release", "import", damaged).returncode == 1


def test_the_texts_of_a_collection_are_compared_with_those_that_were_judged(
    filled: Terminal, tmp_path: Path
) -> None:
    with filled.database() as database, database.writing() as db:
        # The PDF among them is no file of this test.
        plain = Document("d1", "Title of d1", "Text of d1").sha256
        db.execute(update(DocumentRow).where(DocumentRow.docno == "d1").values(sha256=plain))
    filled.does("campaign", "release", "create", "harbour", *TIME)
    release = tmp_path / "harbour.zip"
    filled.does("campaign", "release", "download", "harbour", "1.0", "-o", release)
    with ZipFile(release) as zipped:
        (name,) = (one for one in zipped.namelist() if one.endswith("documents.jsonl"))
        stated = {one["docno"]: one["sha256"] for one in map(json.loads, zipped.open(name))}
    with filled.database() as database, database.reading() as db:
        texts = {
            row.docno: {"id": row.docno, "title": row.title, "text": row.text}
            for row in db.execute(select(DocumentRow.docno, DocumentRow.title, DocumentRow.text))
            if stated.get(row.docno)
        }
    # What the help says that the hash is of: the title, a NUL and the text.
    one = next(iter(texts.values()))
    assert hashlib.sha256(f"{one['title']}\0{one['text']}".encode()).hexdigest() == stated[one["id"]]
    collection = tmp_path / "collection.jsonl"
    collection.write_text("".join(json.dumps(each) + "\n" for each in texts.values()), encoding="utf-8")
    same = filled.run("release", "check", release, "--documents", collection)
    assert same.returncode == 0, same.stderr
    assert f"{len(texts)} of {len(texts)} documents as judged" in same.stderr.decode()
    changed, *others = texts.values()
    lines = [{**changed, "text": "another text"}, *others[1:]]
    collection.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    other = filled.run("release", "check", release, "--documents", collection)
    assert other.returncode == 1
    said = other.stderr.decode()
    assert f"document {changed['id']} has SHA-256" in said
    assert f"1 document of the release not found, first {others[0]['id']}" in said
    assert f"{len(texts) - 2} of {len(texts)} documents as judged" in said


def test_a_release_is_told_to_people_with_what_is_still_open(filled: Terminal) -> None:
    create = ("campaign", "release", "create", "harbour", *TIME)
    done = filled.run(*create, "--licence", "CC-BY-4.0")
    assert done.returncode == 0
    first, digest = done.stdout.decode().splitlines()
    # Of tests.workflow.releases.filled: five pairs, of which d2 of T1 has one 1 and one 0, so no majority.
    assert first == "release 1.0: 4 qrels lines"
    assert len(digest.removeprefix("SHA-256 ")) == 64
    assert "warning: Release: 1 judged pair has no grade by this rule" in done.stderr.decode()
    (listed,) = filled.json("campaign", "release", "list", "harbour")
    assert (listed["version"], listed["lines"], listed["public"]) == ("1.0", 4, False)
    again = filled.json(*create)
    assert (again["version"], again["lines"]) == ("1.1", 4)
    heading, _, line = (
        one.split("\t") for one in filled.does("campaign", "release", "list", "harbour").decode().splitlines()
    )
    assert heading[:4] == ["version", "made", "rule", "lines"]
    assert (line[0], line[1], line[3], line[-1]) == ("1.0", "2026-03-04", "4", "for members")


def test_an_imported_release_says_what_came(filled: Terminal, tmp_path: Path, migrated_sqlite: Path) -> None:
    filled.does("campaign", "release", "create", "harbour", "--include", "runs", *TIME)
    file = tmp_path / "harbour.zip"
    filled.does("campaign", "release", "download", "harbour", "1.0", "-o", file)
    other = Terminal(new_instance(tmp_path / "two", migrated_sqlite))
    again = other.json("campaign", "release", "import", file)
    assert (again["campaign"], again["version"], again["topics"], again["runs"]) == ("harbour", "1.0", 2, 2)
    second = other.run("campaign", "release", "import", file, "--slug", "second")
    assert second.stdout == b"second\n"
    assert second.stderr.decode().startswith("release 1.0: 2 topics, ")
    assert "no account" in other.refused("campaign", "release", "import", file, "--organiser", "nobody")


@pytest.mark.parametrize("time", ["yesterday", "2026-03-04", "2026-03-04T05:06:07"])
def test_the_time_of_a_release_needs_a_time_zone(filled: Terminal, time: str) -> None:
    said = filled.refused("campaign", "release", "create", "harbour", "--at", time)
    wrong = f"{time!r} is not a time with a time zone"
    assert said == f"workbench: {wrong} (write it like 2026-11-22T12:00:00Z)\n"
