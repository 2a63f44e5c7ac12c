"""What the benchmark compares is the same: its runs are sound, C makes our pool; nothing is timed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.generated_runs import write_runs
from tests.support import ROOT
from workbench.formats.packed_runs import read_packed
from workbench.formats.runs import read_run

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Eight generated runs, of which one is not sorted."""
    folder = tmp_path_factory.mktemp("runs")
    write_runs(folder, 8)
    return [str(path) for path in sorted(folder.iterdir())]


def printed(*command: str | Path) -> bytes:
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout


@pytest.mark.slow
def test_the_generated_runs_have_trec_8s_size_and_are_read_fast(runs: list[str]) -> None:
    for name in runs:
        with Path(name).open("rb") as stream:
            packed = read_packed(stream, source=name, depth=100)
        assert (len(packed.topics), packed.lines) == (50, 50_000)
    with Path(runs[7]).open("rb") as stream:
        assert "rank-order" not in {finding.code for finding in read_run(stream, source="r").findings}


def test_a_generated_run_is_the_same_however_many_there_are(runs: list[str], tmp_path: Path) -> None:
    write_runs(tmp_path, 2)
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == [
        Path(name).read_bytes() for name in runs[:2]
    ]


def test_c_makes_the_same_pool(runs: list[str], tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler")
    reader = tmp_path / "reader"
    subprocess.run([compiler, "-O2", "-o", reader, HERE / "reader.c", "-lm"], check=True)
    ours = printed(sys.executable, "-m", "tests.benchmarks.ours", "100", "6", *runs)
    assert ours.count(b"\n") > 5_000
    assert printed(reader, "100", "6", *runs) == ours
