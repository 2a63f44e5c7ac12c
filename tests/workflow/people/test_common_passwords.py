"""Which passwords are refused because they are guessed first."""

from __future__ import annotations

import random
import string

import pytest

from workbench.workflow.people.common_passwords import is_guessable

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
    "letmein letmein",
    "workbench2026",
)


@pytest.mark.parametrize("password", GUESSED)
def test_what_is_made_of_few_common_pieces_is_refused(password: str) -> None:
    assert is_guessable(password)


@pytest.mark.parametrize(
    "password",
    [
        "demo-password-1",
        "harbour-demo",
        "a long enough secret",
        "correct horse battery",
        "mauve kelps!",
        "李雷在海边读一本很厚的书",
    ],
)
def test_a_phrase_is_taken(password: str) -> None:
    assert not is_guessable(password)


def test_names_of_the_owner_are_common_pieces() -> None:
    # quist, full stop, marlow: three pieces.
    assert is_guessable("quist.marlow", names=("marlow@example.org", "Ada Quist"))
    assert not is_guessable("quist.marlow")


def test_random_passwords_are_taken() -> None:
    # Twelve characters fall into three pieces only where nearly every one is beside the next on the keyboard.
    chance = random.Random(7)
    drawn = ["".join(chance.choices(string.ascii_letters + string.digits, k=12)) for _ in range(1000)]
    assert sum(map(is_guessable, drawn)) <= 1
