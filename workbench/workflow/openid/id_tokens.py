"""ID tokens: what the provider says of a person, signed, and checked as OpenID Connect Core 3.1.3.7 asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from authlib.oidc.core.claims import CodeIDToken
from joserfc import jwt
from joserfc.errors import (
    BadSignatureError,
    ClaimError,
    InvalidKeyIdError,
    JoseError,
    KeyParameterError,
    MissingClaimError,
)
from joserfc.jwk import JWKRegistry, KeySet

from workbench.frozen import frozen_dataclass
from workbench.workflow.openid.refusals import LEEWAY_SECONDS, SignInObstacle

# Signatures that only the provider can make: with a shared secret, or none, others could.
ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "Ed25519",
    "EdDSA",
)
KEY_TYPES = frozenset({"RSA", "EC", "OKP"})
LONGEST_SUBJECT = 255
"""By OpenID Connect Core 2, of ASCII characters."""
_TIMES = frozenset({"exp", "iat", "nbf"})


class InvalidIdToken(Exception):
    """An ID token that is not accepted; the text says why, for the log."""

    def __init__(self, obstacle: SignInObstacle, why: str) -> None:
        super().__init__(why)
        self.obstacle = obstacle


@frozen_dataclass
class TokenExpectation:
    """What an ID token has to say: its issuer, for which client it is, and the nonce of the trip."""

    issuer: str
    client_id: str
    nonce: str
    access_token: str = field(default="", repr=False)


def verified_claims(
    token: str,
    keys: Mapping[str, Any],
    expected: TokenExpectation,
    *,
    algorithms: tuple[str, ...] = ALGORITHMS,
    now: int,
) -> Mapping[str, Any]:
    """The claims of an ID token, signed with one of `keys`, a JWK set, at a time in seconds since 1970.

    Raises InvalidIdToken: its obstacle is KEY where the provider may have changed its keys since.
    """
    allowed = [one for one in ALGORITHMS if one in algorithms]
    try:
        decoded = jwt.decode(token, _key_set(keys), algorithms=allowed)
    except (InvalidKeyIdError, KeyParameterError, BadSignatureError) as error:
        # A token need not name its key, and a new key may have the name of the one before.
        raise InvalidIdToken(SignInObstacle.KEY, str(error)) from None
    except (JoseError, ValueError, TypeError) as error:
        raise InvalidIdToken(SignInObstacle.TOKEN, f"signature: {error}") from None
    options = {
        "iss": {"essential": True, "value": expected.issuer},
        "aud": {"essential": True, "value": expected.client_id},
    }
    claims = CodeIDToken(
        decoded.claims,
        decoded.header,
        options,
        {
            "nonce": expected.nonce,
            "client_id": expected.client_id,
            "access_token": expected.access_token,
        },
    )
    try:
        claims.validate(now, LEEWAY_SECONDS)
    except ClaimError as error:
        wrong_time = error.claim in _TIMES and not isinstance(error, MissingClaimError)
        obstacle = SignInObstacle.CLOCK if wrong_time else SignInObstacle.TOKEN
        raise InvalidIdToken(obstacle, f"claim {error.claim}: {error.error}") from None
    except (JoseError, ValueError, TypeError) as error:
        raise InvalidIdToken(SignInObstacle.TOKEN, str(error)) from None
    subject = claims["sub"]
    if not (0 < len(subject) <= LONGEST_SUBJECT and subject.isascii() and subject.isprintable()):
        raise InvalidIdToken(SignInObstacle.TOKEN, "claim sub: not 1 to 255 ASCII characters")
    return dict(claims)


def _key_set(keys: Mapping[str, Any]) -> KeySet:
    """The public keys for signatures; what else is published, or cannot be read, is passed over."""
    published = keys.get("keys")
    found = []
    for one in published if isinstance(published, list) else []:
        if not isinstance(one, dict) or one.get("kty") not in KEY_TYPES or one.get("use", "sig") != "sig":
            continue
        try:
            found.append(JWKRegistry.import_key(one))
        except (JoseError, ValueError, TypeError, KeyError):
            continue
    if not found:
        raise InvalidIdToken(SignInObstacle.KEY, "the provider publishes no key for signatures")
    return KeySet(found)
