"""Trips: what comes back fits the browser, the trip and its purpose, or is not taken."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.moments import at
from workbench.workflow.openid.browser_trips import LONGEST_TARGET, TripPurpose, new_trip, returned_trip

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
with at(NOON):
    TRIP, OTHER = new_trip(TripPurpose.JOIN, "an invitation"), new_trip(TripPurpose.JOIN)


def test_a_trip_comes_back_with_its_purpose_and_secrets() -> None:
    with at(NOON + timedelta(minutes=10)):
        back = returned_trip(TRIP.kept, TRIP.state)
    assert back == TRIP
    assert back is not None
    assert (back.nonce, back.verifier, back.purpose, back.target) == (
        TRIP.nonce,
        TRIP.verifier,
        TripPurpose.JOIN,
        "an invitation",
    )


def test_no_two_trips_share_a_secret_and_the_verifier_is_one_of_rfc_7636() -> None:
    with at(NOON):
        other = new_trip(TripPurpose.JOIN, "an invitation")
    secrets = [TRIP.state, TRIP.nonce, TRIP.verifier, other.state, other.nonce, other.verifier]
    assert len(set(secrets)) == 6
    # 43 characters of base64url are 256 bits; 43 is the fewest that section 4.1 allows.
    assert {len(one) for one in secrets} == {43}


def changed() -> str:
    content = json.loads(base64.urlsafe_b64decode(TRIP.kept + "=="))
    content[1] = "another invitation"
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


ELSEWHERE = {
    "no state": (TRIP.kept, ""),
    "the state of another browser": (TRIP.kept, OTHER.state),
    "no cookie": ("", TRIP.state),
    "another target than it began with": (changed(), TRIP.state),
    "no cookie of ours": ("no cookie of ours", TRIP.state),
    "an empty list": ("W10", TRIP.state),
    "not ASCII": ("é", "é"),
}


# Secrets differ in each process, so they are no names of tests.
@pytest.mark.parametrize("name", ELSEWHERE)
def test_an_answer_to_anything_else_is_not_taken(name: str) -> None:
    kept, state = ELSEWHERE[name]
    with at(NOON):
        assert returned_trip(kept, state) is None


@pytest.mark.parametrize("late", [timedelta(minutes=10, seconds=1), timedelta(seconds=-1)])
def test_a_trip_ends_after_ten_minutes(late: timedelta) -> None:
    with at(NOON + late):
        assert returned_trip(TRIP.kept, TRIP.state) is None


def test_a_cookie_holds_every_trip() -> None:
    trip = new_trip(TripPurpose.SIGN_IN, "/" + "n" * (LONGEST_TARGET - 1))
    assert len(trip.kept) < 3000  # of the 4,096 bytes of RFC 6265, 6.1
    assert new_trip(TripPurpose.SIGN_IN, "/" + "n" * LONGEST_TARGET).target == ""
