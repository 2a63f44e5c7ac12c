"""Two-factor sign-in: the step after the password, codes that work once, and what is left in the database."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from tests.cast import CHEAP, PASSWORD, signed_in
from tests.databases import opened
from tests.moments import at
from workbench.errors import Conflict, NotAllowed
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, OneTimeTokenRow, SignInAttemptRow
from workbench.workflow.people import two_factor
from workbench.workflow.people.accounts import Account, create_account, prepare_account
from workbench.workflow.people.administration import reset_two_factor
from workbench.workflow.people.signing_in import (
    Browser,
    Refused,
    SignedIn,
    begin_attempt,
    check_password,
    enter_with_code,
    make_reset,
    sign_in,
    use_reset,
)
from workbench.workflow.people.throttling import (
    CODE_PACE,
    FAILURES_OF_A_LOGIN,
    Guess,
    code_name,
    record_failure,
)
from workbench.workflow.people.two_factor import CODE_STEP_LASTS, CodeNeeded, code_at, matching_step, step_at
from workbench.workflow.upkeep.erasure import erase_person

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HERE, ELSEWHERE = Browser("192.0.2.1"), Browser("198.51.100.1")
PERIOD = timedelta(seconds=30)
pytestmark = pytest.mark.engines


@pytest.fixture
def ada(database: Database) -> Account:
    with database.writing() as db:
        new = prepare_account(login="ada", name="Ada", password=PASSWORD, passwords=CHEAP)
        return create_account(db, new)


@pytest.fixture
def recovery(database: Database, ada: Account) -> tuple[str, ...]:
    """Two-factor sign-in is on, by a code of ten minutes before noon; the recovery codes."""
    before = NOON - timedelta(minutes=10)
    with database.writing() as db:
        two_factor.prepare_app(db, ada.id)
    with database.writing() as db, at(before):
        codes = two_factor.turn_on(db, ada.id, code(database, before))
    assert codes is not None
    return codes


def code(database: Database, now: datetime) -> str:
    """What Ada's app shows."""
    with database.reading() as db:
        secret = db.scalars(select(AccountRow.app_secret)).one()
        assert secret is not None
        return code_at(secret, step_at(now))


def enter(database: Database, browser: Browser = HERE, now: datetime = NOON) -> str:
    """Ada's password is right, and a code is asked for; the token of the step."""
    with database.reading() as db, at(now):
        begun = begin_attempt(db, login="ada", browser=browser)
    with database.writing() as db, at(now):
        outcome = sign_in(db, check_password(begun, PASSWORD, CHEAP))
    assert isinstance(outcome, CodeNeeded)
    return outcome.token


def tell(
    database: Database, token: str, typed: str, *, browser: Browser = HERE, now: datetime = NOON
) -> SignedIn | Refused:
    with database.writing() as db, at(now):
        return enter_with_code(db, token, typed, browser)


def test_a_right_password_signs_in_only_with_a_code(
    database: Database, ada: Account, recovery: tuple[str, ...]
) -> None:
    step = enter(database)
    with database.reading() as db:
        assert signed_in(db, step, now=NOON) is None
    assert isinstance(tell(database, step, "000000"), Refused)
    session = tell(database, step, code(database, NOON))
    assert isinstance(session, SignedIn)
    assert session.token != step
    with database.reading() as db:
        assert signed_in(db, session.token, now=NOON) == ada
        assert db.scalars(select(OneTimeTokenRow)).all() == []
        assert db.scalars(select(SignInAttemptRow)).all() == []
    # The step has ended with it.
    with pytest.raises(NotAllowed):
        tell(database, step, code(database, NOON + PERIOD), now=NOON + PERIOD)


def test_a_code_never_works_twice(database: Database, recovery: tuple[str, ...]) -> None:
    shown = code(database, NOON)
    assert isinstance(tell(database, enter(database), shown), SignedIn)
    for later in (NOON, NOON + PERIOD):
        assert isinstance(tell(database, enter(database, now=later), shown, now=later), Refused)
    # Nor does the one before, which was not used.
    earlier = code(database, NOON - PERIOD)
    assert isinstance(tell(database, enter(database), earlier), Refused)
    assert isinstance(tell(database, enter(database), code(database, NOON + PERIOD)), SignedIn)


@pytest.mark.parametrize("of_the_app", [True, False])
def test_of_two_who_use_a_code_at_the_same_time_one_is_refused(
    database: Database,
    ada: Account,
    recovery: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    of_the_app: bool,
) -> None:
    shown, others = code(database, NOON) if of_the_app else recovery[0], list[Future[bool]]()

    def used(there: Database) -> bool:
        with there.writing() as db, at(NOON):
            return two_factor.use_code(db, ada.id, shown)

    # As another process does, with a database of its own.
    with opened(database.url) as other, ThreadPoolExecutor(1) as elsewhere:

        def matching(*asked: Any, **further: Any) -> int | None:
            # Between what one has read and what it writes, the other comes; SQLite lets it wait for its turn.
            step = matching_step(*asked, **further)
            if not others:
                others.append(elsewhere.submit(used, other))
                if not database.embedded:
                    others[0].result(timeout=60)
            return step

        monkeypatch.setattr(two_factor, "matching_step", matching)
        mine = used(database)
        assert sorted([mine, others[0].result(timeout=60)]) == [False, True]


