"""Kept results go with the code that they come from: what each kind names is what its module imports."""

from __future__ import annotations

import ast
import importlib
from functools import cache
from pathlib import Path

import pytest

import workbench
from workbench.workflow.kept_results import COMMON, KeptResults

PACKAGE = Path(workbench.__file__).parent
PURE = ("agreement", "consensus", "formats", "learning", "pooling", "scoring", "searching", "trust")
# They compute nothing: errors, and results as they are shown and written.
WITHOUT_FIGURES = ("errors", "latex", "tables")
KEEPING = sorted(
    path.relative_to(PACKAGE)
    for path in (PACKAGE / "workflow").rglob("*.py")
    if path.name != "kept_results.py" and "KeptResults(" in path.read_text("utf-8")
)


def file_of(module: str) -> Path | None:
    """The file of a module of the package, None for a name that is none."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return next((one for one in (path / "__init__.py", path.with_suffix(".py")) if one.is_file()), None)


@cache
def imported(path: Path) -> frozenset[Path]:
    """The modules of the package that one imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("workbench."):
            found |= {file_of(f"{node.module}.{one.name}") or file_of(str(node.module)) for one in node.names}
    return frozenset(one for one in found if one is not None)


def computing(start: Path) -> set[str]:
    """The pure packages, and modules of the package itself, that a module's results can come from."""
    seen: set[Path] = set()
    left = [start]
    while left:
        for path in imported(left.pop()) - seen:
            first = path.relative_to(PACKAGE).parts[0]
            if first in PURE or (len(path.relative_to(PACKAGE).parts) == 1 and path.name != "__init__.py"):
                seen.add(path)
                left.append(path)
    names = {path.relative_to(PACKAGE).parts[0] for path in seen}
    return names - {f"{name}.py" for name in WITHOUT_FIGURES}


def test_what_imports_lead_to_is_followed() -> None:
    # By `trust.depth`, which the module imports, and what this imports in turn.
    assert {"trust", "pooling"} <= computing(PACKAGE / "workflow/trust/questions.py")
    assert computing(PACKAGE / "workflow/pools/missing_texts.py") == set()


@pytest.mark.parametrize("path", KEEPING, ids=str)
def test_each_kind_of_kept_results_names_the_code_that_it_comes_from(path: Path) -> None:
    module = importlib.import_module(".".join(("workbench", *path.with_suffix("").parts)))
    kinds = [one for one in vars(module).values() if isinstance(one, KeptResults)]
    assert kinds
    needed = computing(PACKAGE / path) | {path.as_posix()}
    for kind in kinds:
        assert needed <= set(kind.code), "name them as `code` of the KeptResults"
        for name in kind.code:
            assert (PACKAGE / name).exists()
        # Whoever names a package for nothing computes anew for nothing; runs are read by `formats`.
        packages = {name for name in kind.code if "/" not in name} - {*COMMON, "formats"}
        assert packages <= needed
