"""Codes that work once: those of an authenticator app (TOTP, RFC 6238), and recovery codes.

Decisions:

- SHA-1, six digits and 30 seconds, the defaults of RFC 6238: some apps ignore anything else they are told.
- A clock may be one period wrong in either direction (RFC 6238, section 5.2, recommends at most one).
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from hmac import compare_digest

import pyotp

PERIOD_SECONDS = 30
DIGITS = 6
DRIFT = 1
"""How many periods an app may be early or late."""
RECOVERY_CODES = 10
RECOVERY_BITS = 80
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"  # Base32, of which a character carries 5 bits
_RECOVERY_LENGTH, _GROUP = RECOVERY_BITS // 5, 4


def new_app_secret() -> str:
    """160 random bits in Base32, as long as the hash (RFC 4226, section 4, R6)."""
    return pyotp.random_base32(32)


def app_address(secret: str, login: str, site: str) -> str:
    """The `otpauth` address that an app reads from a QR code; `site` is what it calls the site."""
    return pyotp.TOTP(secret).provisioning_uri(name=login, issuer_name=site)


def code_at(secret: str, step: int) -> str:
    """The code of one period, counted from 1970."""
    return pyotp.TOTP(secret, digits=DIGITS, interval=PERIOD_SECONDS).generate_otp(step)


def step_at(now: datetime) -> int:
    """The number of the period of 30 seconds in which a moment is."""
    return int(now.timestamp()) // PERIOD_SECONDS


def matching_step(secret: str, typed: str, now: datetime, *, after: int = 0) -> int | None:
    """The period whose code was typed, None if it is not valid now; those up to `after` were used before."""
    code = plain_code(typed).encode("utf-8", "replace")
    current = step_at(now)
    for step in range(current - DRIFT, current + DRIFT + 1):
        if step > after and compare_digest(code_at(secret, step).encode(), code):
            return step
    return None


def new_recovery_codes() -> tuple[str, ...]:
    """Ten codes of 80 random bits each, in groups of four characters."""
    groups = range(_RECOVERY_LENGTH // _GROUP)
    return tuple(
        "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in groups)
        for _ in range(RECOVERY_CODES)
    )


def recovery_hash(typed: str) -> str:
    """The SHA-256 under which a recovery code is stored; unsalted, since 80 random bits cannot be guessed."""
    return hashlib.sha256(plain_code(typed).encode("utf-8", "replace")).hexdigest()


def plain_code(typed: str) -> str:
    """A code without the spaces and hyphens by which people group it, in lower case."""
    return "".join(typed.split()).replace("-", "").casefold()
