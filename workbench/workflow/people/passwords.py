"""Passwords: requirements, hashing and checking (argon2id)."""

from __future__ import annotations

import base64
import re
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from workbench.errors import Finding

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
