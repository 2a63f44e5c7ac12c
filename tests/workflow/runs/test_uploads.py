"""The dry run: checked outside of writing transactions, kept once, forgotten in time."""

from __future__ import annotations

import gzip
import io
import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, update

from tests.builders import ALPHA, campaign_with_people, run_text, send_runs
from workbench.errors import Conflict, NotFound
from workbench.formats.run_rules import RuleSet, RunRules
from workbench.pooling.strategies import PoolRecipe
from workbench.storage.engine import Database
from workbench.storage.tables import CheckedFileRow
from workbench.workflow.pools.listing import pool_entries
from workbench.workflow.pools.making import make_pool
from workbench.workflow.runs import uploads
from workbench.workflow.runs.packed_store import run_for_use
from workbench.workflow.runs.run_checks import check_file, run_checker
from workbench.workflow.runs.run_records import runs_of
from workbench.workflow.runs.run_rules import cut_of, keep_list, keep_rules, listed_docnos, read_list

BATCH = "a-batch-of-files"
GAMMA = run_text("gamma", {"T1": ("d6", "d1"), "T2": ("d2", "d6")})


def campaign(database: Database) -> int:
    with database.writing() as db:
        return campaign_with_people(db).campaign.id


def check(database: Database, campaign_id: int, name: str, content: bytes, batch: str = BATCH) -> int:
    with database.reading() as db:
        expected = run_checker(db, campaign_id, batch=batch, opening=database.reading)
    checked = check_file(expected, name, io.BytesIO(content))
    with database.writing() as db:
        return uploads.add_to_batch(db, campaign_id, batch, checked)


def found(database: Database, campaign_id: int) -> uploads.Batch:
    with database.reading() as db:
        return uploads.batch_of(db, campaign_id, BATCH)


def test_a_file_is_no_run_until_it_is_kept_and_then_gone_from_the_desk(database: Database) -> None:
    campaign_id = campaign(database)
    check(database, campaign_id, "gamma.gz", gzip.compress(GAMMA))
    with database.writing() as db:
        assert runs_of(db, campaign_id) == ()
        assert uploads.keep_files(db, campaign_id, BATCH).tags == ("gamma",)
    with database.reading() as db:
        (line,) = runs_of(db, campaign_id)
        assert (line.tag, line.file_name, line.lines) == ("gamma", "gamma.gz", 4)
        assert uploads.waiting_batches(db, campaign_id) == ()
        (file,) = uploads.batch_of(db, campaign_id, BATCH).files
        with pytest.raises(NotFound, match="not kept"):
            uploads.file_content(db, campaign_id, BATCH, file.id)


