"""Two processes with other hash seeds, locales and time zones make the same bytes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.releases.made import small_release, write_release
from tests.tree import ROOT

MAKE = (
    "import hashlib; from tests.releases.made import small_release; "
    "from tests.releases.made import write_release; "
    "print(hashlib.sha256(write_release(small_release())).hexdigest())"
)
CAMPAIGN = (
    "import sys, tempfile; from tests.workflow.releases.filled import *; "
    "from workbench.storage.engine import Database; from workbench.storage.migrate import migrate; "
    "database = Database(f'sqlite:///{tempfile.mkdtemp()}/w.sqlite3'); migrate(database)\n"
    "with database.writing() as db:\n"
    "    campaign = filled_campaign(db, backwards=len(sys.argv) > 1)\n"
    "print(filled_release(database, campaign, *Included).release.sha256)"
)
CLONE = (
    f"{CAMPAIGN.rpartition('print(')[0]}"
    "import workbench; from pathlib import Path\n"
    "from workbench.workflow.releases.releases import release_parts\n"
    "assert Path(workbench.__file__).is_relative_to(Path.cwd()), workbench.__file__\n"
    "made = filled_release(database, campaign, *Included)\n"
    "with database.reading() as db:\n"
    "    Path('release.zip').write_bytes(b''.join(release_parts(db, made.release)))"
)
MACHINES = (
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "America/St_Johns", "PYTHONUTF8": "0"},
    {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu", "OPENBLAS_NUM_THREADS": "1"},
)


def printed(program: str, machine: dict[str, str], *words: str, folder: Path = ROOT) -> str:
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **machine}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.slow
def test_a_release_is_the_same_on_every_machine() -> None:
    here = hashlib.sha256(write_release(small_release())).hexdigest()
    assert {printed(MAKE, machine) for machine in MACHINES} == {here}


@pytest.mark.slow
def test_a_release_of_a_campaign_is_the_same_on_every_machine() -> None:
    one, other = MACHINES
    assert printed(CAMPAIGN, one) == printed(CAMPAIGN, other, "backwards")


@pytest.mark.slow
def test_two_fresh_clones_make_the_same_bytes(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone itself")
    found = []
    for number, machine in enumerate(MACHINES):
        clone = tmp_path / f"clone{number}"
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(clone)], check=True)
        printed(CLONE, machine, *["backwards"] * number, folder=clone)
        found.append((clone / "release.zip").read_bytes())
    one, other = found
    assert len(one) > 10_000
    assert one == other
