"""The rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.tree import ROOT, project_files

FILES = project_files()
MODULES = [path for path in FILES if path.parts[0] == "workbench" and path.suffix == ".py"]
# Written by Alembic; what one does is said in its file's docstring.
DOCUMENTED = [path for path in MODULES if "versions" not in path.parts]
TEXT = {".py", ".html", ".css", ".js", ".md", ".toml", ".txt", ".tsv", ".jsonl", ".mako", ".sh", ""}
OUR_TEXTS = [path for path in FILES if path.suffix in TEXT and "vendor" not in path.parts]

LONGEST_MODULE = 500
TOP_LEVEL = {
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "workbench",
    "templates",
    "static",
    "tests",
    "instance",
}
# Folders that exist on one machine only.
MACHINE_PATH = re.compile(r"/(work|tmp|root|home|Users|opt|farm)/[A-Za-z.]")
# Put together, so that this file does not hold the word itself.
MISSPELT = re.compile("judge" + "ment", re.IGNORECASE)

CLASS = re.compile(r"^ *class (\w+)", re.MULTILINE)

Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def text(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def findings(path: Path, pattern: re.Pattern[str]) -> list[str]:
    lines = enumerate(text(path).splitlines(), start=1)
    return [f"{path}:{number}: {line.strip()[:100]}" for number, line in lines if pattern.search(line)]


def undocumented(path: Path) -> Iterator[str]:
    """The public things of a module without a docstring; a method is ours to explain unless it overrides."""
    module = ast.parse(text(path))
    if not ast.get_docstring(module):
        yield f"{path}"
    for thing in public(module.body):
        if not ast.get_docstring(thing):
            yield f"{path}:{thing.lineno}: {thing.name}"
        if isinstance(thing, ast.ClassDef) and not thing.bases:
            for method in public(thing.body):
                if not ast.get_docstring(method):
                    yield f"{path}:{method.lineno}: {thing.name}.{method.name}"


def public(body: list[ast.stmt]) -> Iterator[Named]:
    for thing in body:
        if isinstance(thing, Named) and not thing.name.startswith("_"):
            yield thing


def test_the_files_of_the_project_are_found() -> None:
    assert Path("workbench/__init__.py") in MODULES
    assert Path("README.md") in OUR_TEXTS
    assert not [path for path in FILES if "__pycache__" in path.parts or path.parts[0] == ".venv"]


def test_whatever_is_public_says_what_it_is() -> None:
    assert [found for path in DOCUMENTED for found in undocumented(path)] == []


def test_no_module_is_too_long_to_be_read_in_one_go() -> None:
    # A migration is a list of tables.
    modules = [path for path in FILES if path.suffix == ".py" and "migrations" not in path.parts]
    lengths = {str(path): len(text(path).splitlines()) for path in modules}
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_a_class_has_a_name_of_its_own() -> None:
    # Two classes of one name mislead whoever searches for it.
    found = Counter(name for path in DOCUMENTED for name in CLASS.findall(text(path)))
    assert found["Judgment"] == 1
    assert sorted(name for name, times in found.items() if times > 1) == []


def test_nothing_names_a_folder_of_one_machine() -> None:
    assert [found for path in OUR_TEXTS for found in findings(path, MACHINE_PATH)] == []


def test_the_fields_word_is_spelt_in_one_way() -> None:
    assert [found for path in OUR_TEXTS for found in findings(path, MISSPELT)] == []
    assert [str(path) for path in FILES if MISSPELT.search(str(path))] == []


def test_the_top_level_holds_only_what_belongs_there() -> None:
    found = {path.parts[0] for path in FILES}
    assert {name for name in found if not name.startswith(".")} <= TOP_LEVEL


def test_the_instance_folder_is_kept_empty() -> None:
    assert [path for path in FILES if path.parts[0] == "instance"] == [Path("instance/.gitkeep")]


def test_the_whole_is_checked_by_the_command_that_readme_gives() -> None:
    last = text(Path(".ci/run")).splitlines()[-1]
    assert last.endswith("&& .venv/bin/pytest -n auto")
    assert f"\n{last}\n" in text(Path("README.md"))
