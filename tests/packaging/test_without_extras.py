"""What a plain `pip install` can do: no module that a command or the server starts with needs an extra."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import importlib, pkgutil, sys
# What the extras of pyproject.toml install.
for name in "psycopg ir_datasets fastwarc pypdf pyarrow authlib joserfc opensearchpy isal".split():
    sys.modules[name] = None
import workbench
found = pkgutil.walk_packages(workbench.__path__, "workbench.")
for name in sorted(one.name for one in found):
    if name.startswith(("workbench.cli", "workbench.web", "workbench.demo", "workbench.toolkit")):
        if not name.endswith(("__main__", "_worker")):
            importlib.import_module(name)
"""


def test_every_door_opens_without_an_extra() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
