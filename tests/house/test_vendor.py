"""What others wrote and we carry: named by its version, with its licence beside it."""

from __future__ import annotations

import re

import pytest

from tests.tree import ROOT, project_files

CARRIED = [path for path in project_files() if path.match("static/vendor/*.js")]


def test_the_carried_files_are_found() -> None:
    assert len(CARRIED) >= 3


@pytest.mark.parametrize("path", CARRIED, ids=lambda path: path.name)
def test_a_carried_file_has_its_version_in_its_name_and_its_licence_beside_it(path: object) -> None:
    found = re.fullmatch(r"(static/vendor/[a-z0-9]+-\d+\.\d+\.\d+)\.min\.js", str(path))
    assert found
    assert "permission" in (ROOT / f"{found[1]}.LICENSE").read_text(encoding="utf-8").casefold()
