"""Kills, a full disk, a database that comes and goes: every acknowledged answer is there once.

`tests.faults.kills` is the same for hours; here each fault happens a few times.
"""

from __future__ import annotations

import http.client
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest

from tests.databases import new_postgresql_database, opened
from tests.faults.judges import PersistentJudge, Seat, losses, make_seats
from tests.faults.kills import try_engine
from tests.faults.servers import ForkedSite, KillablePostgresql, NoMount, SmallDisk, killable_postgresql
from tests.tree import ROOT
from workbench.storage.archive import ArchiveFile, restore, write_archive
from workbench.storage.migrate import migrate
from workbench.workflow.upkeep.checks import verify

pytestmark = pytest.mark.slow

SOON_SECONDS = 240
PEOPLE = 2


def seats_on(url: str) -> list[Seat]:
    with opened(url) as database:
        migrate(database)
        return make_seats(database, PEOPLE)


@contextmanager
def judging(site: ForkedSite, seats: Sequence[Seat]) -> Iterator[list[PersistentJudge]]:
    """People who judge until the end, and everything closed then."""
    site.start()
    judges = [PersistentJudge(site.port, seat, seed=5) for seat in seats]
    for judge in judges:
        judge.start()
    try:
        yield judges
    finally:
        for judge in judges:
            judge.ended.set()
        for judge in judges:
            judge.join(SOON_SECONDS)
        site.close()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON_SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def go_on(judges: Sequence[PersistentJudge], answers: int = 3) -> None:
    """Wait until everybody has had so many more answers acknowledged."""
    before = [len(judge.acknowledged) for judge in judges]
    wait_until(
        lambda: all(
            len(judge.acknowledged) >= count + answers for judge, count in zip(judges, before, strict=True)
        )
    )


def assert_kept(url: str, judges: Sequence[PersistentJudge]) -> None:
    """Everything acknowledged is there once and in order, and the database is sound."""
    with opened(url) as database:
        found = losses(database, judges)
        assert found.none, found
        assert verify(database).findings == ()
    assert [judge.refused for judge in judges] == [[]] * len(judges)


@pytest.mark.parametrize(
    ("engine", "served", "kills"), [("sqlite", False, 4), ("sqlite", True, 1), ("postgresql", False, 4)]
)
def test_kills_lose_double_and_displace_nothing(engine: str, served: bool, kills: int) -> None:
    found = try_engine(engine, kills, served=served, seconds=SOON_SECONDS, seed=3)
    assert found.site_kills + found.database_kills == kills
    assert found.losses.acknowledged >= kills
    assert found.kept, found


def test_a_full_disk_refuses_answers_and_keeps_those_before(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'workbench.sqlite3'}"
    seats = seats_on(url)
    site = ForkedSite(url)
    with judging(site, seats) as judges:
        go_on(judges)
        # No file of the process may grow any more; Python has it told by an error, as on a full disk.
        largest = max(path.stat().st_size for path in tmp_path.iterdir())
        _, hard = resource.prlimit(site.child, resource.RLIMIT_FSIZE)
        resource.prlimit(site.child, resource.RLIMIT_FSIZE, (largest, hard))
        wait_until(lambda: all(judge.failures for judge in judges))
        assert {status for judge in judges for status in judge.failures} == {"503"}
        # Somebody has made room.
        resource.prlimit(site.child, resource.RLIMIT_FSIZE, (hard, hard))
        go_on(judges)
    assert_kept(url, judges)


@pytest.fixture
def small_disk() -> SmallDisk:
    return SmallDisk(150)


def page_and_form(site: ForkedSite, token: str) -> set[int]:
    """The statuses of a page, and of a form that changes something."""
    kind = "application/x-www-form-urlencoded"
    found = set()
    for method, path, body in (("GET", "/account", None), ("POST", "/account/name", b"name=Another")):
        connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=SOON_SECONDS)
        connection.request(method, path, body, {"Cookie": f"workbench={token}", "Content-Type": kind})
        found.add(connection.getresponse().status)
        connection.close()
    return found


def write_log_until_it_ends(url: str) -> None:
    """Have PostgreSQL write to its log of changes alone, until it finds no room there and gives up."""
    statement = "select pg_logical_emit_message(false, 'x', repeat('x', 1000000))"
    with suppress(psycopg.OperationalError), psycopg.connect(url, autocommit=True) as connection:
        while True:
            connection.execute(statement)


def test_a_full_disk_of_postgresql_refuses_answers_and_keeps_those_before(small_disk: SmallDisk) -> None:
    try:
        with (
            killable_postgresql(disk=small_disk.mounted) as server,
            new_postgresql_database(server.url) as url,
        ):
            try_full_disk(server, url, small_disk)
    except NoMount:
        pytest.skip("this machine lets nobody mount a disk")


