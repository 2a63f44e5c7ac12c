"""Large files are written beside the database while they are made, and sent once they are whole."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.wrappers import Response

from workbench.errors import NoRoom, WorkbenchError
from workbench.web.access import anyone
from workbench.web.bodies import IN_MEMORY
from workbench.web.downloads import streamed
from workbench.web.refusals import answer_of
from workbench.web.response_files import FOLDER, STALE_SECONDS, FileBody, ResponseFiles

PART = b"x" * 600_000


@pytest.fixture
def files(tmp_path: Path) -> ResponseFiles:
    return ResponseFiles(tmp_path)


def left(instance: Path) -> list[Path]:
    folder = instance / FOLDER
    return list(folder.iterdir()) if folder.exists() else []


def test_what_fits_into_memory_stays_there(files: ResponseFiles, tmp_path: Path) -> None:
    assert files.kept([b"a", b"b"]) == b"ab"
    assert len(files.kept([b"x" * IN_MEMORY])) == IN_MEMORY  # type: ignore[arg-type]  # these are bytes
    assert left(tmp_path) == []


def test_more_is_a_file_of_the_owner_alone_until_it_is_closed(files: ResponseFiles, tmp_path: Path) -> None:
    body = files.kept(repeat(PART, 3))
    assert isinstance(body, FileBody)
    (path,) = left(tmp_path)
    assert (path.stat().st_mode & 0o077, path.parent.stat().st_mode & 0o077) == (0, 0)
    assert (b"".join(body), body.size) == (PART * 3, len(PART) * 3)
    body.close()
    assert left(tmp_path) == []


def test_whoever_takes_a_file_removes_it(files: ResponseFiles, tmp_path: Path) -> None:
    body = files.kept(repeat(PART, 2))
    assert isinstance(body, FileBody)
    path = body.take()
    body.close()
    assert left(tmp_path) == [path]


def test_files_of_a_killed_process_are_removed(files: ResponseFiles, tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir()
    old, new = folder / "old", folder / "new"
    for path, age in ((old, STALE_SECONDS + 60), (new, 60)):
        path.touch()
        os.utime(path, (time.time() - age,) * 2)
    files.remove_stale()
    assert left(tmp_path) == [new]


def test_a_disk_without_room_is_told_and_keeps_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # A file where the folder would be: as with a full disk, it cannot be written.
    (tmp_path / FOLDER).touch()
    with pytest.raises(NoRoom):
        ResponseFiles(tmp_path).kept(repeat(PART, 2))
    assert str(tmp_path / FOLDER) in caplog.text


def test_a_large_download_has_its_length_and_leaves_no_file(
    own_app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0

    def parts() -> Iterator[bytes]:
        nonlocal made
        for _ in range(2):
            made += 1
            yield PART

    def large() -> Response:
        return streamed(parts(), "large.tsv", kind="text/plain")

    own_app.add_url_rule("/large", "large", anyone(large))
    client = own_app.test_client()
    head = client.head("/large")
    assert (head.content_length, head.data, left(tmp_path)) == (1_200_000, b"", [])
    answer = client.get("/large")
    assert (answer.content_length, answer.data) == (1_200_000, PART * 2)
    answer.close()
    assert left(tmp_path) == []
    # A server that knows the file sends it by itself.
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/large", "SERVER_NAME": "x", "SERVER_PORT": "80"}
    environ |= {"wsgi.url_scheme": "http"}
    whole = answer_of(own_app.wsgi_app, environ, ResponseFiles(Path("another")))
    assert isinstance(whole.body, Path)
    assert left(tmp_path) == [whole.body]
    assert dict(whole.headers)["Content-Length"] == "1200000"


@pytest.mark.parametrize(("error", "status"), [(WorkbenchError("one id is odd"), 422), (NoRoom("full"), 507)])
def test_an_error_in_the_middle_is_an_error_and_no_half_file(
    own_app: Flask, tmp_path: Path, error: WorkbenchError, status: int
) -> None:
    def parts() -> Iterator[bytes]:
        yield from (PART, PART)
        raise error

    own_app.add_url_rule("/large", "large", anyone(lambda: streamed(parts(), "l.tsv", kind="text/plain")))
    answer = own_app.test_client().get("/large")
    assert answer.status_code == status
    assert "Content-Disposition" not in answer.headers
    assert left(tmp_path) == []
