"""How text looks is chosen from what there is, and anything else stored counts as nothing."""

from __future__ import annotations

import pytest

from tests.builders import account
from workbench.errors import InvalidInput
from workbench.storage.engine import Database
from workbench.workflow.judging.desk_preferences import prefer
from workbench.workflow.judging.text_choices import CHOICES, TextChoice, choose_text, text_choice


def test_what_is_not_chosen_stays_as_it_was(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = account(db, "Ada")
        assert text_choice(db, ada) == TextChoice()
        choose_text(db, ada, {"size": "5", "theme": "dark"})
        assert choose_text(db, ada, {"face": "sans", "unknown": "x"}) == TextChoice(
            size="5", theme="dark", face="sans"
        )
        assert text_choice(db, ada) == TextChoice(size="5", theme="dark", face="sans")


def test_every_usual_value_is_one_of_the_choices() -> None:
    usual = TextChoice()
    for choice in CHOICES:
        assert getattr(usual, choice.name) in dict(choice.options)


def test_unknown_values_are_refused_and_passed_over_when_stored(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = account(db, "Ada")
        with pytest.raises(InvalidInput):
            choose_text(db, ada, {"size": '3" onload="'})
        for stored in ({"size": 3, "face": "sans"}, {"size": ["3"], "face": "sans"}):
            prefer(db, ada, "text", stored)
            assert text_choice(db, ada) == TextChoice(face="sans")
