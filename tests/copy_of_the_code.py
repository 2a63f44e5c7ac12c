"""A copy of the code with something added to it, as a developer would add it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support import ROOT


def copy_of_the_code(folder: Path) -> Path:
    """The code and its tests in a folder of their own."""
    for name in ("workbench", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("templates", "static", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def change(path: Path, before: str, after: str) -> None:
    """Replace the one place of a file that reads so."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, before
    path.write_text(text.replace(before, after), encoding="utf-8")


def run(tree: Path, *arguments: str) -> str:
    """What Python prints, run in the copy."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_tests(tree: Path, *arguments: str) -> str:
    """What pytest prints of the named tests of the copy, each with its outcome."""
    options = ("-q", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA")
    return run(tree, "-m", "pytest", *options, *arguments)
