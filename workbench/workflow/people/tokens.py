"""Tokens: random secrets in cookies and links, of which only a hash is stored."""

from __future__ import annotations

import hashlib
import secrets


def new_token() -> str:
    """256 random bits for a cookie or a URL."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """The SHA-256 under which a token is stored; unsalted, since a token cannot be guessed."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
