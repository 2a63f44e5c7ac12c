"""Administration of accounts: search, disabling, administrators, reset links, sessions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from tests.cast import CHEAP, PASSWORD, signed_in
from tests.moments import at
from workbench.errors import Conflict, NotFound
from workbench.storage.engine import Database
from workbench.storage.tables import SessionRow
from workbench.workflow.people.accounts import Account, create_account, prepare_account
from workbench.workflow.people.administration import (
    account_details,
    accounts_found,
    disable_account,
    enable_account,
    set_administrator,
)
from workbench.workflow.people.sessions import (
    browser_words,
    end_other_sessions,
    end_session,
    note_session_use,
    sessions_of,
    shortened_address,
)
from workbench.workflow.people.signing_in import (
    RESET_LASTS,
    Browser,
    SignedIn,
    begin_attempt,
    check_password,
    make_reset,
    open_session,
    reset_owner,
    set_password,
    sign_in,
    use_reset,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIREFOX = Browser("192.0.2.77", "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0")
PHONE = Browser("2001:db8:1:2::3", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1")


def make(database: Database, login: str, *, administrator: bool = False) -> Account:
    new = prepare_account(login=login, name=f"{login.title()} Örn", password=PASSWORD, passwords=CHEAP)
    with database.writing() as db:
        return create_account(db, new, administrator=administrator)


def enters(database: Database, login: str, password: str = PASSWORD) -> bool:
    with database.reading() as db:
        begun = begin_attempt(db, login=login, browser=FIREFOX)
    with database.writing() as db:
        return isinstance(sign_in(db, check_password(begun, password, CHEAP)), SignedIn)


@pytest.fixture
def ada(database: Database) -> Account:
    return make(database, "ada")


@pytest.fixture
def olga(database: Database) -> Account:
    return make(database, "olga", administrator=True)


@pytest.mark.engines
def test_a_disabled_account_is_signed_out_at_once_and_kept(
    database: Database, ada: Account, olga: Account
) -> None:
    with database.writing() as db:
        token = open_session(db, ada).token
    with database.writing() as db:
        disable_account(db, ada.id)
    with database.reading() as db:
        assert signed_in(db, token) is None
        assert account_details(db, ada.id).line.disabled_at is not None
    assert not enters(database, "ada")
    with database.writing() as db:
        enable_account(db, ada.id)
    assert enters(database, "ada")


@pytest.mark.engines
def test_the_last_administrator_who_can_sign_in_stays_one(
    database: Database, ada: Account, olga: Account
) -> None:
    with database.writing() as db:
        set_administrator(db, ada.id, True)
        disable_account(db, ada.id)
    for spoil in (disable_account, lambda db, number: set_administrator(db, number, False)):
        with pytest.raises(Conflict), database.writing() as db:
            spoil(db, olga.id)
    with pytest.raises(Conflict), database.writing() as db:
        set_administrator(db, ada.id, True)  # disabled
    with database.writing() as db:
        enable_account(db, ada.id)
        set_administrator(db, olga.id, False)
    with database.reading() as db:
        assert [one.login for one in accounts_found(db) if one.administrator] == ["ada"]


@pytest.mark.engines
def test_a_reset_link_works_once_and_the_old_password_until_then(database: Database, ada: Account) -> None:
    with database.writing() as db, at(NOON):
        other = open_session(db, ada).token
        before = make_reset(db, ada.id).token
        token = make_reset(db, ada.id).token
    with database.reading() as db:
        with pytest.raises(NotFound), at(NOON):
            reset_owner(db, before)
        with at(NOON + RESET_LASTS - timedelta(seconds=1)):
            assert reset_owner(db, token) == ada
        with pytest.raises(NotFound), at(NOON + RESET_LASTS):
            reset_owner(db, token)
        assert signed_in(db, other, now=NOON) == ada
    assert enters(database, "ada")
    with database.writing() as db, at(NOON):
        mine = use_reset(db, token, CHEAP.hash("three words more"), FIREFOX).token
    with database.reading() as db:
        assert signed_in(db, other, now=NOON) is None
        assert signed_in(db, mine, now=NOON) == ada
    with pytest.raises(NotFound), database.writing() as db, at(NOON):
        use_reset(db, token, "-", FIREFOX)
    assert not enters(database, "ada")
    assert enters(database, "ada", "three words more")


def test_links_end_with_a_disabled_account_and_with_another_password(
    database: Database, ada: Account, olga: Account
) -> None:
    with database.writing() as db:
        token = make_reset(db, ada.id).token
        disable_account(db, ada.id)
    with database.reading() as db, pytest.raises(NotFound):
        reset_owner(db, token)
    with database.writing() as db, pytest.raises(Conflict):
        make_reset(db, ada.id)
    with database.writing() as db:
        enable_account(db, ada.id)
        token = make_reset(db, ada.id).token
        set_password(db, "ada", "-")
    with database.reading() as db, pytest.raises(NotFound):
        reset_owner(db, token)


@pytest.mark.engines
def test_sessions_tell_browser_network_and_last_use_and_end_one_by_one(
    database: Database, ada: Account, olga: Account
) -> None:
    with database.writing() as db:
        mine, phone = open_session(db, ada, FIREFOX).token, open_session(db, ada, PHONE).token
        foreign = open_session(db, olga, PHONE).token
        db.execute(update(SessionRow).values(used_at=NOON))
        with at(NOON + timedelta(hours=2)):
            note_session_use(db, phone)
    with database.reading() as db:
        first, second = sessions_of(db, ada.id, mine)
        (of_olga,) = sessions_of(db, olga.id)
    assert (first.browser, first.network, first.current) == ("Firefox on Linux", "192.0.2.0/24", True)
    assert (second.browser, second.network) == ("Safari on iPhone", "2001:db8:1::/48")
    assert second.used_at - first.used_at == timedelta(hours=2)
    for wrong in (of_olga.name, "", "0" * 16, second.name[:8]):
        with pytest.raises(NotFound), database.writing() as db:
            end_session(db, ada.id, wrong)
    with database.writing() as db:
        assert end_session(db, ada.id, second.name) == "Safari on iPhone"
        open_session(db, ada, PHONE)
        assert end_other_sessions(db, ada.id, mine) == 1
    with database.reading() as db:
        assert [one.current for one in sessions_of(db, ada.id, mine)] == [True]
        assert signed_in(db, foreign) == olga


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/18.0 Safari/605.1", "Safari on macOS"),
        ("curl/8.5.0", "curl"),
        ("", "Unknown browser"),
    ],
)  # fmt: skip
def test_a_browser_is_named_by_program_and_system(name: str, words: str) -> None:
    assert browser_words(name) == words


def test_an_address_is_shortened() -> None:
    assert shortened_address("::ffff:192.0.2.9") == "192.0.2.0/24"
    assert shortened_address("fe80::1%eth0") == "fe80::/48"
    assert shortened_address(None) == shortened_address("nowhere") == ""
