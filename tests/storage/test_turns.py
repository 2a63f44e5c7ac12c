"""Writers of an SQLite file: one place to wait for the next turn."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from workbench.errors import Unavailable
from workbench.records import without_collections
from workbench.storage.engine import Database
from workbench.storage.sqlite import NextWriter


def test_one_process_is_next_and_another_gives_up_in_time(tmp_path: Path) -> None:
    one, other = (NextWriter(tmp_path / "next") for _ in range(2))
    with one.place(1), pytest.raises(Unavailable), other.place(0):
        pass
    with other.place(0):
        pass


def test_a_folder_that_takes_no_file_is_for_the_database_to_tell(tmp_path: Path) -> None:
    with NextWriter(tmp_path / "nowhere" / "next").place(0):
        pass


@pytest.mark.parametrize("way", ["writing", "deleting"])
def test_no_garbage_is_collected_while_others_wait_for_the_lock(database: Database, way: str) -> None:
    # The collector stays as it was, also if the transaction fails.
    assert gc.isenabled()
    collecting = []

    def fails() -> None:
        collecting.append(gc.isenabled())
        raise LookupError

    with pytest.raises(LookupError), getattr(database, way)():
        fails()
    assert collecting == [not database.embedded]
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with without_collections():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
