"""The code as its checkers see it: style, form, types, walls between the rooms."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("command", ["mypy", "ruff check", "ruff format --check", "lint-imports --no-logo"])
def test_a_checker_finds_nothing(command: str) -> None:
    program, *options = command.split()
    words = [str(Path(sys.executable).with_name(program)), *options]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
