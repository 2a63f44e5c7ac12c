"""What is built holds the whole program and nothing else."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.tree import project_files
from workbench import __version__

SHIPPED = {"workbench": "workbench", "templates": "workbench/templates", "static": "workbench/static"}


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def in_wheel(built: Path) -> set[str]:
    """The names of the files in the wheel, without its own records."""
    (wheel,) = built.glob("*.whl")
    return {name for name in contents(wheel) if ".dist-info/" not in name}


def test_the_wheel_holds_every_file_of_the_program_and_no_other(in_wheel: set[str]) -> None:
    ours = [path for path in project_files() if path.parts[0] in SHIPPED]
    assert in_wheel == {"/".join((SHIPPED[path.parts[0]], *path.parts[1:])) for path in ours}


def test_no_scratch_file_that_version_control_ignores_is_shipped(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [*archive.getnames(), *contents(wheel)]
    assert [name for name in names if "scratch" in name or "__pycache__" in name] == []


def test_the_wheel_names_its_licence_and_those_of_what_it_carries(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    licences = {name for name in contents(wheel) if ".dist-info/licenses/" in name}
    vendored = [path for path in project_files() if path.match("static/vendor/*LICENSE*")]
    folder = f"ir_workbench-{__version__}.dist-info/licenses"
    assert licences == {f"{folder}/{path}" for path in [Path("LICENSE"), *vendored]}


def test_the_sdist_holds_what_is_needed_to_test_it(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    needed = [path for path in project_files() if path.parts[0] in {*SHIPPED, "tests", ".ci", "instance"}]
    assert {str(path) for path in needed} | {"pyproject.toml", "README.md", "CHANGELOG.md"} <= names


def test_the_sdist_builds_the_same_wheel_as_the_checkout(built: Path, built_from_checkout: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert contents(wheel) == contents(built_from_checkout)
