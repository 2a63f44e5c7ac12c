"""Accounts: what is accepted, how it is kept, and who comes first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher

from tests.cast import CHEAP, PASSWORD
from workbench.errors import Conflict, InvalidInput
from workbench.storage.engine import Database
from workbench.workflow.people.accounts import (
    NewAccount,
    Passwords,
    account_by_login,
    create_account,
    create_first_account,
    prepare_account,
)


def prepared(login: str, *, name: str = "Somebody", password: str = PASSWORD) -> NewAccount:
    return prepare_account(login=login, name=name, password=password, passwords=CHEAP)


def complaints(**typed: str) -> list[str]:
    """The codes of what is found wrong with a new account."""
    whole = {"login": "ada", "name": "Ada", "password": PASSWORD, "repeated": PASSWORD} | typed
    if "password" in typed and "repeated" not in typed:
        whole["repeated"] = typed["password"]
    with pytest.raises(InvalidInput) as refused:
        prepare_account(**whole, passwords=CHEAP)
    return [finding.code for finding in refused.value.findings]


def test_a_password_is_kept_as_argon2id_and_only_so() -> None:
    new = prepare_account(login="ada", name="Ada", password=PASSWORD, passwords=Passwords())

    # RFC 9106, section 4, second recommended option: t=3, m=64 MiB, p=4; the library's default.
    assert new.password_hash.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert PASSWORD not in new.password_hash


@pytest.mark.parametrize("login", ["Ada", "  ada ", "ＡＤＡ"])
def test_login_names_are_the_same_however_they_are_written(database: Database, login: str) -> None:
    with database.writing() as db:
        made = create_account(db, prepared(login))
    with database.reading() as db:
        assert made.login == "ada"
        assert account_by_login(db, "aDa") == made


@pytest.mark.parametrize("login", ["a", "", "ada lovelace", "ada\n", "a/b", "a\u202eb", "x" * 121, "-ada"])
def test_a_login_name_that_cannot_be_typed_back_is_refused(login: str) -> None:
    # A line feed at the end is trimmed away, as spaces are.
    if login == "ada\n":
        assert prepared(login).login == "ada"
    else:
        assert complaints(login=login) == ["login"]


@pytest.mark.parametrize("login", ["ada@example.org", "åsa", "李雷", "o.brien+judge", "a_b-c"])
def test_login_names_of_many_kinds_are_taken(login: str) -> None:
    assert prepared(login).login == login


@pytest.mark.parametrize(
    "password",
    ["mauve kelps", "x" * 1025, "lovelace.ada", "LOVELACE.ADA ", "ada lovelace", "surrogate \ud800 inside"],
    ids=["eleven characters", "too long", "the login", "the login in capitals", "the name", "no text"],
)
def test_a_bad_password_is_refused(password: str) -> None:
    assert complaints(login="Lovelace.Ada", name="Ada Lovelace", password=password) == ["password"]


def test_the_longest_and_the_shortest_password_are_taken() -> None:
    for password in ("mauve kelps!", "mauve kelp " * 93 + "!"):
        new = prepared("ada", password=password)
        assert CHEAP.matches(password, new.password_hash)


def test_a_password_composed_in_another_way_is_the_same_password() -> None:
    new = prepared("ada", password="caf\u00e9 au lait")
    assert CHEAP.matches("cafe\u0301 au lait", new.password_hash)


@pytest.mark.parametrize("name", ["", "  ", "x" * 121, "Ada\u202e", "A\u200bda", "A\0da"])
def test_a_name_that_misleads_is_refused(name: str) -> None:
    assert complaints(name=name) == ["name"]


def test_nobody_matches_a_password_that_is_kept_nowhere() -> None:
    assert not CHEAP.matches(PASSWORD, None)
    assert not CHEAP.matches("", None)
    assert not CHEAP.matches(PASSWORD, "no hash")


def test_a_hash_of_weaker_parameters_is_outdated() -> None:
    stronger = Passwords(PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    weak = CHEAP.hash(PASSWORD)

    assert stronger.outdated(weak)
    assert not stronger.outdated(stronger.hash(PASSWORD))


def test_of_first_visits_at_one_moment_one_wins(database: Database) -> None:
    everybody = [prepared(f"visitor{number}") for number in range(6)]

    def visit(new: NewAccount) -> str:
        try:
            with database.writing() as db:
                return create_first_account(db, new).login
        except Conflict:
            return ""

    with ThreadPoolExecutor(len(everybody)) as pool:
        winners = [login for login in pool.map(visit, everybody) if login]

    assert len(winners) == 1
