"""Which passwords are refused because they are guessed first."""

from __future__ import annotations

import pytest

from workbench.workflow.people.accounts import LONGEST, password_findings

TOO_EASY = "the password is easy to guess"

# Kinds of the commonest leaked passwords of at least twelve characters.
GUESSED = (
    "1234567890ab",
    "            ",
    "aaaaaaaaaaaa",
    "abcabcabcabc",
    "112233445566",
    "12345678987654321",
    "password1234",
    "passwordpassword",
    "Password123!",
    "P@ssw0rd1234",
    "iloveyou2012",
    "qwertyuiop[]",
    "123qweasdzxc",
    "1qaz2wsx3edc",
    "qazwsxedcrfv",
    "q1w2e3r4t5y6",
    "a1s2d3f4g5h6",
    "administrator1",
    "workbench2026",
)


@pytest.mark.parametrize("password", GUESSED)
def test_what_is_guessed_first_is_refused(password: str) -> None:
    assert [finding.message for finding in password_findings(password)] == [TOO_EASY]


@pytest.mark.parametrize(
    "password",
    [
        "demo-password-1",
        "harbour-demo",
        "a long enough secret",
        "correct horse battery",
        "mauve kelps!",
        "李雷在海边读一本很厚的书",
        "mauve kelps! " * (LONGEST // 13),
    ],
)
def test_a_phrase_is_taken(password: str) -> None:
    assert password_findings(password, login="marlow@example.org", name="Ada Quist") == []


def test_the_names_of_the_owner_are_guessed_first() -> None:
    for own in ("Marlow@Example.org", "quistquist2026"):
        said = password_findings(own, login="marlow@example.org", name="Ada Quist")
        assert [finding.message for finding in said] == [TOO_EASY]
    assert password_findings("marlow@example.org", login="ben", name="Ben") == []
