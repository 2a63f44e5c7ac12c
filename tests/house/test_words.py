"""The words of the house: the field's own, in names, docstrings, labels, messages and help.

The glossary in `workbench/__init__.py` has the words to use; these once stood in their place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.tree import ROOT, project_files

# What must not be read anywhere, and what stands there instead.
INSTEAD = {
    r"reckon(s|ed|ing)?": "compute",
    r"mend(s|ed|ing)?": "fix, repair",
    r"taken along": "exported",
    r"voices?": "opinion; counts toward",
    r"what holds|answers? that holds?|judgments? that holds?": "current",
    r"kept aside|keeps? aside|keeping aside": "unrecorded",
    r"by lot": "at random, with a seed",
    r"strictness": "leniency",
    r"likeness": "similarity; intraclass correlation",
    r"lines? of relevance": "relevance threshold",
    r"as often as needed": "repeatable",
    r"whereof|thereof|therein": "of which, in it",
}
# Names of variables, functions, classes, parameters and attributes, parted at capitals and underscores.
NAMES = {
    "said": "answer, given, shown",
    "told": "shown, reported",
    "taken": "export, removed",
    "held": "current, kept",
    "holds": "current",
    "voice": "opinion, assessor",
    "voices": "opinions, assessors",
    "mend": "repair",
    "mended": "repaired",
    "reckon": "compute",
    "reckoned": "computed",
    "wanted": "options",
    "entering": "selection",
}
# Columns of tables, and keys of JSON, CSV and LaTeX, keep the names under which others read them.
STORED = {"said_at", "name_taken", "holds_too_seldom"}
STORED_IN = {"said": ("workbench/storage/tables", "workbench/workflow/adjudication")}
KEYS = re.compile(
    r"""["'](?:--)?(?:mend|likeness|strictness)["']|tab:agreement-strictness"""
    r"""|    strictness: list|    likeness: float"""
)
# What the demo's documents and topics are about.
INVENTED = {Path("workbench/demo/content")}

OURS = [
    path
    for path in project_files()
    if path.parts[0] in {"workbench", "templates", "static", "README.md"}
    and path.suffix in {".py", ".html", ".js", ".md", ".css"}
    and not {"vendor", "versions"} & set(path.parts)
    and not any(path.is_relative_to(folder) for folder in INVENTED)
]
MODULES = [path for path in OURS if path.suffix == ".py"]
BANNED = re.compile("|".join(rf"\b(?:{pattern})\b" for pattern in INSTEAD), re.IGNORECASE)


@cache
def parts(name: str) -> tuple[str, ...]:
    """The words of a name: `first_held` and `FirstHeld` are first and held."""
    return tuple(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_").split("_"))


def stored(path: Path, name: str) -> bool:
    """Whether a name is that of a column."""
    return name in STORED or str(path).startswith(STORED_IN.get(name, ("-",)))


def names(path: Path) -> Iterator[tuple[int, str]]:
    """Every name that a module gives or uses, with its line."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr


def banned_words(path: Path) -> Iterator[str]:
    """Where such a word stands in a file."""
    content = KEYS.sub("", (ROOT / path).read_text(encoding="utf-8"))
    for found in BANNED.finditer(content):
        yield f"{path}:{content.count(chr(10), 0, found.start()) + 1}: {found[0]}"


def banned_names(path: Path) -> Iterator[str]:
    """Where a module has such a name."""
    found = sorted({(line, name) for line, name in names(path) if set(parts(name)) & NAMES.keys()})
    yield from (f"{path}:{line}: {name}" for line, name in found if not stored(path, name))


# Each for all files at once: a test for each file takes longer than looking through it.
def test_no_word_stands_where_the_field_has_another() -> None:
    assert [found for path in OURS for found in banned_words(path)] == []


def test_no_name_has_such_a_word() -> None:
    assert [found for path in MODULES for found in banned_names(path)] == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("How to mend it", "mend"),
        ("Reckoned from the table", "Reckoned"),
        ("machines have no voice", "voice"),
    ],
)
def test_the_search_finds_what_it_looks_for(text: str, word: str) -> None:
    found = BANNED.search(text)
    assert found is not None
    assert found[0] == word
    assert BANNED.search("amended, recommended, a vocal voiceover") is None
    assert parts("firstHeld_said") == ("first", "held", "said")
