"""A copy of the code with something added to it, as a developer would add it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support import ROOT

# Commands run in one process of the copy: to start one for each would take most of the time.
_RUN_ALL = """
import json, sys
from click.testing import CliRunner
from workbench.cli.main import workbench
runner = CliRunner()
lines = json.load(sys.stdin)
print(json.dumps([runner.invoke(workbench, line, catch_exceptions=False).stdout for line in lines]))
"""


@dataclass(frozen=True, slots=True)
class Addition:
    """One more entry of a registry: how it is added to a copy of the code, and where it must be found.

    `check` gets what each of the `commands` printed, by command; `laws` are the tests that must have run over
    it, in the test `files` of which pytest selects those that `selected` names; `page` is a test of its own.
    """

    add: Callable[[Path], None]
    commands: tuple[tuple[str, ...], ...]
    check: Callable[[Mapping[tuple[str, ...], str]], None]
    selected: str
    files: tuple[str, ...]
    laws: tuple[str, ...]


def copy_of_the_code(folder: Path) -> Path:
    """The code and its tests in a folder of their own, as Python has compiled them already."""
    for name in ("workbench", "tests"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("templates", "static", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def change(path: Path, before: str, after: str) -> None:
    """Replace the one place of a file that reads so."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, before
    path.write_text(text.replace(before, after), encoding="utf-8")


def outputs(tree: Path, commands: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """What `workbench` prints in the copy for each of these command lines."""
    printed = json.loads(_run(tree, "-c", _RUN_ALL, given=json.dumps(commands)))
    return dict(zip(commands, printed, strict=True))


def run_tests(tree: Path, *arguments: str) -> str:
    """What pytest prints of the named tests of the copy, each with its outcome."""
    options = ("-q", "--assert", "plain", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA")
    return _run(tree, "-m", "pytest", *options, *arguments)


def _run(tree: Path, *arguments: str, given: str = "") -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
