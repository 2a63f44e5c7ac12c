"""What tests of every room share: where the real data lies, and worked cases by name."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


def examples(often: int) -> int:
    """How many generated examples a test tries: half of so many, times what WORKBENCH_TEST_EXAMPLES says."""
    return max(1, round(often * float(os.environ.get("WORKBENCH_TEST_EXAMPLES", "1")) / 2))


class Oracle:
    """A library that results are compared with, imported when it is first used.

    scikit-learn, scipy and Crowd-Kit take 8 s, which each worker would spend before its first test.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            # What pytest asks of whatever it collects, to find fixtures and tests.
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)


def share_compiled_templates() -> None:
    """Have the applications of all workers, several dozen, compile each template once."""
    from jinja2 import FileSystemBytecodeCache  # here, since most tests need no templates

    from workbench.web import templating

    folder = ROOT / ".pytest_cache" / "templates"
    folder.mkdir(parents=True, exist_ok=True)
    templating.OPTIONS["bytecode_cache"] = FileSystemBytecodeCache(str(folder))


def shared(*parts: str) -> Path:
    """A file or folder of the real data beside the project; skips the test where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the real data shared/{'/'.join(parts)} is not beside this checkout")
    return path


def cases(file_name: str) -> dict[str, Any]:
    """The worked cases of one file, by name."""
    return {case["name"]: case for case in json.loads(shared("cases", file_name).read_text(encoding="utf-8"))}
