"""How text looks is chosen from what there is, and anything else stored counts as nothing."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import account
from workbench.errors import InvalidInput
from workbench.workflow.judging.desk_settings import (
    TEXT_OPTIONS,
    TextSettings,
    save_desk_settings,
    save_text_settings,
    text_settings,
)


def test_every_usual_value_is_one_of_the_choices() -> None:
    usual = TextSettings()
    for choice in TEXT_OPTIONS:
        assert getattr(usual, choice.name) in dict(choice.options)


def test_unknown_values_are_refused_and_passed_over_when_stored(db: Session) -> None:
    ada = account(db, "Ada")
    with pytest.raises(InvalidInput):
        save_text_settings(db, ada, {"size": '3" onload="'})
    for stored in ({"size": 3, "face": "sans"}, {"size": ["3"], "face": "sans"}):
        save_desk_settings(db, ada, "text", stored)
        assert text_settings(db, ada) == TextSettings(face="sans")
