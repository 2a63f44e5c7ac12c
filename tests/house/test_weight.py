"""The weight of the house: tokens by package, modules, tables and words of the manual.

Tokens are those of Python without comments, docstrings, imports and layout. A number is raised in the commit
that needs it, with the reason beside it, and lowered by whoever makes a package lighter.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

from tests.tree import ROOT
from workbench.storage.tables import Base

PACKAGE = ROOT / "workbench"
TOKENS = {
    # Trainees are listed by the pairs that they train with; what deleting takes away counts releases.
    "workflow": 194_100,
    # A refused form leads back to its page, a suspended role is named.
    "web": 91_100,
    # Options that would be dropped are refused, tags of groups that no run has are told.
    "cli": 44_600,
    # Checks read arrays, and look for doubles by topic: seven million lines in 2.5 s, not 14.5.
    "formats": 44_400,
    "agreement": 35_800,
    # Some topics are judged at a time: a third less memory and time for seven million documents.
    "scoring": 34_100,
    "pooling": 24_900,
    "trust": 20_700,
    "releases": 17_400,
    # A damaged file is said to be one.
    "storage": 18_100,
    # From Python judgments are read as by the commands; the client waits for what is still carried out.
    ".": 14_600,
    "learning": 11_000,
    "searching": 9_200,
    "consensus": 8_500,
    "help": 4_300,
    "demo": 3_600,
    "deployment": 400,
}
MODULES = 440
TABLES = 42
HELP_WORDS = 18_000
SLACK = 1_000
"""By so many tokens a package may be lighter than its number."""
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def tokens_of(source: str) -> int:
    """How many tokens a module has."""
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            left_out.update(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            left_out.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    found = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(one.type not in LAYOUT and one.start[0] not in left_out for one in found)


def weights() -> Counter[str]:
    """Tokens by package; the modules beside the packages are `.`."""
    found: Counter[str] = Counter()
    for module in modules():
        place = module.relative_to(PACKAGE)
        found[place.parts[0] if len(place.parts) > 1 else "."] += tokens_of(module.read_text("utf-8"))
    return found


def modules() -> list[Path]:
    """The modules that say anything."""
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path.read_text("utf-8").strip()]


def test_docstrings_comments_and_imports_weigh_nothing() -> None:
    source = '"""Says."""\nimport ast  # why\n\n\ndef one() -> int:\n    """One."""\n    return 1  # one\n'
    # def one ( ) -> int : return 1
    assert tokens_of(source) == 9


def test_no_package_is_heavier_than_its_number_or_much_lighter() -> None:
    found = weights()
    assert {name: number for name, number in found.items() if number > TOKENS[name]} == {}
    lighter = {name: number for name, number in found.items() if number < TOKENS[name] - SLACK}
    assert lighter == {}, "lower their numbers"


def test_modules_and_tables_are_as_many_as_their_numbers() -> None:
    assert len(modules()) == MODULES
    assert len(Base.metadata.tables) == TABLES


def test_the_manual_has_no_more_words_than_its_number() -> None:
    assert sum(len(path.read_text().split()) for path in (PACKAGE / "help").rglob("*.md")) <= HELP_WORDS
