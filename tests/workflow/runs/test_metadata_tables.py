"""The records of many runs in one table: written, loaded, all or nothing."""

from __future__ import annotations

import io

import pytest

from tests.builders import ALPHA, BETA, campaign_with_people, send_runs
from workbench.errors import InvalidInput
from workbench.export import csv_bytes
from workbench.formats.metadata_table import read_metadata_table
from workbench.storage.engine import Database
from workbench.workflow.people.groups import add_group, groups_of
from workbench.workflow.runs.metadata_tables import HEADER, MetadataLoaded, load_metadata, metadata_rows
from workbench.workflow.runs.run_metadata import RunCost, RunKind, RunMetadata
from workbench.workflow.runs.run_records import campaign_run, change_metadata, runs_of

SOURCE = "records.tsv"


def load(database: Database, here: int, text: str, *, new_groups: bool = False) -> MetadataLoaded:
    table = read_metadata_table(io.BytesIO(text.encode()), source=SOURCE)
    with database.writing() as db:
        return load_metadata(db, here, table, source=SOURCE, new_groups=new_groups)


@pytest.fixture
def here(database: Database) -> int:
    with database.writing() as db:
        campaign_id = campaign_with_people(db).campaign.id
        send_runs(db, campaign_id, alpha=ALPHA, beta=BETA)
        group = add_group(db, campaign_id, "North")
        change_metadata(db, campaign_id, "beta", RunMetadata(group, RunKind.MANUAL, "by hand", 3))
    return campaign_id


def about(database: Database, here: int, tag: str) -> RunMetadata:
    with database.reading() as db:
        return campaign_run(db, here, tag).metadata


def test_a_table_sets_its_columns_and_leaves_the_others(database: Database, here: int) -> None:
    done = load(database, here, "tag\tpriority\tkind\nalpha\t1\tautomatic\nbeta\t\tmanual\n")
    assert (done.rows, done.changed, done.new_groups, done.ignored) == (2, 2, (), ())
    assert about(database, here, "alpha") == RunMetadata(None, RunKind.AUTOMATIC, "", 1)
    # An empty cell empties; description and group had no column.
    assert about(database, here, "beta") == RunMetadata(
        about(database, here, "beta").group_id, RunKind.MANUAL, "by hand"
    )
    assert load(database, here, "tag\tkind\nbeta\tmanual\n").changed == 0


def test_everything_that_is_wrong_is_told_and_nothing_is_changed(database: Database, here: int) -> None:
    text = "tag,group,kind,priority\nalpha,North,automatic,1\nnobody,South,robot,0\nbeta,South,,\n"
    with pytest.raises(InvalidInput) as refused:
        load(database, here, text)
    found = [(finding.line, finding.code) for finding in refused.value.findings]
    assert found == [
        (3, "unknown-run"), (3, "unknown-group"), (3, "kind"), (3, "priority"), (4, "unknown-group"),
    ]  # fmt: skip
    assert about(database, here, "alpha") == RunMetadata()


def test_groups_are_made_only_on_purpose(database: Database, here: int) -> None:
    text = "tag\tgroup\nalpha\tSouth\nbeta\tsouth \n"
    with pytest.raises(InvalidInput, match="2 errors"):
        load(database, here, text)
    assert load(database, here, text, new_groups=True).new_groups == ("South",)
    with pytest.raises(InvalidInput, match="121 characters"):
        load(database, here, f"tag\tgroup\nalpha\t{'x' * 121}\n", new_groups=True)
    with database.reading() as db:
        assert [(group.name, group.runs) for group in groups_of(db, here)] == [("North", 0), ("South", 2)]


@pytest.mark.parametrize("separator", [",", "\t"])
def test_what_is_written_is_read_again(database: Database, here: int, separator: str) -> None:
    said = RunMetadata(None, None, 'a "quoted", cell\nof two\tlines', 1, RunCost(0.125, 3_000_000_000))
    with database.writing() as db:
        change_metadata(db, here, "alpha", said)
        written = csv_bytes(HEADER, metadata_rows(runs_of(db, here)), separator=separator)
        change_metadata(db, here, "alpha", RunMetadata())
    done = load(database, here, written.decode())
    assert (done.rows, done.changed) == (2, 1)
    assert "verdict" in done.ignored
    assert about(database, here, "alpha") == said
