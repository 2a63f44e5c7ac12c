"""What is installed from the wheel works without the checkout."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.packaging.conftest import run
from workbench import __version__

pytestmark = pytest.mark.slow  # what the wheel holds: tests/packaging/test_archives.py


def get(url: str) -> tuple[str, str]:
    """The kind and the text of what an address answers; fails where that is an error."""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.headers.get_content_type(), answer.read().decode("utf-8")
    except urllib.error.HTTPError as error:
        error.close()
        pytest.fail(f"{url} answers {error.code}")


@pytest.fixture(scope="session")
def front(address: str) -> str:
    """The page that a stranger is led to."""
    kind, page = get(address)
    assert kind == "text/html"
    return page


def test_the_command_says_its_version(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "workbench", "--version", cwd=tmp_path).strip().endswith(__version__)


def test_it_is_the_installed_copy_that_runs(installed: Path, tmp_path: Path) -> None:
    program = (
        "import workbench.settings as s; t = s.read_settings(); print(t.templates, t.static, s.__file__)"
    )
    for path in run(installed / "python", "-c", program, cwd=tmp_path).split():
        assert Path(path).exists()
        assert Path(path).is_relative_to(installed.parent)


def test_its_data_stay_out_of_the_installation(installed: Path, tmp_path: Path) -> None:
    program = "from workbench.settings import read_settings; print(read_settings().instance)"
    assert run(installed / "python", "-c", program, cwd=tmp_path).strip() == str(tmp_path / "instance")


def test_every_module_can_be_imported(installed: Path, tmp_path: Path) -> None:
    program = (
        "import importlib, pkgutil, workbench\n"
        "for module in pkgutil.walk_packages(workbench.__path__, 'workbench.'):\n"
        "    if '__main__' not in module.name and '.migrations' not in module.name:\n"
        "        importlib.import_module(module.name)\n"
    )
    run(installed / "python", "-W", "error", "-c", program, cwd=tmp_path)


def test_it_serves_and_says_that_it_is_well(address: str) -> None:
    get(f"{address}/healthz")


def test_a_stranger_is_led_to_a_whole_page(front: str) -> None:
    assert "<html" in front
    assert "</html>" in front
    assert "<form" in front


def test_everything_that_the_page_needs_is_served(address: str, front: str) -> None:
    needed = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', front))
    assert any(name.split("?")[0].endswith(".css") for name in needed)
    for name in needed:
        _, content = get(address + name)
        assert content.strip()


def test_its_database_is_in_the_folder_that_was_named(address: str, instance: Path) -> None:
    assert (instance / "workbench.sqlite3").is_file()
