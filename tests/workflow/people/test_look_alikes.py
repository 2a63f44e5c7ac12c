"""Names that look alike: refused where somebody could pass for somebody else."""

from __future__ import annotations

import pytest

from tests.cast import CHEAP, PASSWORD
from workbench.errors import Conflict, InvalidInput
from workbench.storage.engine import Database
from workbench.workflow.people.accounts import (
    create_account,
    login_findings,
    name_findings,
    prepare_account,
    rename,
)
from workbench.workflow.people.look_alikes import mixes_scripts, shape_of

# Cyrillic: er, a, u, el-like palochka; and a whole word of letters that are drawn as Latin ones.
MIXED_PAUL, CYRILLIC_COPE = "\u0440\u0430ul", "\u0441\u043e\u0440\u0435"


def test_shapes_are_those_of_latin_letters() -> None:
    assert shape_of(CYRILLIC_COPE) == shape_of("Cope") == "cope"
    # Greek capitals: Eta, Omicron.
    assert shape_of("\u0397\u039f") == shape_of("HO")
    assert shape_of("paul1") != shape_of("paull")


@pytest.mark.parametrize(
    ("name", "mixed"),
    [
        (MIXED_PAUL, True),
        (CYRILLIC_COPE, False),
        (f"{CYRILLIC_COPE} Smith", False),  # a word each
        ("Åsa Ørsted", False),
        ("Νίκος", False),
        ("山田 Yamada", False),
    ],
)
def test_a_word_of_several_scripts_is_noticed(name: str, mixed: bool) -> None:
    assert mixes_scripts(name) is mixed
    assert bool(name_findings(name)) is mixed


def test_nobody_gets_a_login_or_name_that_looks_like_somebody_elses(database: Database) -> None:
    def new(login: str, name: str = "Somebody") -> None:
        prepared = prepare_account(login=login, name=name, password=PASSWORD, passwords=CHEAP)
        with database.writing() as db:
            create_account(db, prepared)

    new("cope", "Cope")
    new("other")
    assert login_findings(MIXED_PAUL)
    with pytest.raises(Conflict):
        new(CYRILLIC_COPE)
    with pytest.raises(InvalidInput), database.writing() as db:
        rename(db, 2, CYRILLIC_COPE.title())
    with database.writing() as db:
        assert rename(db, 2, "Cope").name == "Cope"  # of the same letters: two people may be called so