@pytest.mark.engines
def test_two_who_keep_at_once_keep_each_file_once(database: Database) -> None:
    campaign_id = campaign(database)
    for tag in ("gamma", "delta"):
        check(database, campaign_id, f"{tag}.txt", GAMMA.replace(b"gamma", tag.encode()))
    done: list[tuple[str, ...]] = []

    def keep() -> None:
        with database.writing() as db:
            done.append(uploads.keep_files(db, campaign_id, BATCH).tags)

    threads = [threading.Thread(target=keep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(tags) for tags in done) == [0, 2]
    with database.reading() as db:
        assert [line.tag for line in runs_of(db, campaign_id)] == ["delta", "gamma"]


@pytest.mark.engines
def test_a_tag_that_was_taken_meanwhile_refuses_its_file_and_no_other(database: Database) -> None:
    campaign_id = campaign(database)
    first = check(database, campaign_id, "alpha.txt", GAMMA.replace(b"gamma", b"alpha"))
    second = check(database, campaign_id, "gamma.txt", GAMMA)
    with database.writing() as db:
        send_runs(db, campaign_id, alpha=ALPHA)
    batch = found(database, campaign_id)
    assert [file.id for file in batch.keepable] == [second]
    assert batch.files[0].report.errors[0].message == 'the tag "alpha" is taken by run "alpha"'
    with database.writing() as db:
        kept = uploads.keep_files(db, campaign_id, BATCH, [second, first])
    assert kept.tags == ("gamma",)
    assert [(one.source, one.code) for one in kept.refused] == [("alpha.txt", "tag-taken")]
    with database.reading() as db:
        assert [line.tag for line in runs_of(db, campaign_id)] == ["alpha", "gamma"]


def test_of_two_files_with_one_tag_the_second_waits_for_the_first_to_go(database: Database) -> None:
    campaign_id = campaign(database)
    first = check(database, campaign_id, "a.txt", GAMMA)
    second = check(database, campaign_id, "b.txt", GAMMA.replace(b"d6 1", b"d/4 1"))
    assert [file.id for file in found(database, campaign_id).keepable] == [first]
    with database.reading() as db:
        expected = run_checker(db, campaign_id, batch=BATCH, opening=database.reading)
    other = check_file(expected, "c.txt", io.BytesIO(GAMMA.replace(b"gamma", b"delta")))
    with database.writing() as db:
        third = uploads.add_to_batch(db, campaign_id, BATCH, other, instead_of=first)
    assert {file.id for file in found(database, campaign_id).keepable} == {second, third}


@pytest.mark.engines
def test_the_same_file_sent_again_takes_its_own_place(database: Database) -> None:
    campaign_id = campaign(database)
    check(database, campaign_id, "gamma.txt", GAMMA)
    again = check(database, campaign_id, "gamma.txt", GAMMA)
    zip_file = b"PK\x03\x04"
    check(database, campaign_id, "bad.zip", zip_file)
    check(database, campaign_id, "bad.zip", zip_file)
    assert [file.id for file in found(database, campaign_id).keepable] == [again]
    assert len(found(database, campaign_id).files) == 2


def test_a_kept_file_is_not_replaced(database: Database) -> None:
    campaign_id = campaign(database)
    number = check(database, campaign_id, "gamma.txt", GAMMA)
    with database.writing() as db:
        uploads.keep_files(db, campaign_id, BATCH)
    with database.reading() as db:
        expected = run_checker(db, campaign_id, batch=BATCH, opening=database.reading)
    checked = check_file(expected, "gamma.txt", io.BytesIO(GAMMA))
    with pytest.raises(Conflict, match="become a run"), database.writing() as db:
        uploads.add_to_batch(db, campaign_id, BATCH, checked, instead_of=number)


def test_files_of_another_campaign_are_not_seen_nor_kept(database: Database) -> None:
    campaign_id = campaign(database)
    number = check(database, campaign_id, "gamma.txt", GAMMA)
    other = campaign_id + 1
    with database.writing() as db:
        with pytest.raises(NotFound):
            uploads.batch_of(db, other, BATCH)
        with pytest.raises(NotFound):
            uploads.file_content(db, other, BATCH, number)
        with pytest.raises(NotFound):
            uploads.file_content(db, campaign_id, "another-batch", number)
        assert uploads.discard_batch(db, other, BATCH) == 0


@pytest.mark.engines
def test_what_nobody_kept_for_a_week_is_forgotten_with_the_next_batch(database: Database) -> None:
    campaign_id = campaign(database)
    check(database, campaign_id, "gamma.txt", GAMMA, batch="an-older-batch")
    check(database, campaign_id, "kept.txt", GAMMA.replace(b"gamma", b"kept"), batch="a-kept-batch")
    with database.writing() as db:
        uploads.keep_files(db, campaign_id, "a-kept-batch")
        long_ago = datetime.now(UTC) - timedelta(days=7, seconds=1)
        db.execute(update(CheckedFileRow).values(added_at=long_ago))
    with database.reading() as db:
        assert uploads.waiting_batches(db, campaign_id) == ()
    check(database, campaign_id, "delta.txt", GAMMA.replace(b"gamma", b"delta"))
    with database.reading() as db:
        assert set(db.scalars(select(CheckedFileRow.batch))) == {"a-kept-batch", BATCH}


def test_a_file_that_is_no_text_leaves_its_report_and_no_content(database: Database) -> None:
    campaign_id = campaign(database)
    check(database, campaign_id, "bomb.gz", gzip.compress((b" " * 1023 + b"\n") * 2**12) * 40)
    (file,) = found(database, campaign_id).files
    assert [finding.code for finding in file.report.errors] == ["gzip-bomb"]
    assert (file.readable, file.report.sha256) == (False, None)
    with database.reading() as db:
        assert db.scalar(select(func.length(CheckedFileRow.content_gzip))) is None


def test_a_run_of_more_lines_than_any_is_read_no_further(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.formats.run_table.MOST_LINES", 4)
    campaign_id = campaign(database)
    check(database, campaign_id, "gamma.txt", GAMMA + b"T1 Q0 d2 3 1 gamma\n" * 9)
    (file,) = found(database, campaign_id).files
    assert [(f.line, f.code) for f in file.report.errors] == [(5, "too-long")]


@pytest.mark.engines
def test_ids_that_cannot_be_stored_are_refused_at_their_lines(database: Database) -> None:
    campaign_id = campaign(database)
    long = b"d" * 513
    check(database, campaign_id, "gamma.txt", GAMMA + b"T1 Q0 %b 3 0 gamma\nT1 Q0 caf\xe9 4 0 gamma\n" % long)
    (file,) = found(database, campaign_id).files
    lines = GAMMA.count(b"\n")
    assert [(f.line, f.code) for f in file.report.errors] == [
        (lines + 1, "id-length"),
        (lines + 2, "id-encoding"),
    ]


def test_a_file_of_blank_lines_is_an_empty_one_however_many(database: Database) -> None:
    campaign_id = campaign(database)
    check(database, campaign_id, "blank.txt", b"\n" * 2_500_000)
    (file,) = found(database, campaign_id).files
    assert [(f.line, f.code) for f in file.report.errors] == [(None, "empty")]


def test_topics_that_a_campaign_lets_pass_are_not_used(database: Database) -> None:
    campaign_id = campaign(database)
    with database.writing() as db:
        keep_rules(db, campaign_id, RunRules(rule_set=RuleSet.LENIENT))
    check(database, campaign_id, "gamma.txt", GAMMA + b"T9 Q0 d1 1 1 gamma\n")
    with database.writing() as db:
        assert uploads.keep_files(db, campaign_id, BATCH).tags == ("gamma",)
        assert set(run_for_use(db, campaign_id, "gamma").rankings) == {"T1", "T2"}
        pool = make_pool(db, campaign_id, PoolRecipe(parameters={"depth": 1})).pool
        assert {pair.topic for pair in pool_entries(db, campaign_id, pool.name)} == {"T1", "T2"}
        assert runs_of(db, campaign_id)[0].warnings[0].code == "unknown-topic"


def test_the_cut_is_that_of_the_latest_pool_of_depth(database: Database) -> None:
    campaign_id = campaign(database)
    with database.writing() as db:
        assert cut_of(db, campaign_id) is None
        send_runs(db, campaign_id, alpha=ALPHA)
        make_pool(db, campaign_id, PoolRecipe(parameters={"depth": 1}))
        make_pool(db, campaign_id, PoolRecipe(strategy="random", parameters={"budget": 2, "seed": 1}))
        assert cut_of(db, campaign_id) == 1
    # d1 and d2 tie at the top of T1.
    check(database, campaign_id, "tied.txt", b"T1 Q0 d1 1 5 tied\nT1 Q0 d2 2 5 tied\nT2 Q0 d1 1 5 tied\n")
    (file,) = found(database, campaign_id).files
    assert "cut-ties" in {finding.code for finding in file.report.warnings}


@pytest.mark.engines
def test_fifty_thousand_docnos_are_kept_to_the_byte(database: Database) -> None:
    campaign_id = campaign(database)
    ids = [f"doc-{number}" for number in range(50_000)] + ["é#/5", "漢"]
    found = read_list("ids", io.BytesIO("\n".join(ids).encode()))
    with database.writing() as db:
        keep_list(db, campaign_id, found)
        keep_list(db, campaign_id, found)
    with database.reading() as db:
        assert listed_docnos(db, campaign_id) == frozenset(ids)
