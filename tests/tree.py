"""The project's own files: what version control has or would have, without what is ignored."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# What is passed over where there is no version control to ask, as in an unpacked archive.
NOT_OURS = {
    ".git",
    ".venv",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
    ".import_linter_cache",
    "build",
    "dist",
}


def project_files() -> tuple[Path, ...]:
    """Every file of the project that is there, relative to its root, sorted."""
    return tuple(sorted(path for path in _listed() if (ROOT / path).is_file()))


def copy_project(folder: Path) -> Path:
    """Copy the project's files, without anything ignored, and return the folder."""
    for path in project_files():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, folder / path)
    return folder


def _listed() -> list[Path]:
    if _git("rev-parse", "--show-toplevel").strip() == str(ROOT):
        listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return [Path(name) for name in listed.split("\0") if name]
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
    return [path for path in found if not _is_not_ours(path)]


def _is_not_ours(path: Path) -> bool:
    if path.parts[0] == "instance":
        return path.name != ".gitkeep"
    return not NOT_OURS.isdisjoint(path.parts) or any(part.endswith(".egg-info") for part in path.parts)


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        return ""
    return done.stdout if done.returncode == 0 else ""
