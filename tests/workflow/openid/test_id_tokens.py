"""ID tokens: each claim that OpenID Connect Core 3.1.3.7 names is demanded, with the issuer's signature."""

from __future__ import annotations

import base64
import hmac
import json
from typing import Any

import pytest
from joserfc.jwk import ECKey

from tests.openid import CLIENT, ISSUER, NOW, SECRET, id_token
from workbench.workflow.openid.id_tokens import InvalidIdToken, TokenExpectation, verified_claims
from workbench.workflow.openid.refusals import SignInObstacle

KEY = ECKey.generate_key("P-256", {"kid": "one", "use": "sig"})
OTHER = ECKey.generate_key("P-256", {"kid": "one"})
EXPECTED = TokenExpectation(ISSUER, CLIENT, "the nonce")


def published(*keys: Any) -> dict[str, Any]:
    return {"keys": [key.as_dict(private=False) for key in keys]}


def obstacle(token: str, keys: dict[str, Any] | None = None) -> SignInObstacle:
    with pytest.raises(InvalidIdToken) as refused:
        verified_claims(token, keys or published(KEY), EXPECTED, now=NOW)
    return refused.value.obstacle


def test_a_token_for_this_site_is_accepted_with_its_claims() -> None:
    claims = verified_claims(
        id_token(KEY, {"nonce": "the nonce", "name": "Ada"}), published(KEY), EXPECTED, now=NOW
    )
    assert (claims["sub"], claims["name"]) == ("248289", "Ada")


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example.org"},
        {"iss": None},
        {"aud": "another client"},
        {"aud": [CLIENT, "another client"]},  # for several, and not said to be for us
        {"aud": [CLIENT, "another client"], "azp": "another client"},
        {"aud": None},
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"exp": None},
        {"iat": None},
        {"sub": None},
        {"sub": ""},
        {"sub": "s" * 256},
        {"sub": "Ada\0"},
        {"sub": 7},
    ],
)
def test_a_token_that_says_anything_else_is_refused(claims: dict[str, Any]) -> None:
    assert obstacle(id_token(KEY, {"nonce": "the nonce"} | claims)) is SignInObstacle.TOKEN


@pytest.mark.parametrize(
    "claims", [{"exp": NOW - 61}, {"iat": NOW + 62, "exp": NOW + 300}, {"nbf": NOW + 62}, {"exp": 0}]
)
def test_times_that_do_not_fit_name_the_clock(claims: dict[str, Any]) -> None:
    assert obstacle(id_token(KEY, {"nonce": "the nonce"} | claims)) is SignInObstacle.CLOCK


def test_clocks_may_differ_by_a_minute() -> None:
    times = {"nonce": "the nonce", "exp": NOW - 58, "iat": NOW + 58}
    assert verified_claims(id_token(KEY, times), published(KEY), EXPECTED, now=NOW)["sub"]


def test_only_signatures_of_the_providers_key_count() -> None:
    forged = id_token(OTHER, {"nonce": "the nonce"})  # under the same key id
    head, _, signature = id_token(KEY, {"nonce": "the nonce"}).split(".")
    assert obstacle(forged) is SignInObstacle.KEY
    assert obstacle(f"{head}.{id_token(KEY, {'sub': 'eve'}).split('.')[1]}.{signature}") is SignInObstacle.KEY
    assert obstacle("not a token") is SignInObstacle.TOKEN


@pytest.mark.parametrize("secret", [KEY.as_pem(private=False), SECRET.encode(), None])
def test_no_signature_and_one_by_a_shared_secret_are_refused(secret: bytes | None) -> None:
    # The public key as the secret of HS256 is the classic confusion; "none" is a token without a signature.
    head = base64.urlsafe_b64encode(
        json.dumps({"alg": "HS256" if secret else "none", "kid": "one"}).encode()
    ).decode()
    signed = f"{head.rstrip('=')}.{id_token(KEY, {'nonce': 'the nonce'}).split('.')[1]}"
    code = hmac.digest(secret, signed.encode(), "sha256") if secret else b""
    signature = base64.urlsafe_b64encode(code).decode().rstrip("=")
    assert obstacle(f"{signed}.{signature}") is SignInObstacle.TOKEN


def test_a_key_that_is_not_published_is_named_so_that_it_can_be_asked_for() -> None:
    other = ECKey.generate_key("P-256", {"kid": "two"})
    assert obstacle(id_token(other, {"nonce": "the nonce"})) is SignInObstacle.KEY
    assert obstacle(id_token(KEY, {"nonce": "the nonce"}), {"keys": []}) is SignInObstacle.KEY
    assert obstacle(id_token(KEY, {"nonce": "the nonce"}), {"keys": "none"}) is SignInObstacle.KEY


def test_keys_that_cannot_be_read_are_passed_over() -> None:
    keys = published(KEY)
    keys["keys"][:0] = [{"kty": "AKP", "kid": "new"}, {"kty": "RSA"}, "no key", {"kty": "oct"}]
    token = id_token(KEY, {"nonce": "the nonce"})
    assert verified_claims(token, keys, EXPECTED, now=NOW)["sub"] == "248289"
    # A key for encryption signs nothing.
    encrypts = {"keys": [KEY.as_dict(private=False) | {"use": "enc"}]}
    assert obstacle(token, encrypts) is SignInObstacle.KEY
