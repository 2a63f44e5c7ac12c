"""Signing in and out: sessions, attempts whose password or code is checked, and links for another password.

An attempt is begun in one transaction, its password is checked outside any, and it is completed in another. A
refusal is returned, not raised: an exception would roll back the stored failure. Wrong codes are slowed down
like wrong passwords, and counted apart from them.

Decisions, on the links of people who forgot the password:

- The password so far and the sessions stay until the link is used, so that making a link harms nobody: not
  the owner who remembers the password after all, nor one whose link was made by mistake.
- An account has one link at a time, which works once and within a day; a new one replaces it. A disabled
  account has none.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotAllowed, NotFound
from workbench.frozen import frozen_dataclass
from workbench.storage.tables import AccessTokenRow, AccountRow, SessionRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import (
    Account,
    Opens,
    Passwords,
    account_from,
    account_row,
    fold_login,
    forget_one_time_tokens,
    make_one_time_token,
    new_token,
    one_time_account,
    token_hash,
    use_one_time_token,
)
from workbench.workflow.people.sessions import shortened_address
from workbench.workflow.people.throttling import (
    SIGNED_IN,
    Guess,
    code_name,
    forget_failures,
    network_of,
    one_at_a_time,
    record_failure,
    waiting_time,
)
from workbench.workflow.people.two_factor import (
    CodeNeeded,
    ask_for_code,
    is_turned_on,
    use_code,
    waiting_account,
)

SESSION_LASTS = timedelta(days=30)


LONGEST_BROWSER = 200


@frozen_dataclass
class Browser:
    """What a request says of the browser it comes from; `name` is the `User-Agent` field."""

    address: str | None = None
    name: str = ""


@frozen_dataclass
class SignInAttempt:
    """An attempt to sign in; `stored`, the password hash, is None if there is no such account."""

    guess: Guess
    browser: Browser
    account_id: int | None
    stored: str | None
    wait: timedelta


@frozen_dataclass
class CheckedAttempt:
    """An attempt whose password was checked; `renewed` is a stronger hash to store instead."""

    attempt: SignInAttempt
    right: bool
    renewed: str | None = None


@frozen_dataclass
class Refused:
    """A failed sign-in; `wait` is how long further attempts are refused without being checked.

    `reason` is said where they are not.
    """

    wait: timedelta
    reason: str = "The login name or the password is wrong."

    @property
    def seconds(self) -> int:
        """The wait in whole seconds, rounded up."""
        return -(-self.wait // timedelta(seconds=1))

    def __str__(self) -> str:
        if not self.wait:
            return self.reason
        return f"Too many attempts failed. Try again in {wait_in_words(self.seconds)}."


@frozen_dataclass
class SignedIn:
    """A new session; the token is sent to the browser and stored nowhere else."""

    account: Account
    token: str
    expires_at: datetime


def begin_attempt(db: Session, *, login: str, browser: Browser, signed_in: bool = False) -> SignInAttempt:
    """Look up a login name and its throttling, before the password is checked.

    `signed_in` says that this account is signed in already, and so waits for nobody else's failures.
    """
    # Bounded and without NUL, since it is stored if the attempt fails.
    folded = fold_login(login).replace("\0", "")[:120]
    row = db.scalar(select(AccountRow).where(AccountRow.login == folded, AccountRow.disabled_at.is_(None)))
    place = SIGNED_IN if signed_in else network_of(browser.address)
    guess = Guess(folded, place)
    return SignInAttempt(
        guess=guess,
        browser=browser,
        account_id=row.id if row else None,
        stored=row.password_hash if row else None,
        wait=waiting_time(db, guess, utc_now()),
    )


def check_password(attempt: SignInAttempt, password: str, passwords: Passwords) -> CheckedAttempt:
    """Check the password of an attempt, outside any transaction; a throttled one is not checked."""
    if attempt.wait or not passwords.matches(password, attempt.stored):
        return CheckedAttempt(attempt, right=False)
    outdated = attempt.stored is not None and passwords.outdated(attempt.stored)
    return CheckedAttempt(attempt, right=True, renewed=passwords.hash(password) if outdated else None)


def sign_in(
    db: Session, checked: CheckedAttempt, *, replacing: str | None = None
) -> SignedIn | CodeNeeded | Refused:
    """Enter with a password, or store the failure. `replacing` is the token of a session that ends."""
    account = _verified(db, checked)
    if isinstance(account, Refused):
        return account
    if checked.renewed is not None:
        account.password_hash = checked.renewed
    if replacing:
        sign_out(db, replacing)
    return enter(db, account_from(account), checked.attempt.browser)


def change_password(
    db: Session,
    checked: CheckedAttempt,
    password_hash: str,
    *,
    tokens: bool = True,
) -> SignedIn | Refused:
    """Replace the password after the old one was checked; ends all sessions and opens a new one.

    Revokes the access tokens too, unless `tokens` is false.
    """
    account = _verified(db, checked)
    if isinstance(account, Refused):
        return account
    account.password_hash = password_hash
    forget_failures(db, code_name(account.login))
    sign_out_everywhere(db, account.id, tokens=tokens)
    forget_one_time_tokens(db, account.id, Opens.RESET)
    return open_session(db, account_from(account), checked.attempt.browser)


def confirm_password(db: Session, checked: CheckedAttempt) -> Refused | None:
    """None if the password of somebody who is signed in was right; otherwise the failure is stored."""
    found = _verified(db, checked)
    return found if isinstance(found, Refused) else None


def enter(db: Session, account: Account, browser: Browser) -> SignedIn | CodeNeeded:
    """Open a session for an account whose password was right, or ask for the code where it needs one."""
    if is_turned_on(db, account.id):
        return ask_for_code(db, account.id)
    return open_session(db, account, browser)


def open_session(db: Session, account: Account, browser: Browser | None = None) -> SignedIn:
    """Open a session for a verified account; it expires after 30 days."""
    moment, browser = utc_now(), browser or Browser()
    db.execute(delete(SessionRow).where(SessionRow.expires_at <= moment))
    token, expires_at = new_token(), moment + SESSION_LASTS
    db.add(
        SessionRow(
            token_hash=token_hash(token),
            account_id=account.id,
            created_at=moment,
            expires_at=expires_at,
            browser=browser.name[:LONGEST_BROWSER],
            network=shortened_address(browser.address),
            used_at=moment,
        )
    )
    db.flush()
    return SignedIn(account, token, expires_at)


def sign_out(db: Session, token: str) -> None:
    """End one session."""
    db.execute(delete(SessionRow).where(SessionRow.token_hash == token_hash(token)))


def sign_out_everywhere(db: Session, account_id: int, *, tokens: bool = True) -> int:
    """End every session of an account, and sign-ins that wait for a code; gives how many sessions.

    Revokes the access tokens too, unless `tokens` is false: whoever had the account may have made some.
    """
    if tokens:
        db.execute(delete(AccessTokenRow).where(AccessTokenRow.account_id == account_id))
    forget_one_time_tokens(db, account_id, Opens.SIGN_IN)
    ended = delete(SessionRow).where(SessionRow.account_id == account_id).returning(SessionRow.token_hash)
    return len(db.scalars(ended).all())


def _verified(db: Session, checked: CheckedAttempt) -> AccountRow | Refused:
    # Checked again under the lock: of many guesses sent at once, those over the limit must not be checked.
    guess, now = checked.attempt.guess, utc_now()
    one_at_a_time(db, guess.login)
    wait = waiting_time(db, guess, now)
    if wait:
        return Refused(wait)
    if not checked.right or checked.attempt.account_id is None:
        record_failure(db, guess, now)
        return Refused(waiting_time(db, guess, now))
    account = db.get(AccountRow, checked.attempt.account_id)
    if account is None or account.disabled_at or account.password_hash != checked.attempt.stored:
        raise NotAllowed("the account was changed meanwhile", remedy="sign in again")
    # Only those made here: somebody else may still be guessing elsewhere.
    forget_failures(db, guess.login, guess.place)
    return account


def wait_in_words(seconds: int) -> str:
    """How long to wait: in seconds, from a minute on in minutes, rounded up."""
    if seconds < 60:
        return "1 second" if seconds == 1 else f"{seconds} seconds"
    minutes = -(-seconds // 60)
    return "1 minute" if minutes == 1 else f"{minutes} minutes"


def set_password(db: Session, login: str, password_hash: str) -> Account:
    """Give an account another password without the old one; ends sessions and tokens. Raises NotFound."""
    return replace_password(db, account_row(db, login).id, password_hash)


def replace_password(db: Session, account_id: int, password_hash: str) -> Account:
    """Store another password; ends sessions and tokens, forgets failed attempts and the link of a reset."""
    row = db.get_one(AccountRow, account_id)
    row.password_hash = password_hash
    sign_out_everywhere(db, row.id)
    forget_one_time_tokens(db, row.id, Opens.RESET)
    forget_failures(db, row.login)
    forget_failures(db, code_name(row.login))
    db.flush()
    return account_from(row)


WRONG = "The code is wrong, has expired, or was used before."


def enter_with_code(
    db: Session,
    token: str | None,
    typed: str,
    browser: Browser,
    *,
    replacing: str | None = None,
) -> SignedIn | Refused:
    """Open a session if the code was right, or store the failure. `replacing` is the token of one that ends.

    Raises NotAllowed if the sign-in has ended or expired meanwhile.
    """
    account = waiting_account(db, token)
    if token is None or account is None:
        raise NotAllowed("this sign-in has expired", remedy="sign in again")
    refused = confirm_code(db, account, typed, place=network_of(browser.address))
    if refused is not None:
        return refused
    use_one_time_token(db, token)
    if replacing:
        sign_out(db, replacing)
    return open_session(db, account, browser)


def confirm_code(db: Session, account: Account, typed: str, *, place: str = SIGNED_IN) -> Refused | None:
    """None if the code was right, by default of who is signed in; otherwise the failure is stored."""
    moment, guess = utc_now(), Guess(code_name(account.login), place)
    one_at_a_time(db, guess.login)
    wait = waiting_time(db, guess, moment)
    if wait:
        return Refused(wait)
    if not use_code(db, account.id, typed):
        record_failure(db, guess, moment)
        return Refused(waiting_time(db, guess, moment), WRONG)
    forget_failures(db, guess.login, guess.place)
    return None


RESET_LASTS = timedelta(days=1)


@frozen_dataclass
class ResetLink:
    """A link for an account, with its token, which is returned here only, never again."""

    account: Account
    token: str
    expires_at: datetime


def make_reset(db: Session, account_id: int) -> ResetLink:
    """Make a link that replaces the one before; raises NotFound, Conflict for a disabled account."""
    row = db.get(AccountRow, account_id)
    if row is None:
        raise NotFound("there is no such account")
    if row.disabled_at is not None:
        raise Conflict("the account is disabled", remedy="enable it first")
    token = make_one_time_token(db, row.id, Opens.RESET, lasts=RESET_LASTS)
    return ResetLink(account_from(row), token, utc_now() + RESET_LASTS)


def reset_owner(db: Session, token: str) -> Account:
    """Whose password a link replaces; raises NotFound if it is unknown, used, replaced or expired."""
    row = one_time_account(db, token, Opens.RESET)
    if row is None:
        raise NotFound(
            "this link was used or replaced, or has expired", remedy="ask an administrator for a new one"
        )
    return account_from(row)


def use_reset(db: Session, token: str, password_hash: str, browser: Browser) -> SignedIn | CodeNeeded:
    """Replace the password, end all sessions, and open a new one or ask for the code that the account needs.

    Raises as `reset_owner`, also for the second of two at the same time.
    """
    owner = reset_owner(db, token)
    if not use_one_time_token(db, token):
        raise NotFound("this link was used", remedy="ask an administrator for a new one")
    replace_password(db, owner.id, password_hash)
    return enter(db, owner, browser)
