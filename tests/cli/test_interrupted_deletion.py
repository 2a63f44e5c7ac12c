"""`workbench campaign delete` after a deletion that was interrupted."""

from __future__ import annotations

from click.testing import CliRunner

from workbench.cli.campaign.campaigns import delete
from workbench.records import BINARY
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow
from workbench.workflow.campaigns.campaigns import DELETED, create_campaign


def test_the_same_command_completes_it_and_asks_for_no_name(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        made = create_campaign(db, name="Small", scale=BINARY)
        db.get_one(CampaignRow, made.id).slug = f"{DELETED}{made.id}{DELETED}small"
    done = CliRunner().invoke(delete, ["small", "--database", sqlite_database.url])
    assert (done.exit_code, done.output.startswith("small is deleted")) == (0, True)
    with sqlite_database.reading() as db:
        assert db.get(CampaignRow, made.id) is None
