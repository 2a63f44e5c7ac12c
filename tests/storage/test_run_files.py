from __future__ import annotations

import gzip
import zlib

import pytest
from sqlalchemy import select, update

from tests.builders import ALPHA, campaign_with_people, send_runs
from workbench.storage.engine import Database
from workbench.storage.run_files import PART, plain_file, plain_size, unpacked
from workbench.storage.tables import RunRow

# No two lines are alike, so that packed it has several parts as well.
LINES = b"".join(b"%x\n" % (number * 2654435761 % 2**64) for number in range(120_000))


def stored(database: Database, content_gzip: bytes) -> int:
    """The id of a run with this as its stored file."""
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA)
        number = db.scalars(select(RunRow.id)).one()
        db.execute(update(RunRow).values(content_gzip=content_gzip))
    return number


@pytest.mark.engines
def test_a_file_comes_in_parts_that_make_the_whole(database: Database) -> None:
    packed = gzip.compress(LINES, 1)
    assert len(packed) > 2 * PART
    number = stored(database, packed)
    with database.reading() as db:
        parts = list(plain_file(db, number))
        assert plain_size(db, number) == len(LINES)
        assert plain_size(db, number + 1) == 0
    assert b"".join(parts) == LINES
    assert max(map(len, parts)) <= PART


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(bytes(5 * PART)), gzip.compress(b"one") + gzip.compress(b"two"), gzip.compress(b""), b""],
    ids=["much-smaller", "joined", "empty", "nothing"],
)
@pytest.mark.parametrize("size", [1, 7, 10**6])
def test_what_is_unpacked_is_what_gzip_makes_of_it(packed: bytes, size: int) -> None:
    parts = list(unpacked(packed[start : start + size] for start in range(0, len(packed), size)))
    assert b"".join(parts) == gzip.decompress(packed)
    # However much a part of the file holds, no more is in memory.
    assert all(0 < len(part) <= PART for part in parts)


def test_a_damaged_file_is_no_shorter_one() -> None:
    packed = gzip.compress(LINES[:1000])
    with pytest.raises(EOFError, match="before its end"):
        list(unpacked([packed[:-1]]))
    with pytest.raises(zlib.error, match="incorrect data check"):
        list(unpacked([packed[:-8], bytes(8)]))
