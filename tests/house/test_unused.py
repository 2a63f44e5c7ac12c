"""No class of a stylesheet, macro, template or script stays behind that no page uses."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tests.tree import ROOT

TEMPLATES = {
    path.relative_to(ROOT / "templates").as_posix(): path.read_text("utf-8")
    for path in sorted((ROOT / "templates").rglob("*.html"))
}
SCRIPTS = {
    path: path.read_text("utf-8") for path in (ROOT / "static").rglob("*.js") if "vendor" not in path.parts
}
PYTHON = "\n".join(path.read_text("utf-8") for path in (ROOT / "workbench").rglob("*.py"))
PAGES = "\n".join(TEMPLATES.values())
WORDS = set(re.findall(r"[A-Za-z_][\w-]*", "\n".join([PYTHON, PAGES, *SCRIPTS.values()])))
BY_HTMX = {"htmx-request"}
NUMBERED = re.compile(r"(g|w|plot-|lane-|line-|reading-own-)\d")
"""Classes that are written with a number, which is not in the source."""


def classes_of(sheet: Path) -> set[str]:
    rules = re.sub(r"/\*.*?\*/|url\([^)]*\)", "", sheet.read_text("utf-8"), flags=re.DOTALL)
    return set(re.findall(r"\.([a-z][\w-]*)", rules))


def test_every_class_of_the_stylesheets_is_used() -> None:
    sheets = [path for path in (ROOT / "static").rglob("*.css") if "vendor" not in path.parts]
    unused = {one for sheet in sheets for one in classes_of(sheet) if not NUMBERED.fullmatch(one)} - WORDS
    assert unused - BY_HTMX == set()


def test_every_macro_is_called() -> None:
    # Where it is defined it is named once.
    named = Counter(re.findall(r"\b(\w+)\(", PAGES))
    assert [one for one in re.findall(r"{% macro (\w+)", PAGES) if named[one] < 2] == []


def test_every_template_and_script_is_asked_for() -> None:
    everything = "\n".join([PYTHON, PAGES])
    # A name may be put together: then its stem stands in the source.
    stems = {name: Path(name).stem.lstrip("_") for name in TEMPLATES}
    assert [name for name, stem in stems.items() if name not in everything and stem not in WORDS] == []
    for path, text in SCRIPTS.items():
        others = "\n".join(other for each, other in SCRIPTS.items() if each != path)
        assert path.name in everything or path.name in others, f"{path.name}: {len(text)} characters"
