"""Tokens of sessions and invitations: the bearer keeps the token, the database only its hash."""

from __future__ import annotations

import hashlib
import secrets


def new_token() -> str:
    """256 random bits that stand in a cookie or an address."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """The SHA-256 under which a token is kept; no salt, since a token cannot be guessed."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
