"""A machine holds the walls between the rooms: the contracts in pyproject.toml hold, and would break."""

from __future__ import annotations

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


def test_a_room_that_is_in_no_layer_is_noticed(copy: Path) -> None:
    (copy / "workbench" / "attic.py").write_text('"""A room that nobody has placed."""\n')
    done = lint_imports(copy)
    assert done.returncode != 0
    assert "workbench.attic" in done.stdout


@pytest.mark.parametrize(
    ("room", "line", "contract"),
    [
        ("pooling", "import workbench.scoring", "Imports point inwards"),
        ("records", "import workbench.storage", "Imports point inwards"),
        ("workflow", "import workbench.web", "Imports point inwards"),
        ("agreement", "import sqlalchemy", "The science knows nothing"),
        ("scoring", "import workbench.settings", "The science knows nothing"),
        ("web", "import sqlalchemy", "The doors never speak SQL"),
        ("workflow", "import flask", "Only web speaks Flask"),
    ],
)
def test_an_import_through_a_wall_is_noticed(copy: Path, room: str, line: str, contract: str) -> None:
    module = copy / "workbench" / room
    module = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    module.write_text(f"{module.read_text()}\n{line}\n")
    done = lint_imports(copy)
    assert done.returncode != 0
    broken = [said for said in done.stdout.splitlines() if said.endswith("BROKEN")]
    assert any(contract in said for said in broken), done.stdout
