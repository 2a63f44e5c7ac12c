"""The keys of the desk: by meaning, each for one thing, and a grade's key before a command's."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import account
from workbench.errors import InvalidInput
from workbench.records import BINARY, FOUR_GRADES, RESERVED_KEYS, Grade, Scale
from workbench.storage.tables import CampaignRow
from workbench.workflow.campaigns.campaigns import (
    campaign_of,
    change_campaign,
    create_campaign,
    refuse_reserved,
    scale_to_json,
)
from workbench.workflow.judging.desk_settings import (
    COMMANDS,
    checked_keys,
    chosen_keys,
    resolve_keys,
    save_desk_settings,
    save_keys,
    side_keys_of,
)

YES_NO = Scale((Grade(0, "No", "n"), Grade(1, "Yes", "y", weight=3)), relevant_from=1)


def test_without_choosing_grades_have_their_scales_keys_and_commands_their_own() -> None:
    keys = resolve_keys(FOUR_GRADES, {})
    assert keys.grades == {0: "0", 1: "1", 2: "2", 3: "3"}
    assert keys.commands == {command.name: command.key for command in COMMANDS}
    assert keys.without_key == ()


def test_a_newer_command_leaves_its_key_to_the_one_that_it_was_chosen_for() -> None:
    # T folds the topic; somebody may have given it to another command before it did.
    keys = resolve_keys(FOUR_GRADES, {"unsure": "t"})
    assert (keys.commands["unsure"], keys.commands["topic"], keys.without_key) == ("t", "", ())


def test_every_command_is_reserved_and_no_two_share_a_key() -> None:
    used = [command.key for command in COMMANDS]
    assert len(set(used)) == len(used)
    assert set(used) | {" ", "/"} == RESERVED_KEYS


@pytest.mark.parametrize(
    ("scale", "chosen", "grades"),
    [
        (FOUR_GRADES, {"grade_0": "j", "grade_3": "k"}, {0: "j", 1: "1", 2: "2", 3: "k"}),
        (FOUR_GRADES, {"grade_7": "j"}, {0: "0", 1: "1", 2: "2", 3: "3"}),
        # One's own keys may be turned round, and what another scale's grade has is that one's digit then.
        (BINARY, {"grade_0": "1", "grade_1": "0"}, {0: "1", 1: "0"}),
        (YES_NO, {"grade_1": "n"}, {0: "0", 1: "n"}),
    ],
)
def test_a_chosen_key_goes_with_the_meaning(
    scale: Scale, chosen: dict[str, str], grades: dict[int, str]
) -> None:
    assert resolve_keys(scale, chosen).grades == grades


def test_a_grade_has_its_key_before_a_command_until_another_is_chosen() -> None:
    keys = resolve_keys(YES_NO, {})
    assert (keys.grades[0], keys.commands["next_hit"], keys.without_key) == ("n", "", ("next_hit",))
    keys = resolve_keys(YES_NO, {"next_hit": "j"})
    assert (keys.grades[0], keys.commands["next_hit"], keys.without_key) == ("n", "j", ())


def test_keys_are_kept_by_meaning_and_what_stays_as_it_comes_is_not_kept() -> None:
    typed = {"unsure": " Q ", "undo": "z", "next_hit": "é", "grade_0": "0", "grade_1": "", "nothing": "y"}
    assert checked_keys(typed) == {"unsure": "q", "next_hit": "é", "grade_0": "0"}


@pytest.mark.parametrize(
    ("typed", "code", "words"),
    [
        ({"unsure": "z"}, "unsure", "Z is already the key of “undo”"),
        ({"unsure": "q", "later": "Q"}, "later", "Q is already the key of “unsure”"),
        ({"list": "2"}, "list", "2 is already the key of “grade 2”"),
        ({"grade_0": "1"}, "grade_0", "1 is already the key of “grade 1”"),
        # A grade that the page does not show until somebody chooses its key.
        ({"undo": "9"}, "undo", "9 is already the key of “grade 9”"),
        ({"unsure": "ab"}, "unsure", "'ab' is not a single key"),
        ({"unsure": "\u200e"}, "unsure", "is not a single key"),
    ],
)
def test_keys_that_clash_or_are_none_are_refused_and_say_why(
    typed: dict[str, str], code: str, words: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        checked_keys(typed)
    (finding,) = caught.value.findings
    assert finding.code == code
    assert words in finding.message
    assert finding.remedy


def test_keys_belong_to_an_account_and_what_is_no_key_there_is_passed_over(db: Session) -> None:
    ada, ben = account(db, "Ada"), account(db, "Ben")
    save_keys(db, ada, {"unsure": "q"})
    assert (chosen_keys(db, ada), chosen_keys(db, ben)) == ({"unsure": "q"}, {})
    save_desk_settings(
        db, ben, "keys", {"unsure": "qq", "later": 7, "undo": "W", "list": "w", "nothing": "y"}
    )
    assert chosen_keys(db, ben) == {"list": "w"}
    save_keys(db, ada, {})
    assert chosen_keys(db, ada) == {}


def test_a_new_scale_may_not_use_the_desks_keys_and_one_from_before_stays_as_it_is(db: Session) -> None:
    with pytest.raises(InvalidInput, match=r"^Scale: the key n of .No."):
        refuse_reserved(YES_NO)
    with pytest.raises(InvalidInput):
        create_campaign(db, name="New", scale=YES_NO)
    made = create_campaign(db, name="Old", scale=BINARY)
    db.get_one(CampaignRow, made.id).scale = scale_to_json(YES_NO)
    db.flush()
    assert campaign_of(db, made.id).scale == YES_NO
    changed = change_campaign(db, made.id, name="Old", guidelines="New words", scale=YES_NO)
    assert changed.scale == YES_NO
    worse = Scale((Grade(0, "No", "n"), Grade(1, "Yes", "s", weight=3)), relevant_from=1)
    with pytest.raises(InvalidInput, match="the key s of 'Yes'"):
        change_campaign(db, made.id, name="Old", guidelines="", scale=worse)


def test_side_by_side_has_keys_of_its_own_beside_those_that_do_the_same(db: Session) -> None:
    ada = account(db, "Ada")
    assert side_keys_of(db, ada) == {
        "side_left": "1", "side_tie": "2", "side_both_bad": "3", "side_right": "4",
        "undo": "z", "comment": "c", "next_hit": "n", "previous_hit": "p", "guidelines": "g", "card": "?",
    }  # fmt: skip
    # U is unsure at the judging desk, which side by side has not; Z undoes at both.
    save_keys(db, ada, {"side_left": "u"})
    assert side_keys_of(db, ada)["side_left"] == "u"
    with pytest.raises(InvalidInput) as caught:
        save_keys(db, ada, {"side_left": "z", "side_tie": "4"})
    assert [(one.code, one.message) for one in caught.value.findings] == [
        ("side_left", "Z is already the key of “undo”"),
        ("side_tie", "4 is already the key of “side right”"),
    ]
