"""Accounts: login names, names and passwords (argon2id), tokens, and the first account of an installation.

Of tokens, which are random secrets in cookies and links, only a hash is stored.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, insert, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.frozen import frozen_dataclass
from workbench.storage.tables import AccountRow, OneTimeTokenRow
from workbench.workflow.clock import utc_now

SHORTEST, LONGEST = 12, 1024
# zxcvbn (Wheeler, USENIX Security 2016) counts the guesses that a password takes: from 10^8 on it withstands
# whoever tries them at the sign-in page. Of 72 characters it can take 4 s, of 36 a quarter of that.
FEWEST_GUESSES, MOST_READ = 1e8, 36
_HASHED = "$argon2"
_PARTS = re.compile(r"[^\W_]+")
HINT = f"At least {SHORTEST} characters; a sentence works well"


class Passwords:
    """Hashes and checks passwords; slow on purpose, so never call it inside a writing transaction.

    `hasher` has the parameters that argon2-cffi recommends; tests pass a cheap one.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._no_match = _unmatchable(self._hasher)

    def hash(self, password: str) -> str:
        """The argon2id hash of a password, to be stored."""
        return self._hasher.hash(_composed(password))

    def matches(self, password: str, stored: str | None) -> bool:
        """Whether the password matches a stored hash.

        None, for an unknown account, takes the same time, and so does what is no hash, of an account without
        a password: the time tells neither apart from a wrong password.
        """
        hashed = stored if stored is not None and stored.startswith(_HASHED) else None
        try:
            return self._hasher.verify(hashed or self._no_match, _composed(password)) and hashed is not None
        except (VerificationError, InvalidHashError):
            return False

    def outdated(self, stored: str) -> bool:
        """Whether a stored hash was made with weaker parameters than the current ones."""
        return self._hasher.check_needs_rehash(stored)


def password_findings(
    password: str, *, login: str = "", name: str = "", repeated: str | None = None
) -> list[Finding]:
    """Every error in a new password of somebody; `repeated` is the second entry."""
    findings = []
    if len(password) < SHORTEST:
        findings.append(_finding("the password is too short", HINT[0].lower() + HINT[1:]))
    if len(password) > LONGEST:
        findings.append(_finding("the password is too long", f"at most {LONGEST:,} characters"))
    elif len(password) >= SHORTEST and _is_guessable(password, (login, name)):
        findings.append(
            _finding("the password is easy to guess", "choose several words that do not go together")
        )
    if any("\ud800" <= character <= "\udfff" for character in password):
        findings.append(_finding("the password is not valid text", "type it again"))
    if repeated is not None and repeated != password:
        message, remedy = "the two passwords differ", "enter the same password twice"
        findings.append(Finding("Repeat the password", None, "repeated", message, remedy))
    return findings


def _is_guessable(password: str, names: tuple[str, ...]) -> bool:
    from zxcvbn import zxcvbn  # its dictionaries take 70 ms to load

    own = [part for name in names for part in (name, *_PARTS.findall(name)) if part]
    guesses = zxcvbn(_composed(password)[:MOST_READ], ["workbench", *own])["guesses"]
    return bool(guesses < FEWEST_GUESSES)


def _finding(message: str, remedy: str) -> Finding:
    return Finding("Password", None, "password", message, remedy)


def _composed(password: str) -> str:
    # The same keys produce different code points on different systems.
    return unicodedata.normalize("NFKC", password)


def _unmatchable(hasher: PasswordHasher) -> str:
    # A well-formed hash of the same cost that no password matches.
    salt = base64.b64encode(bytes(hasher.salt_len)).decode().rstrip("=")
    digest = base64.b64encode(bytes(hasher.hash_len)).decode().rstrip("=")
    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v=19${cost}${salt}${digest}"


LONGEST_NAME = 120
WITHOUT_PASSWORD = "none"  # noqa: S105 - no hash, so no password matches it
LOGIN = re.compile(r"\w[\w.@+-]{1,119}")
NO_PASSWORD = "erased"  # noqa: S105 - of an erased account: it is no hash, so no password matches it


@frozen_dataclass
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


@frozen_dataclass
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
        **asdict(new),
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


def new_token() -> str:
    """256 random bits for a cookie or a URL."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """The SHA-256 under which a token is stored; unsalted, since a token cannot be guessed."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class Opens(StrEnum):
    """What a token opens once."""

    RESET = "reset"
    ADDRESS = "address"
    SIGN_IN = "sign-in"


def make_one_time_token(db: Session, account_id: int, opens: Opens, *, lasts: timedelta) -> str:
    """A token for an account, which is returned here only.

    It replaces the one before; sign-ins may wait in several browsers.
    """
    moment, token, row = utc_now(), new_token(), OneTimeTokenRow
    db.execute(delete(row).where(row.expires_at <= moment))
    if opens is not Opens.SIGN_IN:
        forget_one_time_tokens(db, account_id, opens)
    made = {"account_id": account_id, "opens": str(opens), "expires_at": moment + lasts}
    db.execute(insert(row).values(token_hash=token_hash(token), **made))
    return token


def one_time_account(db: Session, token: str, opens: Opens) -> AccountRow | None:
    """For which enabled account a token opens this; None once it was used or replaced, or has expired."""
    row = OneTimeTokenRow
    return db.scalar(
        select(AccountRow)
        .join(row, row.account_id == AccountRow.id)
        .where(row.token_hash == token_hash(token), row.opens == opens, row.expires_at > utc_now())
        .where(AccountRow.disabled_at.is_(None))
    )


def use_one_time_token(db: Session, token: str) -> bool:
    """Let a token open nothing more; False if somebody else has just used it."""
    used = delete(OneTimeTokenRow).where(OneTimeTokenRow.token_hash == token_hash(token))
    return db.scalar(used.returning(OneTimeTokenRow.account_id)) is not None


def forget_one_time_tokens(db: Session, account_id: int, opens: Opens) -> None:
    """Let an account's tokens that open this be of no use any more."""
    row = OneTimeTokenRow
    db.execute(delete(row).where(row.account_id == account_id, row.opens == opens))
