"""People: accounts, what they are called, and how the first of them comes to be."""

from __future__ import annotations

import hashlib
import re
import unicodedata
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
LOGIN = re.compile(r"\w[\w.@+-]{1,119}")


@dataclass(frozen=True, slots=True)
class Account:
    """A person who can sign in; an administrator may make campaigns and accounts.

    `key` is the account's in every installation: what a browser keeps for it goes to no other account, and to
    none with the same number elsewhere.
    """

    id: int
    login: str
    name: str
    administrator: bool
    key: str


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account that is ready to be stored; made by `prepare_account` only."""

    login: str
    name: str
    password_hash: str


def prepare_account(
    *, login: str, name: str, password: str, passwords: Passwords, repeated: str | None = None
) -> NewAccount:
    """Check what a person typed and hash the password, outside any transaction.

    Raises InvalidInput with everything that is wrong; `code` of each finding names the field.
    """
    findings = [
        *login_findings(login),
        *name_findings(name),
        *password_findings(password, login=fold_login(login), repeated=repeated),
    ]
    if findings:
        raise InvalidInput(findings)
    return NewAccount(fold_login(login), clean_name(name), passwords.hash(password))


def create_account(
    db: Session, new: NewAccount, *, administrator: bool = False, now: datetime | None = None
) -> Account:
    """Store an account; raises Conflict where the login name is taken."""
    row = AccountRow(
        login=new.login,
        name=new.name,
        password_hash=new.password_hash,
        administrator=administrator,
        created_at=utc_now(now),
    )
    db.add(row)
    try:
        db.flush()
    except IntegrityError:
        raise Conflict(f"the login name {new.login} is taken", remedy="choose another") from None
    return account_from(row)


def create_first_account(db: Session, new: NewAccount, *, now: datetime | None = None) -> Account:
    """Store the first account, an administrator; of two first visits one raises Conflict."""
    if db.get_bind().dialect.name == "postgresql":
        # SQLite lets one writer in at a time anyway.
        db.execute(text("lock table account in share row exclusive mode"))
    if any_account(db):
        raise Conflict("somebody else made the first account meanwhile", remedy="sign in, or ask for a link")
    return create_account(db, new, administrator=True, now=now)


def any_account(db: Session) -> bool:
    """Whether anybody can sign in at all."""
    return db.scalar(select(AccountRow.id).limit(1)) is not None


def account_by_login(db: Session, login: str) -> Account:
    """The account with this login name, however it is written; raises NotFound."""
    return account_from(account_row(db, login))


def rename(db: Session, account_id: int, name: str) -> Account:
    """Change what a person is called; raises InvalidInput. Assessors' names in campaigns stay as they are."""
    findings = name_findings(name)
    if findings:
        raise InvalidInput(findings)
    row = db.get_one(AccountRow, account_id)
    row.name = clean_name(name)
    db.flush()
    return account_from(row)


def fold_login(login: str) -> str:
    """A login name as it is kept and compared: composed, trimmed, without case."""
    folded = unicodedata.normalize("NFKC", login.strip()).casefold()
    return unicodedata.normalize("NFKC", folded)


def login_findings(login: str) -> list[Finding]:
    """Everything that speaks against a login name."""
    if LOGIN.fullmatch(fold_login(login)):
        return []
    remedy = "2 to 120 letters, digits and . _ - @ +, without spaces"
    message = "it is empty" if not login.strip() else "it cannot be a login name"
    return [Finding("Login name", None, "login", message, remedy)]


def clean_name(name: str) -> str:
    """A person's name as it is kept: composed, with single spaces."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


def name_findings(name: str) -> list[Finding]:
    """Everything that speaks against a person's name."""
    name = clean_name(name)
    if not name:
        return [Finding("Name", None, "name", "it is empty", "the name that colleagues know")]
    if len(name) > LONGEST_NAME:
        return [Finding("Name", None, "name", "it is too long", f"at most {LONGEST_NAME} characters")]
    # Invisible characters and changes of direction would let one person's name look like another's.
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co"} for character in name):
        return [Finding("Name", None, "name", "it has invisible characters", "type it anew")]
    return []


def account_from(row: AccountRow) -> Account:
    """What may be known of an account's row."""
    return Account(row.id, row.login, row.name, row.administrator, _key(row))


def _key(row: AccountRow) -> str:
    # When an account was made no two installations have in common, to the microsecond.
    made = f"{row.id}\0{row.created_at.astimezone(UTC).isoformat()}"
    return hashlib.sha256(made.encode()).hexdigest()[:20]


def account_row(db: Session, login: str) -> AccountRow:
    """The row of the account with this login name; raises NotFound."""
    row = db.scalar(select(AccountRow).where(AccountRow.login == fold_login(login)))
    if row is None:
        raise NotFound(f"nobody has the login name {login!r}")
    return row
