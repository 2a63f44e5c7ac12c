"""Signing in: sessions that end, failures that are remembered, guesses that get slower."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select, update

from tests.cast import CHEAP, PASSWORD, signed_in
from tests.moments import at
from workbench.errors import NotAllowed
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, SessionRow, SignInAttemptRow
from workbench.workflow.people.accounts import (
    Account,
    Passwords,
    account_without_password,
    create_account,
    prepare_account,
)
from workbench.workflow.people.signing_in import (
    Browser,
    Refused,
    SignedIn,
    begin_attempt,
    change_password,
    check_password,
    sign_in,
)
from workbench.workflow.people.throttling import (
    FAILURES_OF_A_LOGIN,
    FAILURES_OF_AN_ADDRESS,
    Guess,
    network_of,
    record_failure,
)
from workbench.workflow.people.two_factor import CodeNeeded

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HERE = Browser("192.0.2.1")
SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)


@pytest.fixture
def ada(database: Database) -> Account:
    with database.writing() as db:
        new = prepare_account(login="ada", name="Ada", password=PASSWORD, passwords=CHEAP)
        return create_account(db, new)


def attempt(
    database: Database,
    *,
    login: str = "ada",
    password: str = PASSWORD,
    address: str = "192.0.2.1",
    now: datetime = NOON,
    passwords: Passwords = CHEAP,
) -> SignedIn | Refused:
    """What a browser does: read, check outside any transaction, settle."""
    with database.reading() as db, at(now):
        begun = begin_attempt(db, login=login, browser=Browser(address))
    checked = check_password(begun, password, passwords)
    with database.writing() as db, at(now):
        outcome = sign_in(db, checked)
    assert not isinstance(outcome, CodeNeeded)
    return outcome


def fail(database: Database, times: int, **how: Any) -> list[Refused]:
    outcomes = [attempt(database, **{"password": f"wrong guess {n}"} | how) for n in range(times)]
    assert all(isinstance(outcome, Refused) for outcome in outcomes)
    return [outcome for outcome in outcomes if isinstance(outcome, Refused)]


def test_the_right_password_opens_a_session_of_thirty_days(database: Database, ada: Account) -> None:
    session = attempt(database, login=" ADA ")

    assert isinstance(session, SignedIn)
    assert session.expires_at == NOON + 30 * DAY
    with database.reading() as db:
        assert signed_in(db, session.token, now=NOON + 30 * DAY - SECOND) == ada
        assert signed_in(db, session.token, now=NOON + 30 * DAY) is None


def test_the_database_keeps_no_token(database: Database, ada: Account) -> None:
    session = attempt(database)
    assert isinstance(session, SignedIn)
    with database.reading() as db:
        kept = db.scalar(select(SessionRow.token_hash))
    assert kept is not None
    assert len(kept) == 64
    assert session.token not in kept


def test_a_wrong_password_and_an_unknown_name_are_told_apart_by_nothing(
    database: Database, ada: Account
) -> None:
    (wrong,), (unknown,) = fail(database, 1), fail(database, 1, login="nobody")
    assert str(wrong) == str(unknown) == "The login name or the password is wrong."


def test_an_unknown_name_and_an_account_without_a_password_cost_a_hash_as_well(
    database: Database, ada: Account
) -> None:
    with database.writing() as db:
        create_account(db, account_without_password("grace", "Grace"))
    verified = []

    class Counting(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            verified.append(hash)
            return super().verify(hash, password)

    counting = Passwords(Counting(time_cost=1, memory_cost=8, parallelism=1))
    attempt(database, login="nobody", passwords=counting)
    attempt(database, login="grace", password="none", passwords=counting)
    attempt(database, password="wrong guess", passwords=counting)

    assert len(verified) == 3
    # The same algorithm, version and cost.
    assert len({tuple(str(one).split("$")[1:4]) for one in verified}) == 1


@pytest.mark.engines
def test_after_five_failures_even_the_right_password_waits(database: Database, ada: Account) -> None:
    outcomes = fail(database, 5)

    assert [outcome.wait for outcome in outcomes] == [timedelta(0)] * 4 + [30 * SECOND]
    assert str(outcomes[-1]) == "Too many attempts failed. Try again in 30 seconds."
    assert isinstance(attempt(database, now=NOON + 29 * SECOND), Refused)
    assert isinstance(attempt(database, now=NOON + 30 * SECOND), SignedIn)


def test_every_further_failure_doubles_the_wait_up_to_a_quarter_of_an_hour(
    database: Database, ada: Account
) -> None:
    fail(database, 4)
    now, waits = NOON, []
    for _ in range(8):
        (outcome,) = fail(database, 1, now=now)
        waits.append(outcome.wait)
        now += outcome.wait
    # 30 s x 2^n, at most 900 s.
    assert [wait // SECOND for wait in waits] == [30, 60, 120, 240, 480, 900, 900, 900]


def test_attempts_while_waiting_do_not_lengthen_the_wait(database: Database, ada: Account) -> None:
    fail(database, 5)
    fail(database, 20, now=NOON + SECOND)
    assert isinstance(attempt(database, now=NOON + 30 * SECOND), SignedIn)


def test_failures_far_apart_are_no_burst(database: Database, ada: Account) -> None:
    # Five within any quarter of an hour would make one; these are four minutes apart: four fit.
    for number in range(12):
        (outcome,) = fail(database, 1, now=NOON + number * 4 * MINUTE)
        assert not outcome.wait


def test_a_day_later_nothing_is_remembered(database: Database, ada: Account) -> None:
    fail(database, 5)
    (outcome,) = fail(database, 1, now=NOON + DAY + SECOND)
    assert not outcome.wait
    with database.reading() as db:
        assert len(db.scalars(select(SignInAttemptRow.id)).all()) == 1


@pytest.mark.engines
def test_a_success_forgets_the_failures_of_its_own_name_and_place_only(
    database: Database, ada: Account
) -> None:
    fail(database, 4)
    fail(database, 2, address="198.51.100.7")
    fail(database, 3, login="ben")
    assert isinstance(attempt(database), SignedIn)
    with database.reading() as db:
        left = select(SignInAttemptRow.login, SignInAttemptRow.address).order_by(SignInAttemptRow.id)
        assert [tuple(row) for row in db.execute(left)] == [
            *[("ada", "198.51.100.7")] * 2,
            *[("ben", "192.0.2.1")] * 3,
        ]


def test_whoever_guesses_elsewhere_makes_the_owner_wait_for_nothing(database: Database, ada: Account) -> None:
    fail(database, 20, address="198.51.100.7")
    assert isinstance(attempt(database), SignedIn)


def test_a_login_guessed_from_many_addresses_leaves_one_free_failure_at_each(
    database: Database, ada: Account
) -> None:
    with database.writing() as db:
        for number in range(FAILURES_OF_A_LOGIN):
            record_failure(db, Guess("ada", f"198.51.100.{number}"), NOON)
    # Even now her first attempt from anywhere is checked.
    assert isinstance(attempt(database), SignedIn)
    (outcome,) = fail(database, 1, address="192.0.2.2")
    assert outcome.wait == 30 * SECOND


def test_an_address_where_many_names_fail_is_answered_once_a_second(database: Database, ada: Account) -> None:
    with database.writing() as db:
        for number in range(FAILURES_OF_AN_ADDRESS):
            record_failure(db, Guess(f"name{number}", "192.0.2.1"), NOON)
    waiting = attempt(database)
    assert isinstance(waiting, Refused)
    assert waiting.wait == SECOND
    # A campus behind one address: her colleagues' failures do not keep her out.
    assert isinstance(attempt(database, now=NOON + SECOND), SignedIn)
    (outcome,) = fail(database, 1, now=NOON + 2 * SECOND, login="ben")
    assert outcome.wait == 30 * SECOND


def test_who_is_signed_in_changes_the_password_whatever_others_do(database: Database, ada: Account) -> None:
    fail(database, 20)
    with database.reading() as db, at(NOON):
        begun = begin_attempt(db, login="ada", browser=HERE, signed_in=True)
    with database.writing() as db, at(NOON):
        changed = change_password(db, check_password(begun, PASSWORD, CHEAP), "kept")
    assert isinstance(changed, SignedIn)


@pytest.mark.engines
def test_guesses_that_were_checked_at_once_count_one_after_the_other(
    database: Database, ada: Account
) -> None:
    # All of them read the same state first, as requests in parallel do; the right one comes sixth.
    with database.reading() as db, at(NOON):
        attempts = [begin_attempt(db, login="ada", browser=HERE) for _ in range(6)]
    guesses = [check_password(one, "wrong guess", CHEAP) for one in attempts[:5]] + [
        check_password(attempts[5], PASSWORD, CHEAP)
    ]
    outcomes = []
    for guess in guesses:
        with database.writing() as db, at(NOON):
            outcomes.append(sign_in(db, guess))
    assert isinstance(outcomes[-1], Refused)


@pytest.mark.engines
def test_a_login_name_of_any_kind_is_only_wrong(database: Database, ada: Account) -> None:
    for login in ("", "\0", "x" * 5000, "ada\0", "'; drop table account; --", "\u202e"):
        (outcome,) = fail(database, 1, login=login, address="192.0.2.9")
        assert str(outcome).endswith("wrong.")


def test_an_old_hash_is_renewed_when_its_owner_comes(database: Database, ada: Account) -> None:
    stronger = Passwords(PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    assert isinstance(attempt(database, passwords=stronger), SignedIn)
    with database.reading() as db:
        kept = db.scalar(select(AccountRow.password_hash))
    assert kept is not None
    assert not stronger.outdated(kept)
    assert isinstance(attempt(database, passwords=stronger), SignedIn)


@pytest.mark.engines
def test_a_password_that_was_changed_meanwhile_opens_nothing(database: Database, ada: Account) -> None:
    with database.reading() as db, at(NOON):
        checked = check_password(begin_attempt(db, login="ada", browser=HERE), PASSWORD, CHEAP)
    with database.writing() as db:
        db.execute(update(AccountRow).values(password_hash=CHEAP.hash("another long sentence")))
    with pytest.raises(NotAllowed), database.writing() as db, at(NOON):
        sign_in(db, checked)


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::/64"),
        (None, "unknown"),
        ("unix:", "unknown"),
    ],
)
def test_an_ipv6_user_is_counted_by_network(address: str | None, counted: str) -> None:
    assert network_of(address) == counted
