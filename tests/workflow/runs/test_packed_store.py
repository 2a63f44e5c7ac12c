"""Runs from their packed forms, in both databases, and without them."""

from __future__ import annotations

import io
import itertools

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, run_text, send_runs
from workbench.errors import NotFound
from workbench.formats.runs import cut, read_run
from workbench.pooling.run_tops import RunTops
from workbench.records import TieRule
from workbench.storage.engine import Database
from workbench.storage.tables import PackedRunRow
from workbench.workflow.pools.making import current_runs
from workbench.workflow.runs.packed_store import (
    lengths_of,
    pack_runs,
    pack_runs_one_by_one,
    run_for_use,
    run_leading,
    tops_of,
)
from workbench.workflow.runs.run_checks import check_files, run_checker
from workbench.workflow.runs.store import add_runs, remove_run, store_runs

# Ties at every cut: in the file c, a, b, e, f, d stand with the scores 3, 2, 2, 2, 2, 1.
TIED = "".join(
    f"T1 Q0 {docno} 1 {score} tied\n" for docno, score in zip("caébefd", "3222221", strict=True)
).encode()
# A docno that no array holds, as long as ids may be.
LONG = run_text("long", {"T1": ("a", "x" * 512, "b"), "T2": ("d1",)})
FILES = {"alpha": run_text("alpha", ALPHA), "beta": run_text("beta", BETA), "tied": TIED, "long": LONG}


def loaded(db: Session) -> int:
    """A campaign with these files as runs."""
    made = campaign_with_people(db)
    added = add_runs(db, made.campaign.id, [(name, io.BytesIO(text)) for name, text in FILES.items()])
    assert not added.refused
    return made.campaign.id


def forms(db: Session) -> int:
    return db.scalar(select(func.count()).select_from(PackedRunRow)) or 0


@pytest.mark.parametrize("kept", [True, False], ids=["packed", "from the file"])
def test_runs_and_their_tops_are_those_of_the_file(database: Database, kept: bool) -> None:
    with database.writing() as db:
        campaign_id = loaded(db)
        assert forms(db) == 4
        if not kept:
            db.execute(delete(PackedRunRow))
    # Nobody who only reads may write.
    with database.reading() as db:
        hashes = current_runs(db, campaign_id)
        for tag, text in FILES.items():
            plain = read_run(io.BytesIO(text), source=tag).run
            assert run_for_use(db, campaign_id, tag) == plain
            for depth, ties in itertools.product((1, 2, 3, 4, 6, 100), TieRule):
                first = cut(plain, depth, ties)
                assert run_for_use(db, campaign_id, tag, depth=depth, ties=ties).rankings == first.rankings
                leading = run_leading(db, campaign_id, tag, sha256=hashes[tag], depth=depth)
                assert cut(leading, depth, ties).rankings == first.rankings
                (tops,) = tops_of(db, campaign_id, [tag], depth=depth, ties=ties)
                assert listed(tops) == listed(RunTops.of(first))
        lengths = lengths_of(db, campaign_id, ["alpha", "long"])
        assert lengths == {"alpha": {"T1": 4, "T2": 3}, "long": {"T1": 3, "T2": 1}}
        assert forms(db) == (4 if kept else 0)


def listed(tops: RunTops) -> list[tuple[str, int, bytes]]:
    """Topic, rank and docno, sorted."""
    rows = zip(tops.numbers, tops.ranks, tops.docnos.tolist(), strict=True)
    return sorted((tops.topics[number], int(rank), docno) for number, rank, docno in rows)


@pytest.mark.engines
def test_forms_that_are_missing_are_made_again(db: Session) -> None:
    campaign_id = loaded(db)
    before = db.execute(select(PackedRunRow.run_id, PackedRunRow.records)).all()
    assert pack_runs(db, campaign_id) == 0
    first, *_ = sorted(row.run_id for row in before)
    db.execute(delete(PackedRunRow).where(PackedRunRow.run_id == first))
    assert pack_runs(db, campaign_id) == 1
    after = db.execute(select(PackedRunRow.run_id, PackedRunRow.records)).all()
    assert {tuple(row) for row in after} == {tuple(row) for row in before}


@pytest.mark.engines
def test_stored_runs_are_packed_one_by_one(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        files = [(name, io.BytesIO(text)) for name, text in FILES.items()]
        # As the pages do: what takes its time comes after the transaction.
        store_runs(db, made.campaign.id, list(check_files(run_checker(db, made.campaign.id), files)))
        assert forms(db) == 0
    assert pack_runs_one_by_one(database, made.campaign.id) == 4
    assert pack_runs_one_by_one(database, made.campaign.id) == 0
    with database.reading() as db:
        assert forms(db) == 4


@pytest.mark.engines
def test_the_form_goes_with_its_run(db: Session) -> None:
    made = campaign_with_people(db)
    send_runs(db, made.campaign.id, alpha=ALPHA)
    remove_run(db, made.campaign.id, "alpha")
    assert forms(db) == 0
    with pytest.raises(NotFound, match="alpha"):
        run_for_use(db, made.campaign.id, "alpha")
