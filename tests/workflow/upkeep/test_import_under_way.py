"""An import that is under way while its instance is backed up: nothing of it is lost or twice."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from tests.builders import campaign_with_people
from tests.databases import opened, opened_copy
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.storage.portable.backup_file import BackupFile, write_backup
from workbench.storage.portable.loading import load
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.judging import large_imports
from workbench.workflow.judging.importing import GivenJudgments
from workbench.workflow.judging.large_imports import import_in_portions, resume_stalled
from workbench.workflow.upkeep.verify import verify


def recorded(database: Database) -> int:
    with database.reading() as db:
        return db.scalar(select(func.count()).select_from(JudgmentEventRow)) or 0


@pytest.mark.slow  # an empty database is migrated
def test_an_import_goes_on_where_its_instance_was_restored(
    migrated_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed_once_recorded(*_: object) -> None:
        if recorded(source):
            raise KeyboardInterrupt

    monkeypatch.setattr(large_imports, "PORTION", 3)
    given = [Judgment("X", "T1", f"n{number}", 1) for number in range(5)]
    with opened_copy(migrated_sqlite, tmp_path) as source, opened(f"sqlite:///{tmp_path}/there") as there:
        with source.writing() as db:
            campaign = campaign_with_people(db).campaign
        with monkeypatch.context() as first:
            first.setattr(large_imports, "finish_imports", killed_once_recorded)
            with pytest.raises(KeyboardInterrupt):
                import_in_portions(source, campaign.id, [GivenJudgments(given, "f.tsv")])
        assert (recorded(source), verify(source).findings) == (3, ())
        with BackupFile(write_backup(source, tmp_path / "b.zip").path) as backup:
            load(backup, there)
        resume_stalled(there, after=timedelta())
        assert (recorded(there), verify(there).findings) == (5, ())
