"""Two processes with other hash seeds, locales and time zones make the same bytes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest

from tests.releases.made import small_release
from tests.tree import ROOT
from workbench.releases.files import write_release

MAKE = (
    "import hashlib; from tests.releases.made import small_release; "
    "from workbench.releases.files import write_release; "
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
MACHINES = (
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "America/St_Johns", "PYTHONUTF8": "0"},
    {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu", "OPENBLAS_NUM_THREADS": "1"},
)


def printed(program: str, machine: dict[str, str], *words: str) -> str:
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **machine}, capture_output=True, text=True, check=True
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
