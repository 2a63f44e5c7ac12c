"""The record of a run: what is said of it, the verdict on it, and what replaces it."""

from __future__ import annotations

import io

import pytest
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, run_text, send_runs
from workbench.errors import InvalidInput, NotFound
from workbench.records import Verdict
from workbench.storage.engine import Database
from workbench.workflow.people.groups import add_group
from workbench.workflow.runs.run_metadata import RunKind, RunMetadata, read_metadata
from workbench.workflow.runs.run_records import (
    campaign_run,
    change_metadata,
    give_verdict,
    run_record,
)
from workbench.workflow.runs.store import add_runs, remove_run, replace_run

NEWER = {"T1": ("d6",), "T2": ("d/4",)}


def replaced(db: Session, campaign_id: int, tag: str = "alpha") -> None:
    replace_run(db, campaign_id, tag, (f"{tag}-2.txt", io.BytesIO(run_text(tag, NEWER))))


def test_two_files_of_one_tag_sent_together_do_not_replace_each_other(db: Session) -> None:
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


def test_the_new_version_takes_the_record_over(db: Session) -> None:
    here = campaign_with_people(db).campaign.id
    send_runs(db, here, alpha=ALPHA)
    about = RunMetadata(add_group(db, here, "North"), RunKind.MANUAL, "by hand", 2)
    change_metadata(db, here, "alpha", about)
    give_verdict(db, here, ["alpha"], Verdict.SET_ASIDE, reason="broken", by=None)
    replaced(db, here)
    line = campaign_run(db, here, "alpha")
    assert (line.metadata, line.verdict, line.verdict_reason) == (about, Verdict.ACCEPTED, "")


def test_removing_forgets_every_version(db: Session) -> None:
    here = campaign_with_people(db).campaign.id
    send_runs(db, here, alpha=ALPHA)
    replaced(db, here)
    remove_run(db, here, "alpha")
    send_runs(db, here, alpha=BETA)
    assert run_record(db, here, "alpha").versions == ()


def test_earlier_versions_go_to_another_group_with_the_run(db: Session) -> None:
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
