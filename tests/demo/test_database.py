"""The demo in a database that somebody names: on either engine, and never beside anything else."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from workbench.cli.main import workbench
from workbench.demo.campaign import has_demo, require_own
from workbench.errors import Conflict
from workbench.records import BINARY
from workbench.storage.engine import Database
from workbench.storage.migrate import delete_everything
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.people.accounts import NewAccount, any_account, create_account

pytestmark = pytest.mark.engines


@pytest.mark.slow
def test_the_demo_fills_an_empty_database_goes_on_in_it_and_empties_it(postgresql_database: Database) -> None:
    database = postgresql_database
    command = ["demo", "--make-only", "--database", database.url]
    first = CliRunner().invoke(workbench, command)
    assert (first.exit_code, "Making the demo" in first.output) == (0, True), first.output
    again = CliRunner().invoke(workbench, command)
    assert (again.exit_code, "Making the demo" in again.output) == (0, False)
    require_own(database)
    delete_everything(database)
    with database.reading() as db:
        assert not has_demo(db)
        assert not any_account(db)


def test_a_database_with_anything_else_is_refused_and_stays_as_it_was(database: Database) -> None:
    with database.writing() as db:
        create_account(db, NewAccount("pat", "Pat", "no hash"))
    with pytest.raises(Conflict, match="accounts of another installation"):
        require_own(database)
    with database.writing() as db:
        create_campaign(db, name="Somebody's own", slug="own", scale=BINARY)
    refused = CliRunner().invoke(workbench, ["demo", "--make-only", "--fresh", "--database", database.url])
    assert refused.exit_code == 1
    assert "this database holds other campaigns: own" in str(refused.exception or refused.output)
    with database.reading() as db:
        assert any_account(db)
        assert not has_demo(db)


def test_tables_of_another_program_are_left_alone(unmigrated_database: Database) -> None:
    with unmigrated_database.writing() as db:
        db.execute(text("CREATE TABLE orders (id integer)"))
    with pytest.raises(Conflict, match="tables of another program"):
        require_own(unmigrated_database)
