"""The `workbench` command as a person runs it: in this process, since most of a new one's time is imports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner

from workbench.cli.main import main

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
