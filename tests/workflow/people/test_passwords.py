"""Which passwords are refused because they are guessed first."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from workbench.errors import Unavailable, WorkbenchError
from workbench.workflow.people.breached_passwords import BreachedPasswords
from workbench.workflow.people.passwords import LONGEST, password_findings, passwords_of

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


# Breached passwords

FAMOUS = "correct horse battery staple"
HASH = "ABF7AAD6438836DBE526AA231ABDE2D0EEF74D42"
"""Its SHA-1, as sha1sum prints it."""
OTHERS = [hashlib.sha1(f"password {n}".encode()).hexdigest().upper() for n in range(200)]


@pytest.mark.parametrize(
    "line", ["{}:{}\n", "{}:{}\r\n", "{}\n"], ids=["with counts", "with carriage returns", "hashes only"]
)
def test_each_password_of_the_list_is_found_and_no_other(tmp_path: Path, line: str) -> None:
    file = tmp_path / "breached.txt"
    # Every second one; lines of many lengths, as counts have them.
    hashes = sorted(OTHERS[::2])
    file.write_bytes("".join(line.format(one, 7 ** (n % 9)) for n, one in enumerate(hashes)).encode())
    found = BreachedPasswords(file)
    assert [n for n in range(200) if f"password {n}" in found] == list(range(0, 200, 2))
    file.write_bytes(f"{HASH}:216".encode())
    assert FAMOUS in BreachedPasswords(file)


def test_a_breached_password_is_not_accepted(tmp_path: Path) -> None:
    file = tmp_path / "breached.txt"
    file.write_text(f"{HASH}:216\n", encoding="utf-8")
    passwords = passwords_of(file)
    (found,) = passwords.findings(FAMOUS)
    assert (found.code, found.message) == ("password", "this password is known from break-ins at other sites")
    assert passwords.findings("correct horses battery staple") == []
    assert passwords_of(None).findings(FAMOUS) == []
    # Letters that only look wider are the same password (NFKC).
    assert len(passwords.findings("ｃorrect horse battery staple")) == 1
    file.unlink()
    with pytest.raises(Unavailable):
        passwords.findings(FAMOUS)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"password1\n", "not SHA-1 hashes"),
        (b"32ED87BDB5FDC5E9CBA88547376818D4:7\n", "not SHA-1 hashes"),
        (b"", "not SHA-1 hashes"),
        (f"{'F' * 40}:1\n{'0' * 40}:2\n".encode(), "not in the order"),
    ],
    ids=["plain", "NTLM", "empty", "ordered by count"],
)
def test_another_file_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "breached.txt"
    file.write_bytes(content)
    with pytest.raises(WorkbenchError, match=why) as refused:
        passwords_of(file)
    assert "WORKBENCH_BREACHED_PASSWORDS" in refused.value.message
    with pytest.raises(WorkbenchError, match="No such file"):
        passwords_of(tmp_path / "none")
