"""Accounts by commands: what each prints, what it changes, and what it refuses."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.cast import CHEAP, PASSWORD
from tests.cli.executable import Terminal
from tests.moments import at
from workbench.storage.tables import AccountRow
from workbench.workflow.people.accounts import account_by_login
from workbench.workflow.people.mail_addresses import address_of
from workbench.workflow.people.signing_in import (
    Browser,
    SignedIn,
    begin_attempt,
    check_password,
    open_session,
    reset_owner,
    sign_in,
)
from workbench.workflow.people.two_factor import code_at, is_turned_on, prepare_app, step_at, turn_on

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def enters(terminal: Terminal, login: str, password: str) -> bool:
    with terminal.database() as database:
        with database.reading() as db:
            begun = begin_attempt(db, login=login, browser=Browser("192.0.2.1"))
        with database.writing() as db:
            return isinstance(sign_in(db, check_password(begun, password, CHEAP)), SignedIn)


def listed(terminal: Terminal, *words: str) -> dict[str, Any]:
    """What the list has of each account, by login name."""
    return {one["login"]: one for one in terminal.json("account", "list", *words)}


def opens_sessions(terminal: Terminal, login: str, number: int) -> None:
    with terminal.database() as database, database.writing() as db:
        for _ in range(number):
            open_session(db, account_by_login(db, login))


def test_accounts_are_listed_as_table_and_json(populated: Terminal) -> None:
    opens_sessions(populated, "ada", 2)
    olga, ada = (listed(populated)[login] for login in ("olga", "ada"))
    assert (olga["administrator"], olga["sessions"], olga["used_at"]) == (True, 0, None)
    assert (ada["administrator"], ada["sessions"], ada["two_factor"]) == (False, 2, False)
    heading, line = populated.does("account", "list", "--search", "ADA").decode().splitlines()
    assert heading == "login\tname\tstate\tadministrator\ttwo-factor\tsessions\tlast used"
    assert line == f"ada\tAda\tenabled\t\t\t2\t{ada['used_at'][:10]}"


@pytest.mark.usefixtures("cheap_passwords")
def test_a_password_is_replaced_unless_it_is_too_easy(populated: Terminal) -> None:
    opens_sessions(populated, "ada", 1)
    easy = populated.refused("account", "password", "ada", "--password", "ada")
    assert easy.startswith("error: Password: ")
    assert enters(populated, "ada", PASSWORD)
    said = populated.does("account", "password", "ada", "--password", "forty nets at slack water")
    assert said == b"ada has a new password, is signed out everywhere, and has no access tokens\n"
    assert listed(populated)["ada"]["sessions"] == 0
    assert not enters(populated, "ada", PASSWORD)
    assert enters(populated, "ada", "forty nets at slack water")


def test_work_given_by_name_to_a_disabled_account_is_remarked_upon(populated: Terminal) -> None:
    populated.does("account", "disable", "ada")
    given = populated.run("campaign", "assign", "harbour", "--assessor", "Ada", "--assessor", "Ben")
    assert given.returncode == 0
    assert given.stderr.splitlines() == [b"Ada cannot judge at the moment: the account is disabled"]


def test_a_disabled_account_cannot_sign_in_until_it_is_enabled(populated: Terminal) -> None:
    opens_sessions(populated, "ada", 1)
    assert populated.does("account", "disable", "ada") == b"ada is disabled and signed out everywhere\n"
    ada = listed(populated)["ada"]
    assert (ada["disabled_at"] is None, ada["sessions"]) == (False, 0)
    assert b"ada\tAda\tdisabled\t" in populated.does("account", "list")
    assert not enters(populated, "ada", PASSWORD)
    assert populated.does("account", "enable", "ada") == b"ada can sign in again\n"
    assert enters(populated, "ada", PASSWORD)


def test_an_administrator_is_made_and_the_last_one_stays(populated: Terminal) -> None:
    assert "the only administrator" in populated.refused("account", "administrator", "olga", "--remove")
    assert "the only administrator" in populated.refused("account", "disable", "olga")
    assert populated.does("account", "administrator", "ada") == b"ada is an administrator\n"
    removed = populated.does("account", "administrator", "olga", "--remove")
    assert removed == b"olga is no longer an administrator\n"
    found = {login for login, one in listed(populated).items() if one["administrator"]}
    assert found == {"ada"}


def test_a_link_for_a_new_password_is_whole_where_the_address_is_given(populated: Terminal) -> None:
    assert populated.does("account", "reset", "ada").startswith(b"/reset/")
    link = populated.does("account", "reset", "ada", "--address", "https://judge.example/").decode().strip()
    assert link.startswith("https://judge.example/reset/")
    with populated.database() as database, database.reading() as db:
        assert reset_owner(db, link.rpartition("/")[2]).login == "ada"


@pytest.mark.parametrize(("number", "said"), [(1, "1 session of ada ended"), (2, "2 sessions of ada ended")])
def test_sessions_are_ended(populated: Terminal, number: int, said: str) -> None:
    opens_sessions(populated, "ada", number)
    opens_sessions(populated, "ben", 1)
    assert populated.does("account", "end-sessions", "ada").decode() == f"{said}, access tokens revoked\n"
    assert [listed(populated)[login]["sessions"] for login in ("ada", "ben")] == [0, 1]


@pytest.mark.usefixtures("cheap_passwords")
@pytest.mark.parametrize(
    "words",
    [("end-sessions", "ada"), ("disable", "ada"), ("password", "ada", "--password", "nine nets afloat")],
)
def test_what_ends_sessions_revokes_tokens(populated: Terminal, words: tuple[str, ...]) -> None:
    populated.does("token", "new", "ada", "--name", "Nightly", "--scope", "read")
    populated.does("token", "new", "ben", "--name", "Nightly", "--scope", "read")
    populated.does("account", *words)
    assert [len(populated.json("token", "list", login)) for login in ("ada", "ben")] == [0, 1]


def test_two_factor_sign_in_is_turned_off_for_who_lost_everything(populated: Terminal) -> None:
    assert "two-factor sign-in is off" in populated.refused("account", "reset-two-factor", "ada")
    with populated.database() as database, database.writing() as db:
        ada = account_by_login(db, "ada").id
        prepare_app(db, ada)
        with at(NOON):
            secret = db.get_one(AccountRow, ada).app_secret
            assert secret is not None
            turn_on(db, ada, code_at(secret, step_at(NOON)))
    assert listed(populated)["ada"]["two_factor"] is True
    assert b"ada signs in with the password alone" in populated.does("account", "reset-two-factor", "ada")
    with populated.database() as database, database.reading() as db:
        assert not is_turned_on(db, ada)


def test_an_address_is_set_replaced_and_removed(populated: Terminal) -> None:
    def known() -> str:
        with populated.database() as database, database.reading() as db:
            return address_of(db, account_by_login(db, "ada").id).address

    said = populated.does("account", "address", "ada", "ada@example.org")
    assert (said, known()) == (b"Messages for ada go to ada@example.org\n", "ada@example.org")
    refused = populated.refused("account", "address", "ada", "ada.example.org")
    assert refused.startswith("error: E-mail address: messages cannot be sent to this address")
    for words in ((), ("ada@example.org", "--remove")):
        done = populated.run("account", "address", "ada", *words)
        assert (done.returncode, b"give an ADDRESS or --remove" in done.stderr) == (2, True)
    assert known() == "ada@example.org"
    assert populated.does("account", "address", "ada", "--remove") == b"ada has no e-mail address\n"
    assert known() == ""


def test_a_participant_has_a_group_and_nobody_else(populated: Terminal) -> None:
    for words in (("otto", "participant"), ("otto", "viewer", "--group", "Tidewater")):
        done = populated.run("account", "role", words[0], "harbour", *words[1:])
        assert (done.returncode, b"--group is required for a participant" in done.stderr) == (2, True)
    given = populated.does("account", "role", "otto", "harbour", "participant", "--group", "Tidewater")
    assert given == b"Otto is participant of Harbour\n"
    # Who submits runs must not judge them, unless somebody decides that this person may.
    judge = ("account", "role", "otto", "harbour", "assessor")
    assert "this person submits runs and so should not judge" in populated.refused(*judge)
    assert populated.does(*judge, "--both") == b"Otto is assessor of Harbour\n"
    invite = ("campaign", "invite", "harbour", "--role", "participant")
    assert populated.does(*invite, "--group", "Tidewater").startswith(b"/invitation/")
    assert "name the group of a participant" in populated.refused(*invite)


def test_personal_data_is_deleted_once_the_login_name_was_typed(populated: Terminal) -> None:
    populated.does("campaign", "new", "Ada's own", "--organiser", "ben")
    assert "type: ada" in populated.refused("account", "erase", "ada", "--confirm", "ben")
    done = populated.run("account", "erase", "ada", stdin=b"ada\n")
    assert done.returncode == 0
    assert b"This cannot be undone. Type the login name" in done.stderr
    first, *mentioned = done.stdout.decode().splitlines()
    assert first.startswith("The personal data is deleted; the account is now ")
    assert "Still named in 1 row of campaign.name: free text is not changed" in mentioned
    assert "ada" not in listed(populated)
    assert b"Ada" not in populated.does("account", "list")


@pytest.mark.parametrize(
    "words",
    [
        ("role", "nobody", "harbour", "viewer"),
        ("disable", "nobody"),
        ("enable", "nobody"),
        ("reset", "nobody"),
        ("erase", "nobody", "--confirm", "nobody"),
        ("address", "nobody", "--remove"),
        ("reset-two-factor", "nobody"),
        ("end-sessions", "nobody"),
        ("administrator", "nobody"),
    ],
    ids=lambda words: words[0],
)
def test_an_account_that_is_not_there_is_named(populated: Terminal, words: tuple[str, ...]) -> None:
    assert "there is no account with the login name 'nobody'" in populated.refused("account", *words)


def test_a_prompt_that_nobody_answers_deletes_nothing(populated: Terminal) -> None:
    done = populated.run("account", "erase", "ada")
    assert (done.returncode, done.stdout) == (130, b"")
    assert "ada" in listed(populated)
