"""The pages on OWASP's ASVS: every requirement of levels 1 and 2 has one row, and what is held has a test."""

from __future__ import annotations

import re

from tests.tree import project_files
from workbench.help.manual import page_named
from workbench.variables import VARIABLES

PAGES = ("security-web", "security-accounts", "security-operation", "security-architecture")
# ASVS 5.0.0: how many requirements of levels 1 and 2 each section has; they are its first ones.
SECTIONS = {
    "1.1": 2, "1.2": 9, "1.3": 11, "1.4": 3, "1.5": 2, "2.1": 3, "2.2": 3, "2.3": 4, "2.4": 1, "3.2": 2,
    "3.3": 4, "3.4": 6, "3.5": 5, "3.7": 2, "4.1": 3, "4.2": 1, "4.3": 2, "4.4": 4, "5.1": 1, "5.2": 3,
    "5.3": 2, "5.4": 3, "6.1": 3, "6.2": 12, "6.3": 4, "6.4": 4, "6.5": 5, "6.6": 3, "6.8": 4, "7.1": 3,
    "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 2, "7.6": 2, "8.1": 2, "8.2": 3, "8.3": 1, "8.4": 1, "9.1": 3,
    "9.2": 4, "10.1": 2, "10.2": 2, "10.3": 4, "10.4": 11, "10.5": 5, "10.6": 2, "10.7": 3, "11.1": 2,
    "11.2": 3, "11.3": 3, "11.4": 4, "11.5": 1, "11.6": 1, "12.1": 3, "12.2": 2, "12.3": 4, "13.1": 1,
    "13.2": 5, "13.3": 2, "13.4": 5, "14.1": 2, "14.2": 4, "14.3": 3, "15.1": 3, "15.2": 3, "15.3": 7,
    "16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 3, "17.1": 1, "17.2": 4, "17.3": 2,
}  # fmt: skip
ROW = re.compile(r"^\| ([\d., ]+) \| (Held|Held where set|Not applicable|Not held) \| (.+) \|$", re.MULTILINE)


def rows() -> list[tuple[list[str], str, str]]:
    """The numbers, the state and the reason of every row."""
    found = [match.groups() for name in PAGES for match in ROW.finditer(page_named(name).text)]
    return [(numbers.split(", "), state, why) for numbers, state, why in found]


def test_every_requirement_of_levels_one_and_two_has_one_row() -> None:
    expected = [f"{section}.{n}" for section, count in SECTIONS.items() for n in range(1, count + 1)]
    assert len(expected) == 253
    assert sorted(number for numbers, _, _ in rows() for number in numbers) == sorted(expected)


def test_what_is_held_names_a_test_or_the_page_that_documents_it() -> None:
    modules = {path.stem for path in project_files() if path.name.startswith("test_")}
    for numbers, state, why in rows():
        named = re.findall(r"`(test_\w+)`", why)
        assert set(named) <= modules, numbers
        if state == "Held":
            assert named or re.search(r"\]\([a-z-]+\.md", why), numbers
        if state == "Held where set":
            settings = set(re.findall(r"WORKBENCH_\w+", why))
            assert settings, numbers
            assert settings <= {one.name for one in VARIABLES}, numbers
            assert named, numbers
