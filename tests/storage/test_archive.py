"""A backup is of one moment, whole, and never replaces another; a damaged one is refused."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from operator import methodcaller
from pathlib import Path

import pytest

from tests.databases import opened, opened_copy
from workbench.errors import WorkbenchError
from workbench.storage.archive import ArchiveFile, restore, write_archive
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, CampaignRow, SessionRow

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def fill(database: Database) -> None:
    """Two accounts, one of them signed in, and a campaign."""
    with database.writing() as db:
        db.add_all([account("ada"), account("grace")])
        db.add(CampaignRow(slug="c", name="C", scale={"b": 1, "a": 2.50}, created_at=NOW))
        db.flush()
        db.add(SessionRow(token_hash="0" * 64, account_id=1, created_at=NOW, expires_at=NOW))


@pytest.fixture
def instance(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """An instance with accounts and a campaign."""
    with opened_copy(migrated_sqlite, tmp_path) as database:
        fill(database)
        yield database


def account(login: str) -> AccountRow:
    return AccountRow(login=login, name=login.title(), password_hash="-", created_at=NOW)


@pytest.mark.engines
def test_it_holds_what_was_there_when_it_began_whatever_is_written_meanwhile(
    database: Database, tmp_path: Path
) -> None:
    fill(database)

    def write_beside(step: str, rows: int) -> None:
        if step == "Writing" and rows and not seen:
            seen.append(step)
            with database.writing() as db:
                db.add(account("late"))

    seen: list[str] = []
    made = write_archive(database, tmp_path / "b.zip", write_beside)
    assert seen
    assert made.contents.count("account") == 2
    assert write_archive(database, tmp_path / "later.zip").contents.count("account") == 3


def test_it_is_for_its_owner_only_and_leaves_sessions_out(instance: Database, tmp_path: Path) -> None:
    made = write_archive(instance, tmp_path / "b.zip")
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert made.size == made.path.stat().st_size
    with zipfile.ZipFile(made.path) as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read("manifest.json"))
        (campaign,) = archive.read("rows/campaign.jsonl").splitlines()
    assert "rows/session.jsonl" not in names
    assert "rows/sign_in_attempt.jsonl" not in names
    assert manifest["sha256"] == made.contents.sha256
    # JSON as it is stored: neither its order nor its numbers are written anew.
    columns = {one["name"]: one["columns"] for one in manifest["tables"]}
    assert json.loads(campaign)[columns["campaign"].index("scale")] == '{"b": 1, "a": 2.5}'


def test_it_replaces_no_file_and_leaves_nothing_where_it_cannot_be_written(
    instance: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    write_archive(instance, folder / "b.zip")
    before = (folder / "b.zip").read_bytes()
    with pytest.raises(WorkbenchError, match="exists"):
        write_archive(instance, folder / "b.zip")

    def fail(step: str, rows: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(WorkbenchError, match="No space left"):
        write_archive(instance, folder / "c.zip", fail)
    assert [path.name for path in folder.iterdir()] == ["b.zip"]
    assert (folder / "b.zip").read_bytes() == before


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flipped(path: Path) -> None:
    # In compressed rows, which begin after a header of 30 bytes, the name and 20 bytes for large files.
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo("rows/account.jsonl")
    content = bytearray(path.read_bytes())
    content[member.header_offset + 50 + len(member.filename) + 10] ^= 1
    path.write_bytes(bytes(content))


def changed(path: Path, member: str, change: Callable[[bytes], bytes]) -> None:
    """A zip that is whole, with one member changed."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, change(content) if name == member else content)


def row_changed(path: Path) -> None:
    changed(path, "rows/account.jsonl", lambda content: content.replace(b'"ada"', b'"eve"'))


def row_removed(path: Path) -> None:
    changed(path, "rows/account.jsonl", lambda content: content.splitlines(keepends=True)[0])


def count_changed(path: Path) -> None:
    changed(path, "manifest.json", lambda content: content.replace(b'"rows": 2', b'"rows": 1'))


def another_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("qrels", "1 0 d 1\n")


def count_removed(path: Path) -> None:
    changed(path, "manifest.json", lambda content: content.replace(b'"rows": 2', b'"lines": 2'))


def column_renamed(path: Path) -> None:
    """With the hash of the whole, which has no names of columns."""
    changed(path, "manifest.json", lambda content: content.replace(b'"login"', b'"nickname"'))


def manifest_broken(path: Path) -> None:
    changed(path, "manifest.json", lambda content: content[:50])


def manifest_nested(path: Path) -> None:
    changed(path, "manifest.json", lambda _: b"[" * 200_000)


DAMAGES = (
    *(truncated, flipped, row_changed, row_removed, count_changed, another_zip),
    *(count_removed, column_renamed, manifest_broken, manifest_nested),
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_one_is_refused(instance: Database, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = write_archive(instance, tmp_path / "b.zip").path
    damage(path)
    with pytest.raises(WorkbenchError, match="not a complete backup"):
        _restored(path)


def _restored(path: Path) -> None:
    with opened("sqlite://") as empty, ArchiveFile(path) as backup:
        backup.check()
        restore(backup, empty)


def test_of_a_database_without_tables_and_of_no_file_there_is_no_backup(tmp_path: Path) -> None:
    with opened("sqlite://") as empty, pytest.raises(WorkbenchError, match="no tables of Workbench") as told:
        write_archive(empty, tmp_path / "b.zip")
    assert "--instance" in told.value.remedy
    with pytest.raises(WorkbenchError, match="cannot be read: No such file"):
        ArchiveFile(tmp_path / "b.zip")


def test_one_of_a_newer_version_names_it(instance: Database, tmp_path: Path) -> None:
    path = write_archive(instance, tmp_path / "b.zip").path
    for old, new in ((b'"revision": "', b'"revision": "9'), (b'"program": "', b'"program": "9')):
        changed(path, "manifest.json", methodcaller("replace", old, new))
    with pytest.raises(WorkbenchError, match="knows revisions up to") as refusal:
        ArchiveFile(path)
    assert "Workbench 9" in refusal.value.remedy