def try_full_disk(server: KillablePostgresql, url: str, disk: SmallDisk) -> None:
    seats = seats_on(url)
    site = ForkedSite(url)
    with judging(site, seats) as judges:
        go_on(judges)
        # Twice: the second time until the log of PostgreSQL finds no room and ends the server.
        for ends in (False, True):
            seen = [sum(judge.failures.values()) for judge in judges]
            disk.fill()
            if ends:
                write_log_until_it_ends(server.url)
            wait_until(partial(all_refused_since, judges, seen))
            assert page_and_form(site, seats[0].token) <= {200, 303, 503}
            disk.empty()
            if ends:
                server.stop()
                server.start()
            go_on(judges)
    assert {status for judge in judges for status in judge.failures} == {"503"}
    assert_kept(url, judges)


def test_a_database_that_only_reads_refuses_answers_until_it_writes_again() -> None:
    # As a standby does that is asked instead of its primary.
    with killable_postgresql() as server, new_postgresql_database(server.url) as url:
        seats = seats_on(url)
        site = ForkedSite(url)
        with judging(site, seats) as judges:
            go_on(judges)
            let_write(server.url, False)
            wait_until(lambda: all(judge.failures for judge in judges))
            assert page_and_form(site, seats[0].token) == {200, 503}
            let_write(server.url, True)
            go_on(judges)
        assert {status for judge in judges for status in judge.failures} == {"503"}
        assert_kept(url, judges)


def let_write(url: str, may: bool) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("set default_transaction_read_only = off")
        connection.execute(f"alter system set default_transaction_read_only = {'off' if may else 'on'}")
        connection.execute("select pg_reload_conf()")


def all_refused_since(judges: Sequence[PersistentJudge], seen: Sequence[int]) -> bool:
    """Whether each has been refused more often than so many times."""
    return all(sum(judge.failures.values()) > count for judge, count in zip(judges, seen, strict=True))


def test_a_database_that_goes_and_comes_back_is_used_again() -> None:
    with killable_postgresql() as server, new_postgresql_database(server.url) as url:
        seats = seats_on(url)
        site = ForkedSite(url)
        with judging(site, seats) as judges:
            for _ in range(2):
                go_on(judges)
                server.stop()
                seen = [sum(judge.failures.values()) for judge in judges]
                wait_until(partial(all_refused_since, judges, seen))
                server.start()
            go_on(judges)
        assert {status for judge in judges for status in judge.failures} == {"503"}
        assert_kept(url, judges)


def test_a_backup_beside_judging_has_all_that_was_acknowledged_before_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'workbench.sqlite3'}"
    seats = seats_on(url)
    with judging(ForkedSite(url), seats) as judges:
        go_on(judges)
        before = [list(judge.acknowledged) for judge in judges]
        with opened(url) as database:
            path = write_archive(database, tmp_path / "b.zip").path
        go_on(judges)
    with opened(f"sqlite:///{tmp_path / 'restored.sqlite3'}") as restored:
        with ArchiveFile(path) as backup:
            restore(backup, restored)
        assert verify(restored).findings == ()
        for judge, acknowledged in zip(judges, before, strict=True):
            later = judge.acknowledged[len(acknowledged) :]
            judge.acknowledged = acknowledged
            found = losses(restored, [judge])
            # What was acknowledged while it was made may be in it, in order and once.
            assert (found.lost, found.doubled) == (0, 0)
            assert found.misplaced <= len(later)
    assert_complete_after(url, judges)


def assert_complete_after(url: str, judges: Sequence[PersistentJudge]) -> None:
    with opened(url) as database:
        assert losses(database, judges).lost == 0


def test_a_restore_that_is_killed_continues(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'workbench.sqlite3'}"
    seats_on(url)
    with opened(url) as database:
        made = write_archive(database, tmp_path / "b.zip")
    command = [
        sys.executable,
        "-m",
        "workbench",
        "restore",
        str(made.path),
        "--instance",
        str(tmp_path / "new"),
    ]
    for tenths in range(1, 100):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            process.wait(0.4 * tenths)
        except subprocess.TimeoutExpired:
            process.kill()
        if process.wait() == 0:
            break
    with opened(f"sqlite:///{tmp_path / 'new' / 'workbench.sqlite3'}") as restored:
        found = verify(restored)
        assert (found.findings, found.contents) == ((), made.contents)


def test_a_read_only_disk_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    if shutil.which("unshare") is None:
        pytest.skip("no unshare, by which a disk is mounted for one process")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = f"mount -t tmpfs tmpfs {disk}"
    trial = subprocess.run(["unshare", "-rm", "sh", "-c", mounted], capture_output=True, check=False)
    if trial.returncode:
        pytest.skip("this machine lets nobody mount a disk")
    with opened(f"sqlite:///{tmp_path / 'workbench.sqlite3'}") as database:
        migrate(database)
    filled = f"{mounted} && cp {tmp_path}/workbench.sqlite3 {disk} && mount -o remount,ro {disk}"
    serve = f"{sys.executable} -m workbench serve --port 0 --instance {disk}"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", f"{filled} && {serve}"],
        cwd=ROOT,
        capture_output=True,
        timeout=SOON_SECONDS,
        check=False,
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"read-only" in done.stderr
