"""A machine holds the walls between the rooms: the contracts in pyproject.toml hold, and would break."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tree import ROOT, copy_project


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of the package in this folder, which stands before any installed copy."""
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache", "--no-logo"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the project that a test may spoil."""
    return copy_project(tmp_path)


def test_the_contracts_hold() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


# Each is written at the end of a room's first module.
THROUGH_WALLS = (
    ("pooling", "workbench.scoring", "Imports point inwards"),
    ("records", "workbench.storage", "Imports point inwards"),
    ("workflow", "workbench.web", "Imports point inwards"),
    ("agreement", "sqlalchemy", "The science knows nothing"),
    ("scoring", "workbench.settings", "The science knows nothing"),
    ("web", "sqlalchemy", "The doors never speak SQL"),
    ("workflow", "flask", "Only web speaks Flask"),
)


def test_imports_through_walls_and_a_room_in_no_layer_are_noticed(copy: Path) -> None:
    (copy / "workbench" / "attic.py").write_text('"""A room that nobody has placed."""\n')
    for room, imported, _ in THROUGH_WALLS:
        module = copy / "workbench" / room
        module = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
        module.write_text(f"{module.read_text()}\nimport {imported}\n")
    done = lint_imports(copy)
    assert done.returncode != 0
    assert "workbench.attic" in done.stdout
    _, _, told = done.stdout.partition("Broken contracts")
    parts = re.split(r"^(.+)\n-+$", told, flags=re.MULTILINE)
    broken = dict(zip(parts[1::2], parts[2::2], strict=True))
    for room, imported, contract in THROUGH_WALLS:
        (said,) = (text for title, text in broken.items() if title.startswith(contract))
        assert f"workbench.{room} -> {imported} " in said, done.stdout
