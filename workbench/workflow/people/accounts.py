"""Accounts: login names, names, and the first account of an installation."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.storage.tables import AccountRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.passwords import Passwords, password_findings

LONGEST_NAME = 120
WITHOUT_PASSWORD = "none"  # noqa: S105 - no hash, so no password matches it
LOGIN = re.compile(r"\w[\w.@+-]{1,119}")
NO_PASSWORD = "erased"  # noqa: S105 - of an erased account: it is no hash, so no password matches it


@dataclass(frozen=True, slots=True)
class Account:
    """A person who can sign in; an administrator may create campaigns and accounts.

    `key` identifies the account across installations: data that a browser stores for one account is never
    sent for another, not even for one with the same id in another installation.
    """

    id: int
    login: str
    name: str
    administrator: bool
    key: str


@dataclass(frozen=True, slots=True)
class NewAccount:
    """A validated account, ready to be stored; made by `prepare_account` and `account_without_password`."""

    login: str
    name: str
    password_hash: str


def prepare_account(
    *, login: str, name: str, password: str, passwords: Passwords, repeated: str | None = None
) -> NewAccount:
    """Validate the fields of a new account and hash the password, outside any transaction.

    Raises InvalidInput with every error; the `code` of each finding is the name of its field.
    """
    findings = [
        *login_findings(login),
        *name_findings(name),
        *password_findings(password, login=login, name=name, repeated=repeated),
    ]
    if findings:
        raise InvalidInput(findings)
    return NewAccount(fold_login(login), clean_name(name), passwords.hash(password))


def account_without_password(login: str, name: str) -> NewAccount:
    """A new account whose owner signs in at an OpenID provider; raises InvalidInput.

    Its owner, like any other, can choose a password by a reset link.
    """
    findings = [*login_findings(login), *name_findings(name)]
    if findings:
        raise InvalidInput(findings)
    return NewAccount(fold_login(login), clean_name(name), WITHOUT_PASSWORD)


def has_password(db: Session, account_id: int) -> bool:
    """Whether the owner of an account can sign in with a password."""
    return db.get_one(AccountRow, account_id).password_hash != WITHOUT_PASSWORD


def is_login_free(db: Session, login: str) -> bool:
    """Whether no account has this login name."""
    return db.scalar(select(AccountRow.id).where(AccountRow.login == fold_login(login))) is None


def create_account(db: Session, new: NewAccount, *, administrator: bool = False) -> Account:
    """Store an account; raises Conflict if the login name is taken."""
    row = AccountRow(
        login=new.login,
        name=new.name,
        password_hash=new.password_hash,
        administrator=administrator,
        created_at=utc_now(),
    )
    db.add(row)
    try:
        db.flush()
    except IntegrityError:
        raise Conflict(f"the login name {new.login} is taken", remedy="choose another") from None
    return account_from(row)


def create_first_account(db: Session, new: NewAccount) -> Account:
    """Store the first account, an administrator; of two simultaneous calls one raises Conflict."""
    if db.get_bind().dialect.name == "postgresql":
        # SQLite lets one writer in at a time anyway.
        db.execute(text("lock table account in share row exclusive mode"))
    if any_account(db):
        raise Conflict("the first account exists already", remedy="sign in with it, or ask for a link")
    return create_account(db, new, administrator=True)


def any_account(db: Session) -> bool:
    """Whether there is any account."""
    return db.scalar(select(AccountRow.id).limit(1)) is not None


def account_names(db: Session, numbers: Iterable[int | None]) -> dict[int, str]:
    """The names of accounts by their numbers; None is nobody's."""
    chosen = sorted({number for number in numbers if number is not None})
    named = select(AccountRow.id, AccountRow.name).where(AccountRow.id.in_(chosen))
    return dict(db.execute(named).all()) if chosen else {}


def account_by_login(db: Session, login: str) -> Account:
    """The account with this login name, in any case and Unicode form; raises NotFound."""
    return account_from(account_row(db, login))


def rename(db: Session, account_id: int, name: str) -> Account:
    """Change a person's name, but not the assessor names in campaigns; raises InvalidInput."""
    findings = name_findings(name)
    if findings:
        raise InvalidInput(findings)
    row = db.get_one(AccountRow, account_id)
    row.name = clean_name(name)
    db.flush()
    return account_from(row)


def fold_login(login: str) -> str:
    """A login name as stored and compared: normalised (NFKC), trimmed, case-folded."""
    folded = unicodedata.normalize("NFKC", login.strip()).casefold()
    return unicodedata.normalize("NFKC", folded)


def login_findings(login: str) -> list[Finding]:
    """Every error in a login name."""
    if LOGIN.fullmatch(fold_login(login)):
        return []
    remedy = "use 2 to 120 letters, digits and . _ - @ +, without spaces"
    message = "the login name is missing" if not login.strip() else "this cannot be a login name"
    return [Finding("Login name", None, "login", message, remedy)]


def clean_name(name: str) -> str:
    """A person's name as stored: normalised (NFC), with single spaces."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


def name_findings(name: str) -> list[Finding]:
    """Every error in a person's name."""
    name = clean_name(name)
    if not name:
        return [
            Finding("Name", None, "name", "the name is missing", "enter the name that colleagues know you by")
        ]
    if len(name) > LONGEST_NAME:
        return [Finding("Name", None, "name", "the name is too long", f"at most {LONGEST_NAME} characters")]
    if has_invisible(name):
        return [Finding("Name", None, "name", "the name has invisible characters", "type it again")]
    return []


def has_invisible(name: str) -> bool:
    """Whether a name has invisible characters or direction overrides, which make it look like another."""
    return any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co"} for character in name)


def account_from(row: AccountRow) -> Account:
    """The account of a row, without its password."""
    return Account(row.id, row.login, row.name, row.administrator, account_key(row.id, row.created_at))


def account_key(account_id: int, created_at: datetime) -> str:
    """The key of an account.

    Two installations do not create an account with the same id in the same microsecond.
    """
    made = f"{account_id}\0{created_at.astimezone(UTC).isoformat()}"
    return hashlib.sha256(made.encode()).hexdigest()[:20]


def account_row(db: Session, login: str) -> AccountRow:
    """The row of the account with this login name; raises NotFound."""
    row = db.scalar(select(AccountRow).where(AccountRow.login == fold_login(login)))
    if row is None:
        raise NotFound(f"there is no account with the login name {login!r}")
    return row
