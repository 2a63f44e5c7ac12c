"""Builds the project once, and installs what was built where no checkout can help it."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import running_server
from tests.tree import copy_project

# Left in the copy before it is built, in every folder that is shipped; none may come out again.
SCRATCH = ("workbench/notes.scratch", "templates/notes.scratch", "static/notes.scratch")
CACHED = ("workbench/__pycache__/scratch.pyc", "templates/__pycache__/scratch.html")


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command to its end; raises with everything it said where it fails."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with scratch files lying about that version control ignores."""
    folder = copy_project(tmp_path_factory.mktemp("checkout"))
    with (folder / ".gitignore").open("a") as ignored:
        ignored.write("*.scratch\n")
    for name in (*SCRATCH, *CACHED):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("not to be shipped")
    return folder


@pytest.fixture(scope="session")
def built(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sdist, and of the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, checkout, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def built_from_checkout(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that was built without the sdist."""
    folder = tmp_path_factory.mktemp("built-directly")
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel"]
    run(*build, "--outdir", folder, checkout, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment in which the wheel is installed, far from any checkout.

    What the wheel depends on is borrowed from the environment of the tests, by a path file; the editable
    installation there is reached by a path file of its own, which is not followed.
    """
    home = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", home, cwd=home)
    (wheel,) = built.glob("*.whl")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python"]
    pip += [home / "bin" / "python"]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=home)
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin"


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the installed copy keeps its data."""
    return tmp_path_factory.mktemp("data") / "instance"


@pytest.fixture(scope="session")
def address(installed: Path, instance: Path) -> Iterator[str]:
    """The address at which the installed copy serves."""
    instance.parent.mkdir(exist_ok=True)
    command = [str(installed / "workbench"), "serve", "--port", "0", "--instance", str(instance)]
    log = instance.parent / "server.log"
    with running_server(command, log=log, folder=instance.parent) as found:
        yield found
