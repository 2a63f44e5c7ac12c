"""Passwords: what a good one is, and how it is kept (argon2id)."""

from __future__ import annotations

import base64
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from workbench.errors import Finding

SHORTEST, LONGEST = 10, 1024


class Passwords:
    """Hashes and checks passwords; costly on purpose, so never call it inside a writing transaction.

    `hasher` is argon2-cffi's with its recommended parameters unless tests want a cheap one.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._nobody = _unmatchable(self._hasher)

    def hash(self, password: str) -> str:
        """The argon2id hash under which a password is kept."""
        return self._hasher.hash(_composed(password))

    def matches(self, password: str, stored: str | None) -> bool:
        """Whether the password is the stored one; None, an unknown account, costs the same time."""
        try:
            return self._hasher.verify(stored or self._nobody, _composed(password)) and stored is not None
        except (VerificationError, InvalidHashError):
            return False

    def outdated(self, stored: str) -> bool:
        """Whether a stored hash was made with weaker parameters than today's."""
        return self._hasher.check_needs_rehash(stored)


def password_findings(password: str, *, login: str = "", repeated: str | None = None) -> list[Finding]:
    """Everything that speaks against a new password; `repeated` is what was typed the second time."""
    findings = []
    if len(password) < SHORTEST:
        findings.append(_finding("it is too short", f"at least {SHORTEST} characters; a sentence is good"))
    if len(password) > LONGEST:
        findings.append(_finding("it is too long", f"at most {LONGEST:,} characters"))
    if login and _composed(password).strip().casefold() == login.strip().casefold():
        findings.append(_finding("it is the login name", "choose something that nobody guesses"))
    if any("\ud800" <= character <= "\udfff" for character in password):
        findings.append(_finding("it is not proper text", "type it again"))
    if repeated is not None and repeated != password:
        findings.append(
            Finding("Password again", None, "repeated", "the two passwords differ", "type the same twice")
        )
    return findings


def _finding(message: str, remedy: str) -> Finding:
    return Finding("Password", None, "password", message, remedy)


def _composed(password: str) -> str:
    # The same keys give different code points on different systems.
    return unicodedata.normalize("NFKC", password)


def _unmatchable(hasher: PasswordHasher) -> str:
    # Well formed, of the same cost, and with a digest that no password has.
    salt = base64.b64encode(bytes(hasher.salt_len)).decode().rstrip("=")
    digest = base64.b64encode(bytes(hasher.hash_len)).decode().rstrip("=")
    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v=19${cost}${salt}${digest}"
