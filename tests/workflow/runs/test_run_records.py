"""The record of a run: what is said of it, the verdict on it, and what replaces it."""

from __future__ import annotations

import gzip
import hashlib
import io

import pytest
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, run_text, send_runs
from tests.stored_runs import whole_run
from workbench.errors import InvalidInput, NotFound, WorkbenchError
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Verdict
from workbench.storage.engine import Database
from workbench.workflow.judging.late_runs import holes_of
from workbench.workflow.overview.progress import overview
from workbench.workflow.people.groups import add_group
from workbench.workflow.pools.listing import pool_report
from workbench.workflow.pools.making import make_pool
from workbench.workflow.runs.packed_store import run_for_use
from workbench.workflow.runs.run_metadata import RunKind, RunMetadata, read_metadata
from workbench.workflow.runs.run_records import (
    campaign_run,
    change_metadata,
    give_verdict,
    run_record,
    runs_of,
)
from workbench.workflow.runs.store import add_runs, remove_run, replace_run

NEWER = {"T1": ("d6",), "T2": ("d/4",)}


def replaced(db: Session, campaign_id: int, tag: str = "alpha") -> None:
    replace_run(db, campaign_id, tag, (f"{tag}-2.txt", io.BytesIO(run_text(tag, NEWER))))


def test_a_run_that_was_replaced_is_kept_beside_the_one_that_holds(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        here = made.campaign.id
        send_runs(db, here, alpha=ALPHA, beta=BETA)
        replaced(db, here)
        old, new = run_text("alpha", ALPHA), run_text("alpha", NEWER)
        assert [line.tag for line in runs_of(db, here)] == ["alpha", "beta"]
        assert overview(db, here).runs == 2
        assert whole_run(db, here, "alpha") == ("alpha-2.txt", new)
        record = run_record(db, here, "alpha")
        assert (record.run.sha256, record.size) == (hashlib.sha256(new).hexdigest(), len(new))
        (version,) = record.versions
        assert version.sha256 == hashlib.sha256(old).hexdigest()
        assert whole_run(db, here, "alpha", sha256=version.sha256) == ("alpha.txt", old)
        assert dict(run_for_use(db, here, "alpha").rankings)["T1"].docnos == ("d6",)
        assert run_for_use(db, here, "alpha", sha256=version.sha256).rankings["T1"].docnos == ALPHA["T1"]
        with pytest.raises(NotFound, match="with the hash"):
            whole_run(db, here, "alpha", sha256="0" * 64)


def test_replacing_needs_a_deliberate_act_and_another_content(database: Database) -> None:
    with database.writing() as db:
        here = campaign_with_people(db).campaign.id
        send_runs(db, here, alpha=ALPHA)
        files = [("a.txt", io.BytesIO(run_text("alpha", NEWER)))]
        assert [one.errors[0].code for one in add_runs(db, here, files).refused] == ["tag-taken"]
        same = [("a.gz", io.BytesIO(gzip.compress(run_text("alpha", ALPHA))))]
        refused = add_runs(db, here, same, replacing=True).refused
        assert [one.errors[0].code for one in refused] == ["same-file"]
        assert run_record(db, here, "alpha").versions == ()


def test_two_files_of_one_tag_sent_together_do_not_replace_each_other(database: Database) -> None:
    with database.writing() as db:
        here = campaign_with_people(db).campaign.id
        texts = {"one.txt": run_text("alpha", ALPHA), "two.txt": run_text("alpha", NEWER)}
        files = [(name, io.BytesIO(text)) for name, text in texts.items()]
        done = add_runs(db, here, files, replacing=True)
        assert [line.lines for line in done.added] == [7]
        assert [one.errors[0].code for one in done.refused] == ["tag-taken"]


def test_a_file_of_another_run_replaces_nothing(database: Database) -> None:
    with database.writing() as db:
        here = campaign_with_people(db).campaign.id
        send_runs(db, here, alpha=ALPHA, beta=BETA)
    with pytest.raises(InvalidInput, match="beta, not alpha") as refused, database.writing() as db:
        replace_run(db, here, "alpha", ("b.txt", io.BytesIO(run_text("beta", NEWER))))
    assert refused.value.findings[0].code == "other-tag"
    with database.reading() as db:
        assert run_record(db, here, "beta").versions == ()


def test_the_new_version_takes_the_record_over(database: Database) -> None:
    with database.writing() as db:
        here = campaign_with_people(db).campaign.id
        send_runs(db, here, alpha=ALPHA)
        about = RunMetadata(add_group(db, here, "North"), RunKind.MANUAL, "by hand", 2)
        change_metadata(db, here, "alpha", about)
        give_verdict(db, here, ["alpha"], Verdict.SET_ASIDE, reason="broken", by=None)
        replaced(db, here)
        line = campaign_run(db, here, "alpha")
        assert (line.metadata, line.verdict, line.verdict_reason) == (about, Verdict.ACCEPTED, "")


def test_a_pool_says_that_it_was_built_from_an_earlier_version(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        here = made.campaign.id
        before = {part.tag: part.sha256 for part in report.by_run}
        replaced(db, here)
        after = {part.tag: part for part in pool_report(db, here, report.pool.name).by_run}
        assert {tag: part.earlier for tag, part in after.items()} == {"alpha": True, "beta": False}
        # The pool itself is as it was: alpha brought d1 and d2 of T1 and d/4 and d1 of T2.
        assert (after["alpha"].pairs, after["alpha"].sha256) == (4, before["alpha"])
        record = run_record(db, here, "alpha")
        assert [(pool.name, pool.earlier) for pool in record.run.pools] == [("depth 2", True)]
        assert [(pool.name, pool.earlier) for pool in record.versions[0].pools] == [("depth 2", False)]
        assert record.run.in_use
        with pytest.raises(WorkbenchError, match="was built from run 'alpha'"):
            remove_run(db, here, "alpha")
        new = make_pool(db, here, PoolRecipe(parameters={"depth": 1}, tags=["alpha"]), name="new")
        assert [(part.tag, part.earlier) for part in new.by_run] == [("alpha", False)]
        # Holes are those of the version that holds: one document a topic.
        assert [line.retrieved for line in holes_of(db, here, "alpha").by_topic] == [1, 1]


def test_removing_forgets_every_version(database: Database) -> None:
    with database.writing() as db:
        here = campaign_with_people(db).campaign.id
        send_runs(db, here, alpha=ALPHA)
        replaced(db, here)
        remove_run(db, here, "alpha")
        send_runs(db, here, alpha=BETA)
        assert run_record(db, here, "alpha").versions == ()


def test_only_accepted_runs_enter_a_pool_by_themselves(database: Database) -> None:
    with database.writing() as db:
        here = campaign_with_people(db).campaign.id
        send_runs(db, here, alpha=ALPHA, beta=BETA, gamma=NEWER)
        give_verdict(db, here, ["beta"], Verdict.SET_ASIDE, reason="made with the qrels", by=None)
        give_verdict(db, here, ["gamma"], Verdict.RECEIVED, by=None)
        assert make_pool(db, here, name="usual").pool.tags == ("alpha",)
        named = make_pool(db, here, PoolRecipe(tags=["beta", "gamma"]), name="named")
        assert named.pool.tags == ("beta", "gamma")
        give_verdict(db, here, ["alpha"], Verdict.SET_ASIDE, reason="too", by=None)
        with pytest.raises(WorkbenchError, match="accept some"):
            make_pool(db, here, name="none")


def test_a_verdict_says_who_and_why_and_counts_what_changed(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        here = made.campaign.id
        send_runs(db, here, alpha=ALPHA, beta=BETA)
        with pytest.raises(WorkbenchError, match="reason is required"):
            give_verdict(db, here, ["alpha"], Verdict.SET_ASIDE, reason="  ", by=made.organiser)
        with pytest.raises(WorkbenchError, match="1,001 characters"):
            give_verdict(db, here, ["alpha"], Verdict.SET_ASIDE, reason="x" * 1001, by=made.organiser)
        with pytest.raises(NotFound):
            give_verdict(db, here, ["alpha", "nobody"], Verdict.ACCEPTED, by=made.organiser)
        aside = give_verdict(db, here, ["alpha"], Verdict.SET_ASIDE, reason="no", by=made.organiser)
        again = give_verdict(db, here, ["alpha", "alpha"], Verdict.SET_ASIDE, reason="no", by=None)
        assert (aside, again) == (1, 0)
        line = campaign_run(db, here, "alpha")
        assert (line.verdict, line.verdict_reason, line.verdict_by) == (Verdict.SET_ASIDE, "no", "Olga")


def test_earlier_versions_go_to_another_group_with_the_run(database: Database) -> None:
    with database.writing() as db:
        here = campaign_with_people(db).campaign.id
        north, south = add_group(db, here, "North"), add_group(db, here, "South")
        send_runs(db, here, alpha=ALPHA)
        change_metadata(db, here, "alpha", RunMetadata(north))
        replaced(db, here)
        change_metadata(db, here, "alpha", RunMetadata(south))
        record = run_record(db, here, "alpha")
        assert (record.run.group, record.versions[0].group) == ("South", "South")
        with pytest.raises(NotFound):
            change_metadata(db, here, "alpha", RunMetadata(999))


def test_what_is_typed_of_a_run_is_told_whole() -> None:
    typed = {"kind": "robot", "description": "x" * 4001, "priority": "0"}
    typed |= {"seconds_per_query": "fast", "index_bytes": "-1"}
    with pytest.raises(InvalidInput) as refused:
        read_metadata(typed)
    assert [finding.code for finding in refused.value.findings] == [
        "kind", "priority", "seconds_per_query", "index_bytes", "description"
    ]  # fmt: skip
    read = read_metadata({"kind": " Manual ", "description": " two\r\nlines\0 ", "priority": "007"})
    assert read == RunMetadata(None, RunKind.MANUAL, "two\nlines\ufffd", 7)
    assert read_metadata({}) == RunMetadata()
