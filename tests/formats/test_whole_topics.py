"""Nothing that a topic says is lost: turns become topics, and fields of no other place join the narrative."""

from __future__ import annotations

import io

import pytest

from tests.formats.test_topics import errors, read
from workbench.formats.topics import read_topics
from workbench.formats.topics_lines import MOST_TURNS
from workbench.records import Topic


def test_what_a_trec_topic_says_beside_its_own_fields_is_kept_by_its_name() -> None:
    content = (
        "<top>\n<num> Number: 1\n<title> a\n<stance>helpful to most</stance>\nSee also.\n"
        "<narr>\nn\n<evidence> At http://x\n</top>"
    )
    told = "n\n\nStance: helpful to most\n\nSee also.\n\nEvidence: At http://x"
    assert read(content) == (Topic("1", "a", "", told),)


def test_what_an_xml_topic_says_beside_its_own_elements_is_kept_by_its_name() -> None:
    content = (
        '<topics><topic type="faceted"><number>1</number><query>face masks</query>'
        "<title>Do masks help?</title>"
        "<disclaimer>No\nadvice.</disclaimer><stance>helpful</stance><stance/><evidence>http://x</evidence>"
        "<narrative>n</narrative>stray<subtopic>s</subtopic></topic></topics>"
    )
    told = "n\n\nQuery: face masks\n\nDisclaimer: No advice."
    assert read(content) == (Topic("1", "Do masks help?", "", f"{told}\n\nstray", (("1", "s"),)),)


def test_what_a_json_topic_says_beside_its_own_keys_is_kept_by_its_name() -> None:
    content = (
        '{"id": "1", "title": "a", "query": "b c", "stance": null, "metadata": {}, "narrative": "n", '
        '"evidence": [{"url": "http://x", "year": 2020}, true], "deep": ' + "[" * 500 + "1" + "]" * 500 + "}"
    )
    assert read(content) == (
        Topic("1", "a", "", "n\n\nQuery: b c\n\nEvidence: url: http://x; year: 2020; true"),
    )


@pytest.mark.parametrize(
    "content",
    [
        "<top>\n<num> 1\n<title> a\n<nr> 34\n<type> faceted\n</top>",
        '<topics><topic number="1" type="faceted"><query>a</query><nr>34</nr></topic></topics>',
        '{"id": 1, "title": "a", "nr": 34, "type": "faceted"}',
        "id\ttitle\tnr\ttype\n1\ta\t34\tfaceted\n",
    ],
)
def test_a_number_or_word_about_a_topic_is_named_and_not_shown_to_assessors(content: str) -> None:
    notes: list[str] = []
    assert read_topics(io.BytesIO(content.encode()), source="t", notes=notes) == (Topic("1", "a"),)
    assert sorted(notes) == [
        f't: "{name}" is not shown to assessors: it is a single word or number (1 record)'
        for name in ("nr", "type")
    ]


def test_every_turn_of_a_conversation_is_a_topic_with_the_turns_before() -> None:
    # As in CAsT 2020: the utterance as it was said, and without references to other turns.
    cast = (
        '[{"number": 31, "title": "careers", "turn": [{"number": 1, "raw_utterance": "What is it?"}, '
        '{"number": 2, "raw_utterance": "And why?", '
        '"manual_rewritten_utterance": "Why is it?", "passage": "So."}]}]'
    )
    assert read(cast) == (
        Topic("31_1", "What is it?", "", "Conversation: title: careers"),
        Topic(
            "31_2",
            "And why?",
            "Why is it?",
            "Conversation: title: careers\n\nTurn 1: What is it?\n\nPassage: So.",
        ),
    )
    # As in iKAT, and in CAsT 2022, where what the system said is a turn.
    ikat = (
        '{"number": "9-1", "turns": [{"turn_id": 1, "utterance": "Hi", "response": "Yes?"}, '
        '{"turn_id": 2, "utterance": "Bye"}]}'
    )
    assert read(ikat)[1] == Topic("9-1_2", "Bye", "", "Turn 1: Hi\n\nResponse 1: Yes?")
    said = '{"number": 1, "turn": [{"number": "1", "response": "Hello"}, {"number": "2", "utterance": "Hi"}]}'
    assert read(said) == (Topic("1_2", "Hi", "", "Turn 1: number: 1; response: Hello"),)
    assert errors('{"turn": []}') == [(1, "id")]
    assert errors('{"id": "1", "turn": [7]}') == [(1, "turns")]
    many = ", ".join('{"utterance": "a"}' for _ in range(MOST_TURNS + 1))
    assert errors(f'{{"id": "1", "turn": [{many}]}}') == [(1, "turns")]
