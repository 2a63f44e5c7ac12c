"""Codes of an authenticator app against the vectors of RFC 6238, and recovery codes."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from workbench.workflow.people.two_factor import (
    RECOVERY_CODES,
    app_address,
    code_at,
    matching_step,
    new_app_secret,
    new_recovery_codes,
    recovery_hash,
)

# RFC 6238, Appendix B: the seed of the SHA-1 rows, in the Base32 that apps take.
SEED = base64.b32encode(b"12345678901234567890").decode()


# RFC 6238, Appendix B, SHA-1. Of its eight digits ours are the last six (RFC 4226, section 5.3).
@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_the_vectors_of_the_rfc(seconds: int, code: str) -> None:
    now = datetime.fromtimestamp(seconds, UTC)
    assert matching_step(SEED, code[-6:], now) == seconds // 30
    assert matching_step(SEED, f" {code[-6:-3]} {code[-3:]}", now) == seconds // 30
    assert matching_step(SEED, code, now) is None


@pytest.mark.parametrize(("late", "taken"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_clock_may_be_one_period_wrong(late: int, taken: bool) -> None:
    # RFC 6238, section 5.2. Period 41152263 begins at second 1234567890.
    now = datetime.fromtimestamp(1234567890, UTC)
    assert (matching_step(SEED, code_at(SEED, 41152263 + late), now) == 41152263 + late) is taken


def test_a_period_that_was_used_and_those_before_it_are_over() -> None:
    now = datetime.fromtimestamp(1234567890, UTC)
    found = [
        matching_step(SEED, code_at(SEED, 41152263 + late), now, after=41152263) is not None
        for late in (-1, 0, 1)
    ]
    assert found == [False, False, True]


@pytest.mark.parametrize("typed", ["", "000000", "８９００５９", "\ud800", "0" * 10_000])
def test_what_is_no_code_matches_none(typed: str) -> None:
    assert matching_step(SEED, typed, datetime.fromtimestamp(1234567890, UTC)) is None


def test_an_app_is_told_whose_account_on_which_site() -> None:
    address = urlsplit(app_address(SEED, "ada@x.org", "Workbench at judge.example.org"))
    assert (address.scheme, address.netloc) == ("otpauth", "totp")
    assert address.path == "/Workbench%20at%20judge.example.org:ada%40x.org"
    # What is not said has the defaults of the RFC: SHA-1, six digits, 30 seconds.
    assert parse_qs(address.query) == {"secret": [SEED], "issuer": ["Workbench at judge.example.org"]}


def test_secrets_have_160_random_bits_and_recovery_codes_80() -> None:
    assert len(base64.b32decode(new_app_secret())) == 20
    codes = new_recovery_codes()
    assert len(set(codes)) == RECOVERY_CODES == 10
    assert {len(base64.b32decode(code.replace("-", "").upper())) for code in codes} == {10}


def test_a_recovery_code_is_typed_as_people_type() -> None:
    # Case, hyphens and spaces do not matter.
    expected = hashlib.sha256(b"abcdefghijkl2345").hexdigest()
    typed = ("abcd-efgh-ijkl-2345", " ABCD EFGH IJKL 2345 ", "abcdefghijkl2345")
    assert {recovery_hash(one) for one in typed} == {expected}
