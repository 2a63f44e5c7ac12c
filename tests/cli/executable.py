"""The `workbench` command as a person runs it: in this process, since most of a new one's time is imports."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from tests.databases import opened
from workbench.cli.main import main
from workbench.storage.engine import Database

Done = subprocess.CompletedProcess[bytes]


def workbench(
    *arguments: str | Path, given: bytes = b"", environment: Mapping[str, str | None] | None = None
) -> Done:
    """Run `workbench` with these arguments and this standard input; a variable that is None is unset."""
    words = ["workbench", *map(str, arguments)]
    code = 0
    with (
        CliRunner().isolation(given, environment) as (out, err, _),
        patch.object(sys, "argv", words),
    ):
        try:
            main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else int(left.code is not None)
        sys.stdout.flush()
        sys.stderr.flush()
        return Done(words, code, out.getvalue(), err.getvalue())


def workbench_process(*arguments: str | Path, given: bytes = b"") -> Done:
    """The same by the installed program, in a process of its own."""
    return subprocess.run(
        [Path(sys.executable).with_name("workbench"), *arguments],
        input=given,
        capture_output=True,
        check=False,
    )


class Terminal:
    """The `workbench` command on an instance of its own."""

    def __init__(self, instance: Path) -> None:
        self.instance = instance
        self.environment = {"WORKBENCH_INSTANCE": str(instance), "WORKBENCH_DATABASE_URL": None}

    def run(self, *words: str | Path, stdin: bytes = b"") -> Done:
        """Run one command."""
        return workbench(*words, given=stdin, environment=self.environment)

    def does(self, *words: str | Path, stdin: bytes = b"") -> bytes:
        """Run one command that must end well; gives what it printed."""
        done = self.run(*words, stdin=stdin)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def json(self, *words: str | Path) -> Any:
        """Run one command with --json."""
        return json.loads(self.does(*words, "--json"))

    def refused(self, *words: str | Path, stdin: bytes = b"") -> str:
        """Run one command that must end with exit code 1 and print nothing; gives what it said instead."""
        done = self.run(*words, stdin=stdin)
        assert (done.returncode, done.stdout) == (1, b"")
        return done.stderr.decode()

    @contextmanager
    def database(self) -> Iterator[Database]:
        """The database of the instance, to prepare it or to look."""
        with opened(f"sqlite:///{self.instance / 'workbench.sqlite3'}") as database:
            yield database


def new_instance(folder: Path, migrated: Path) -> Path:
    """An instance whose database is a copy of a migrated file: to migrate one anew takes half a second."""
    folder.mkdir()
    shutil.copyfile(migrated, folder / "workbench.sqlite3")
    return folder


def run_file(folder: Path, tag: str, rankings: Mapping[str, str]) -> Path:
    """A run file in which each topic's documents, parted by spaces, stand best first; named by its tag."""
    path = folder / f"{tag}.run"
    path.write_text(
        "".join(
            f"{topic} Q0 {docno} {rank} {-rank} {tag}\n"
            for topic, docnos in rankings.items()
            for rank, docno in enumerate(docnos.split(), 1)
        )
    )
    return path


def qrels_file(path: Path, grades: Mapping[str, Mapping[str, int]]) -> Path:
    """A qrels file with grades by topic and docno."""
    lines = [
        f"{topic} 0 {docno} {grade}\n" for topic, given in grades.items() for docno, grade in given.items()
    ]
    path.write_text("".join(lines))
    return path
