"""`workbench campaign report`: the report of the page as Markdown."""

from __future__ import annotations

from click.testing import CliRunner

from tests.builders import pooled_campaign
from workbench.cli.main import workbench
from workbench.storage.engine import Database


def test_the_report_is_written_as_markdown(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        made, _ = pooled_campaign(db)
    words = ["campaign", "report", made.campaign.slug, "--database", sqlite_database.url]
    done = CliRunner().invoke(workbench, words)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0].endswith(made.campaign.name)
