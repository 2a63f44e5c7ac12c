"""Signatures of deliveries, by Standard Webhooks 1.0.0 (www.standardwebhooks.com), "Signature scheme"."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from datetime import datetime

PREFIX = "whsec_"
SECRET_BYTES = 32
"""Of the 24 to 64 that the specification asks for."""


def new_secret() -> str:
    """A random secret in the form that the specification gives it: Base64 behind a prefix."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signature_headers(secret: str, event_id: str, body: bytes, sent_at: datetime) -> dict[str, str]:
    """The headers of a delivery: its id, the second of this attempt, the HMAC-SHA256 of both and the body."""
    timestamp = str(int(sent_at.timestamp()))
    key = base64.b64decode(secret.removeprefix(PREFIX))
    digest = hmac.new(key, f"{event_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }
