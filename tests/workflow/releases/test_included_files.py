"""Runs and originals in a release: read as it is stored, and the same bytes as if all had been in memory."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterable

import pytest
from sqlalchemy import Delete, Update, delete, select, update
from sqlalchemy.orm import Session

from tests.builders import ALPHA, send_runs
from tests.releases.made import write_release
from tests.workflow.releases.filled import filled_campaign, filled_release
from tests.workflow.releases.test_releases import NOW, judged_campaign
from workbench.consensus.rules import rule_choice
from workbench.errors import Conflict
from workbench.releases.archive import UnreadFile
from workbench.releases.check import open_release
from workbench.releases.contents import Included
from workbench.storage import run_files
from workbench.storage.engine import Database
from workbench.storage.tables import OriginalRow, ReleasePartRow, ReleaseRow, RunRow
from workbench.workflow.releases import making
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.included import included_originals, included_runs
from workbench.workflow.releases.making import MadeRelease, make_release
from workbench.workflow.releases.releases import release_parts
from workbench.workflow.runs.store import remove_run


@pytest.fixture
def campaign_id(database: Database) -> int:
    """A judged campaign with a run that is in no pool."""
    with database.writing() as db:
        made = judged_campaign(db)
        send_runs(db, made.campaign.id, late=ALPHA)
    return made.campaign.id


def released(database: Database, campaign_id: int) -> MadeRelease:
    request = ReleaseRequest("1.0", rule_choice("majority"), frozenset({Included.RUNS}), seed=7)
    return make_release(database, campaign_id, request, now=NOW)


@pytest.mark.engines
def test_files_that_are_read_as_they_are_written_make_the_same_release(
    database: Database, campaign_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each part of a file in a transaction of its own.
    monkeypatch.setattr(run_files, "PART", 7)
    made = released(database, campaign_id).release
    with database.reading() as db:
        content = b"".join(release_parts(db, made))
    contents = open_release(io.BytesIO(content), source="release.zip")
    assert sorted(contents.run_files) == ["alpha", "beta", "late"]
    # What was read has the bytes of the runs in memory.
    assert write_release(contents) == content
    assert len(content) == made.size


def remove_late(db: Session, campaign_id: int) -> None:
    remove_run(db, campaign_id, "late")


def damage_late(db: Session, _: int) -> None:
    plain = gzip.decompress(db.scalars(select(RunRow.content_gzip).where(RunRow.tag == "late")).one())
    other = gzip.compress(plain.replace(b"d1", b"d7"))
    db.execute(update(RunRow).where(RunRow.tag == "late").values(content_gzip=other))


@pytest.mark.engines
@pytest.mark.parametrize("happens", [remove_late, damage_late])
def test_a_run_that_is_not_what_it_was_stops_the_release_and_nothing_is_left(
    database: Database,
    campaign_id: int,
    happens: Callable[[Session, int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def included(db: Session, of: Database, number: int) -> dict[str, UnreadFile]:
        found = included_runs(db, of, number)
        with database.writing() as other:
            happens(other, number)
        return found

    monkeypatch.setattr(making, "included_runs", included)
    with pytest.raises(Conflict, match="file of run 'late' cannot be read"):
        released(database, campaign_id)
    with database.reading() as db:
        assert db.scalars(select(ReleaseRow.id)).all() == []
        assert db.scalars(select(ReleasePartRow.number)).all() == []


@pytest.mark.parametrize(
    "happens",
    [update(OriginalRow).values(content=b"%PDF+"), delete(OriginalRow)],
    ids=["replaced", "removed"],
)
def test_an_original_that_is_replaced_meanwhile_stops_the_release(
    database: Database, happens: Update | Delete, monkeypatch: pytest.MonkeyPatch
) -> None:
    def included(db: Session, of: Database, number: int, docnos: Iterable[str]) -> dict[str, UnreadFile]:
        found = included_originals(db, of, number, docnos)
        with database.writing() as other:
            other.execute(happens.where(OriginalRow.media_type == "application/pdf"))
        return found

    with database.writing() as db:
        number = filled_campaign(db)
    monkeypatch.setattr(making, "included_originals", included)
    with pytest.raises(Conflict, match="document 'd1' was replaced or removed"):
        filled_release(database, number, Included.DOCUMENTS, Included.ORIGINALS)
    with database.reading() as db:
        assert db.scalars(select(ReleaseRow.id)).all() == []
