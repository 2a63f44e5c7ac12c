"""Requests under an idempotency key: of two processes that get the same one, one does it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.builders import account
from workbench.errors import Conflict, InvalidInput
from workbench.storage.engine import Database
from workbench.workflow.people.repeatable_requests import (
    GivenResponse,
    begin_request,
    checked_key,
    complete_request,
    give_up_request,
)

pytestmark = pytest.mark.engines
KEY, ASKED = "a-key", "a" * 64


@pytest.fixture
def owner(database: Database) -> int:
    with database.writing() as db:
        return account(db, "Olga")


def test_of_many_at_once_one_claims_the_key_and_the_others_wait_for_nothing(
    database: Database, owner: int
) -> None:
    at_once = threading.Barrier(4)

    def claim(_: int) -> str:
        at_once.wait()
        try:
            with database.writing() as db:
                assert begin_request(db, owner, KEY, ASKED) is None
        except Conflict:
            return "refused"
        return "claimed"

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(claim, range(4))) == ["claimed", "refused", "refused", "refused"]


def test_the_response_is_kept_for_the_same_request_only(database: Database, owner: int) -> None:
    given = GivenResponse(201, '{"slug": "harbour"}')
    with database.writing() as db:
        assert begin_request(db, owner, KEY, ASKED) is None
        complete_request(db, owner, KEY, given)
    with database.writing() as db:
        assert begin_request(db, owner, KEY, ASKED) == given
        # One that was answered is not given back.
        give_up_request(db, owner, KEY)
    with database.writing() as db, pytest.raises(InvalidInput):
        begin_request(db, owner, KEY, "b" * 64)


@pytest.mark.parametrize("key", ["", "a b", "ä", "x" * 101])
def test_a_key_is_visible_ascii(key: str) -> None:
    with pytest.raises(InvalidInput):
        checked_key(key)