def test_a_recovery_code_works_once_and_new_ones_replace_all(
    database: Database, ada: Account, recovery: tuple[str, ...]
) -> None:
    assert isinstance(tell(database, enter(database), recovery[0].upper()), SignedIn)
    assert isinstance(tell(database, enter(database), recovery[0]), Refused)
    with database.writing() as db:
        assert two_factor.two_factor_state(db, ada.id).recovery_left == 9
        new = two_factor.renew_recovery_codes(db, ada.id)
    assert isinstance(tell(database, enter(database), recovery[1]), Refused)
    assert isinstance(tell(database, enter(database), new[0]), SignedIn)
    with database.reading() as db:
        kept = db.scalars(select(AccountRow.recovery_hashes)).one().split()
    assert (len(kept), {len(one) for one in kept}) == (9, {64})


def test_the_step_expires_after_five_minutes(database: Database, recovery: tuple[str, ...]) -> None:
    step, late = enter(database), NOON + CODE_STEP_LASTS
    with pytest.raises(NotAllowed):
        tell(database, step, code(database, late), now=late)
    just = late - timedelta(seconds=1)
    assert isinstance(tell(database, step, code(database, just), now=just), SignedIn)


def test_guessed_codes_wait_and_keep_nobody_out_elsewhere(
    database: Database, recovery: tuple[str, ...]
) -> None:
    guesses = [tell(database, enter(database, ELSEWHERE), "000000", browser=ELSEWHERE) for _ in range(5)]
    waits = [one.seconds for one in guesses if isinstance(one, Refused)]
    # Five are free, and the fifth begins the first wait of 30 seconds; the password does not forgive them.
    assert waits == [0, 0, 0, 0, 30]
    right = tell(database, enter(database, ELSEWHERE), code(database, NOON), browser=ELSEWHERE)
    assert isinstance(right, Refused)
    assert isinstance(tell(database, enter(database), code(database, NOON)), SignedIn)


def test_codes_guessed_from_everywhere_are_few_and_another_password_ends_it(
    database: Database, ada: Account, recovery: tuple[str, ...]
) -> None:
    with database.writing() as db:
        for number in range(FAILURES_OF_A_LOGIN):
            record_failure(db, Guess(code_name("ada"), f"203.0.113.{number}"), NOON)
    # From an address that has guessed nothing; elsewhere, five would be free.
    refused = tell(database, enter(database, ELSEWHERE), code(database, NOON), browser=ELSEWHERE)
    assert isinstance(refused, Refused)
    assert refused.wait == CODE_PACE
    assert isinstance(tell(database, enter(database), code(database, NOON)), Refused)
    # Whoever guesses knows the password, so another one ends it.
    with database.writing() as db, at(NOON):
        link = make_reset(db, ada.id).token
        step = use_reset(db, link, CHEAP.hash("three words more"), ELSEWHERE)
    assert isinstance(step, CodeNeeded)
    entered = tell(database, step.token, code(database, NOON + PERIOD), browser=ELSEWHERE)
    assert isinstance(entered, SignedIn)


def test_a_reset_link_leads_to_the_code(database: Database, ada: Account, recovery: tuple[str, ...]) -> None:
    before = enter(database)
    with database.writing() as db, at(NOON):
        made = make_reset(db, ada.id)
    with database.writing() as db, at(NOON):
        outcome = use_reset(db, made.token, CHEAP.hash("three words more"), HERE)
    assert isinstance(outcome, CodeNeeded)
    # The step that the old password opened has ended.
    with pytest.raises(NotAllowed):
        tell(database, before, code(database, NOON))
    assert isinstance(tell(database, outcome.token, code(database, NOON)), SignedIn)


def test_nothing_is_asked_before_a_code_confirmed_the_app(database: Database, ada: Account) -> None:
    with database.writing() as db:
        two_factor.prepare_app(db, ada.id)
    with database.writing() as db:
        with at(NOON):
            assert two_factor.turn_on(db, ada.id, "000000") is None
            assert not two_factor.use_code(db, ada.id, code(database, NOON))
        assert not two_factor.is_turned_on(db, ada.id)
        assert two_factor.two_factor_state(db, ada.id).secret
    shown = code(database, NOON)
    with database.writing() as db:
        with at(NOON):
            assert two_factor.turn_on(db, ada.id, shown)
        # The code that confirms is used by that.
        with at(NOON):
            assert not two_factor.use_code(db, ada.id, shown)
        assert two_factor.two_factor_state(db, ada.id).secret == ""
        with pytest.raises(Conflict):
            two_factor.prepare_app(db, ada.id)
        with pytest.raises(Conflict), at(NOON):
            two_factor.turn_on(db, ada.id, shown)


@pytest.mark.parametrize("erased", [False, True], ids=["reset", "erased"])
def test_a_reset_by_an_administrator_and_an_erasure_leave_no_row(
    database: Database, ada: Account, recovery: tuple[str, ...], erased: bool
) -> None:
    step = enter(database)
    session = tell(database, enter(database), code(database, NOON))
    assert isinstance(session, SignedIn)
    if erased:
        erase_person(database, ada.id, typed_login="ada")
    else:
        with database.writing() as db:
            reset_two_factor(db, ada.id)
    with database.reading() as db:
        account = db.get_one(AccountRow, ada.id)
        assert (account.app_secret, account.app_confirmed_at, account.recovery_hashes) == (None, None, "")
        assert db.scalars(select(OneTimeTokenRow)).all() == []
        assert signed_in(db, session.token, now=NOON) is None
    with pytest.raises(NotAllowed):
        tell(database, step, "000000")
    with pytest.raises(Conflict), database.writing() as db:
        reset_two_factor(db, ada.id)  # there is none any more
