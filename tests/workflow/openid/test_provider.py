"""A real provider: its metadata, its keys, codes exchanged by PKCE, and everything that it may do wrong."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from joserfc.jwk import ECKey

from tests.moments import at
from tests.openid import CLIENT, SECRET, SITE, RunningProvider
from workbench.workflow.openid import provider as provider_module
from workbench.workflow.openid.browser_trips import TripPurpose, new_trip
from workbench.workflow.openid.provider import SILENT_SECONDS, NoAnswer, OpenIdProvider, ask_json
from workbench.workflow.openid.refusals import NotSignedIn, SignInObstacle

DISCOVERY, TOKENS, KEYS = "/.well-known/openid-configuration", "/oauth2/token", "/jwks"
USER_INFO = "/userinfo"


class Clock:
    """Seconds that a test lets pass."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def went_and_came_back(running: RunningProvider, provider: OpenIdProvider, subject: str = "ada") -> None:
    trip = new_trip(TripPurpose.SIGN_IN)
    returned = running.signs_in(provider.departure(trip), subject)
    assert returned["state"] == trip.state
    assert provider.identity(returned, trip).subject == subject


def failure(running: RunningProvider, provider: OpenIdProvider, **returned: str) -> SignInObstacle:
    trip = new_trip(TripPurpose.SIGN_IN)
    with pytest.raises(NotSignedIn) as failed:
        provider.identity(returned or running.signs_in(provider.departure(trip), "ada"), trip)
    assert SECRET not in str(failed.value) + failed.value.cause
    return failed.value.obstacle


def test_who_agrees_at_the_provider_is_known_here(running: RunningProvider) -> None:
    running.add_person(
        "248289", name="Ada Lovelace", preferred_username="ada", email="ada@example.org", email_verified=True
    )
    provider, trip = OpenIdProvider(running.settings()), new_trip(TripPurpose.SIGN_IN)
    found = provider.identity(running.signs_in(provider.departure(trip), "248289"), trip)
    assert (found.issuer, found.subject, found.name) == (running.issuer, "248289", "Ada Lovelace")
    assert (found.login, found.address, found.verified) == ("ada", "ada@example.org", True)
    # The provider of the tests takes a code only with the verifier of its challenge.
    assert running.exchanges[-1]["code_verifier"] == trip.verifier
    assert running.exchanges[-1]["redirect_uri"] == f"{SITE}/openid/callback"


def test_a_code_is_of_use_to_the_trip_that_asked_for_it_only(running: RunningProvider) -> None:
    provider = OpenIdProvider(running.settings())
    returned = running.signs_in(provider.departure(new_trip(TripPurpose.SIGN_IN)), "ada")
    assert failure(running, provider, **returned) is SignInObstacle.REJECTED


def test_a_key_that_the_provider_has_changed_is_asked_for(running: RunningProvider) -> None:
    provider = OpenIdProvider(running.settings())
    before = ECKey.generate_key("P-256", {"kid": "of yesterday"})
    running.instead[KEYS] = 200, json.dumps({"keys": [before.as_dict(private=False)]}).encode()
    assert failure(running, provider) is SignInObstacle.KEY
    del running.instead[KEYS]
    went_and_came_back(running, provider)


def test_claims_that_a_short_token_lacks_are_asked_for(running: RunningProvider) -> None:
    running.add_person("bare")
    provider, trip = OpenIdProvider(running.settings()), new_trip(TripPurpose.SIGN_IN)
    further = {"email": "b@example.org", "email_verified": True}
    running.instead[USER_INFO] = 200, json.dumps({"sub": "bare", **further}).encode()
    found = provider.identity(running.signs_in(provider.departure(trip), "bare"), trip)
    assert (found.address, found.verified) == ("b@example.org", True)
    # Of somebody else, and of a page that fails, nothing is taken; and "true" is not true.
    for status, claims, address in (
        (200, {"sub": "another", **further}, ""),
        (502, {}, ""),
        (200, {"sub": "bare", **further, "email_verified": "true"}, "b@example.org"),
    ):
        running.instead[USER_INFO] = status, json.dumps(claims).encode()
        found = provider.identity(running.signs_in(provider.departure(trip), "bare"), trip)
        assert (found.subject, found.address, found.verified) == ("bare", address, False)


def test_who_does_not_agree_is_not_signed_in(running: RunningProvider) -> None:
    provider, trip = OpenIdProvider(running.settings()), new_trip(TripPurpose.SIGN_IN)
    returned = running.signs_in(provider.departure(trip), "ada", denies=True)
    assert failure(running, provider, **returned) is SignInObstacle.DENIED
    assert TOKENS not in running.asked


def test_the_answer_of_another_issuer_is_not_taken(running: RunningProvider) -> None:
    provider = OpenIdProvider(running.settings())
    assert failure(running, provider, code="c", iss="https://evil.example.org") is SignInObstacle.TOKEN
    assert TOKENS not in running.asked


def test_a_clock_that_differs_is_named(running: RunningProvider) -> None:
    provider, trip = OpenIdProvider(running.settings()), new_trip(TripPurpose.SIGN_IN)
    returned = running.signs_in(provider.departure(trip), "ada")
    with pytest.raises(NotSignedIn) as failed, at(datetime.now(UTC) - timedelta(minutes=5)):
        provider.identity(returned, trip)
    assert failed.value.obstacle is SignInObstacle.CLOCK


