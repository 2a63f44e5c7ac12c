"""Files that stand in a temporary one while a release is made are those that were given."""

from __future__ import annotations

import hashlib
import zlib

import pytest

from tests.releases.made import build_zip, release_files, small_release
from workbench.errors import WorkbenchError
from workbench.releases import files
from workbench.releases.files import Spool, release_parts


@pytest.mark.parametrize(
    "content", [[], [b""], [b"abcdefgh"], [b"ab", b"", b"cde", b"fghijklmnopqrs"]], ids=len
)
def test_a_file_is_read_back_from_its_beginning_each_time(
    content: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PART", 5)
    kept = Spool()
    before, found, after = kept.add([b"before"]), kept.add(iter(content)), kept.add([b"after"])
    whole = b"".join(content)
    for _ in range(2):
        assert b"".join(found.parts()) == whole
    assert (found.size, found.crc) == (len(whole), zlib.crc32(whole))
    assert found.sha256 == hashlib.sha256(whole).hexdigest()
    assert [b"".join(one.parts()) for one in (before, after)] == [b"before", b"after"]


def test_a_release_from_disk_has_the_bytes_of_one_from_memory() -> None:
    contents = small_release()
    assert b"".join(release_parts(contents)) == build_zip(release_files(contents))


def test_two_forms_cannot_write_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "WRITERS", (files._qrels, files._qrels))
    with pytest.raises(WorkbenchError, match=r"qrels\.txt"):
        release_parts(small_release())