@pytest.mark.parametrize(
    ("path", "answer", "obstacle"),
    [
        (TOKENS, (400, b'{"error": "invalid_grant"}'), SignInObstacle.REJECTED),
        (TOKENS, (401, b'{"error": "invalid_client"}'), SignInObstacle.SET_UP),
        (TOKENS, (200, b'{"access_token": "no id token"}'), SignInObstacle.REJECTED),
        (TOKENS, (200, b"<html>"), SignInObstacle.SET_UP),
        (TOKENS, (200, b"[" * 100_000), SignInObstacle.SET_UP),
        (TOKENS, (200, b" " * (provider_module.MOST_BYTES + 1)), SignInObstacle.SET_UP),
        (TOKENS, (302, b"{}"), SignInObstacle.SET_UP),
        (TOKENS, (503, b"{}"), SignInObstacle.AWAY),
        (KEYS, (404, b"{}"), SignInObstacle.SET_UP),
        (DISCOVERY, (404, b"{}"), SignInObstacle.SET_UP),
        (DISCOVERY, (200, b'{"issuer": "https://other.example.org"}'), SignInObstacle.SET_UP),
    ],
)
def test_what_the_provider_does_wrong_has_a_name(
    running: RunningProvider, path: str, answer: tuple[int, bytes], obstacle: SignInObstacle
) -> None:
    provider = OpenIdProvider(running.settings())
    running.instead[path] = answer
    returned = {} if path == KEYS else {"code": "of nobody"}
    assert failure(running, provider, **returned) is obstacle
    # Nobody else has to wait for it.
    del running.instead[path]
    assert provider.departure(new_trip(TripPurpose.SIGN_IN))


@pytest.mark.parametrize(
    "changes",
    [
        {"token_endpoint": "http://login.example.org/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": None},
        {"end_session_endpoint": "http://login.example.org/out"},
        {"token_endpoint_auth_methods_supported": ["private_key_jwt"]},
        {"code_challenge_methods_supported": ["plain"]},
    ],
)
def test_metadata_that_would_not_be_safe_is_refused(
    running: RunningProvider, changes: dict[str, object]
) -> None:
    metadata = dict(ask_json(running.issuer + DISCOVERY).data) | changes
    running.instead[DISCOVERY] = 200, json.dumps(metadata).encode()
    with pytest.raises(NotSignedIn) as failed:
        OpenIdProvider(running.settings()).departure(new_trip(TripPurpose.SIGN_IN))
    assert failed.value.obstacle is SignInObstacle.SET_UP


def test_the_secret_is_sent_as_the_provider_takes_it(running: RunningProvider) -> None:
    metadata = dict(ask_json(running.issuer + DISCOVERY).data)
    went_and_came_back(running, OpenIdProvider(running.settings()))
    assert "client_secret" not in running.exchanges[-1]  # but in the header `Authorization`
    metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    running.instead[DISCOVERY] = 200, json.dumps(metadata).encode()
    went_and_came_back(running, OpenIdProvider(running.settings()))
    assert (running.exchanges[-1]["client_id"], running.exchanges[-1]["client_secret"]) == (CLIENT, SECRET)


def test_a_provider_that_is_away_is_not_waited_for_again_at_once(
    running: RunningProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(provider_module, "time", SimpleNamespace(monotonic=clock, time=time.time))
    nobody = replace(running.settings(), issuer="http://localhost:1")
    provider = OpenIdProvider(nobody)
    causes = []
    for later in (0, SILENT_SECONDS - 1, SILENT_SECONDS):
        clock.now = later
        with pytest.raises(NotSignedIn) as failed:
            provider.departure(new_trip(TripPurpose.SIGN_IN))
        assert failed.value.obstacle is SignInObstacle.AWAY
        causes.append(failed.value.cause)
    assert causes[0] == causes[2] != causes[1]


def test_nothing_is_asked_without_encryption() -> None:
    with pytest.raises(NoAnswer):
        ask_json("http://login.example.org/.well-known/openid-configuration")


def test_an_answer_that_comes_drop_by_drop_is_given_up(
    running: RunningProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([0.0, provider_module.SECONDS + 0.1])
    monkeypatch.setattr(provider_module, "time", SimpleNamespace(monotonic=lambda: next(times)))
    with pytest.raises(provider_module.ProviderUnreachable):
        ask_json(running.issuer + DISCOVERY)


def test_signing_out_leads_to_the_page_of_the_provider(running: RunningProvider) -> None:
    metadata = dict(ask_json(running.issuer + DISCOVERY).data)
    address = OpenIdProvider(running.settings()).sign_out_address()
    assert address == f"{running.issuer}/oauth2/end_session?client_id={CLIENT}"
    del metadata["end_session_endpoint"]
    running.instead[DISCOVERY] = 200, json.dumps(metadata).encode()
    with pytest.raises(NotSignedIn) as failed:
        OpenIdProvider(running.settings()).sign_out_address()
    assert failed.value.obstacle is SignInObstacle.NO_SIGN_OUT
