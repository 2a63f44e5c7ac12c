"""Topics in the field's formats, found by looking, with every error at its line."""

from __future__ import annotations

import gzip

import pytest

from tests.formats.strategies import codes, stream
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.qrels import write_subtopic_qrels
from workbench.formats.topics import TOPIC_FORMATS, read_topic_ids, read_topics
from workbench.records import Topic


def read(content: str | bytes, format: str | None = None) -> tuple[Topic, ...]:
    return read_topics(stream(content), source="t", format=format)


def errors(content: str | bytes, format: str | None = None) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidInput) as refused:
        read(content, format)
    return codes(refused.value)


HAIR = Topic("508", "hair loss", "Find diseases & symptoms.", "In humans.\n\nNot in animals.")
IN_EVERY_FORMAT = {
    "trec": "<top>\n<num> Number: 508\n<title> hair\n loss\n<desc> Description: Find diseases & symptoms.\n"
    "<narr> Narrative:\nIn humans.\n\nNot in\nanimals.\n</top>\n",
    "xml": "<topics>\n<topic number='508'><title>hair\n loss</title>"
    "<desc>Find diseases &amp; symptoms.</desc>"
    "<narrative>In humans.\n \nNot in\n animals.</narrative></topic></topics>",
    "jsonl": '{"id": 508, "title": "hair  loss", "description": "Find diseases & symptoms.",'
    ' "narrative": "In humans.\\n\\nNot in animals."}\n',
    "tsv": "508\thair loss\tFind diseases & symptoms.\tIn humans.\n",
}


@pytest.mark.parametrize("format", TOPIC_FORMATS)
def test_every_format_gives_the_same_topic_whatever_its_clothes(format: str) -> None:
    content = IN_EVERY_FORMAT[format]
    # A line of a table has no paragraphs.
    expected = HAIR if format != "tsv" else Topic(HAIR.id, HAIR.title, HAIR.description, "In humans.")
    for dressed in (
        content,
        content.rstrip("\n"),
        content.replace("\n", "\r\n"),
        "\ufeff" + content,
        "\n" + content,
        gzip.compress(content.encode(), mtime=0),
    ):
        assert read(dressed) == (expected,)
        assert read(dressed, format) == (expected,)


def test_an_unknown_format_is_named_with_the_known_ones() -> None:
    with pytest.raises(WorkbenchError, match="trec, xml, jsonl, tsv"):
        read("1\ta\n", "csv")


# TREC


def test_closed_fields_any_case_and_old_fields_are_understood() -> None:
    content = (
        "<TOP>\n<HEAD> Tipster Topic Description\n<NUM> Number: 051 </NUM>\n<DOM> Domain: Economics\n"
        "<TITLE> Topic: Airbus Subsidies</TITLE>\n<DESC>The <i>text</i>,<br>cut</DESC>\n"
        "<NARR>\nFirst &lt;one&gt;.\n<P>\nSecond AT&T.\n<CON> Concept(s):\n1. Airbus\n</TOP>"
    )
    assert read(content) == (
        Topic(
            "051",
            "Airbus Subsidies",
            "The text, cut",
            "First <one>.\n\nSecond AT&T.\n\nDomain: Economics\n\nConcept(s): 1. Airbus",
        ),
    )


def test_topics_that_are_not_closed_end_at_the_next() -> None:
    content = "<top><num>1<title>a\n<top><num>2<title>b"
    assert read(content) == (Topic("1", "a"), Topic("2", "b"))


def test_labels_are_stripped_once_and_only_their_own() -> None:
    content = (
        "<top><num>7<title>Topic: Topic: a Number: 5<desc>Description of a field<narr>Narrative : x</top>"
    )
    assert read(content) == (Topic("7", "Topic: a Number: 5", "Description of a field", "x"),)


def test_microblog_topics_have_queries_and_times() -> None:
    content = (
        "<top>\n<num> Number: MB001 </num>\n<query> BBC staff cuts </query>\n"
        "<querytime> Tue Feb 08 12:30:27 +0000 2011 </querytime>\n"
        "<querytweettime> 34952194402811904 </querytweettime>\n</top>"
    )
    time = "Query time: Tue Feb 08 12:30:27 +0000 2011"
    assert read(content) == (Topic("MB001", "BBC staff cuts", "", time),)


def test_all_errors_of_trec_topics_are_told_at_the_line_of_their_topic() -> None:
    content = (
        "<num> 9 </num>\n"
        "<top><num> 1 <title> a </top>\n"
        "<top>\n<num> 1\n<title> b </top>\n"
        "<top> <num> 2 3 <title> c </top>\n"
        "<top> <title> d </top>\n"
        "<top> <num> 4 </top>\n"
        "<top> <num> 5 <title> e <title> f </top>\n"
    )
    assert errors(content) == [
        (1, "outside"),
        (3, "duplicate"),
        (6, "id"),
        (7, "id"),
        (8, "empty-topic"),
        (9, "repeated-field"),
    ]
    assert errors(b"<top><num>1<title>caf\xe9</top>") == [(1, "encoding")]


# XML


def test_covid_topics_have_query_question_and_narrative() -> None:
    content = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<topics task="COVIDSearch">\n  <topic number="1">\n'
        "    <query>coronavirus origin</query>\n    <question>what is the origin</question>\n"
        "    <narrative>seeking &#8212; range</narrative>\n  </topic>\n</topics>\n"
    )
    assert read(content) == (Topic("1", "coronavirus origin", "what is the origin", "seeking — range"),)


def test_ids_may_be_elements_and_names_may_have_any_case_and_namespace() -> None:
    content = (
        '<T xmlns="urn:x"><TOPIC><num>A-1</num><title>a <b>bold</b> word</title>'
        "<narrative><p>one</p><p>two</p></narrative></TOPIC></T>"
    )
    assert read(content) == (Topic("A-1", "a bold word", "", "one\n\ntwo"),)
    ntcir = "<queries><query><qid>0001</qid><content>a thing</content></query></queries>"
    assert read(ntcir) == (Topic("0001", "a thing"),)


def test_clef_calls_the_id_identifier_and_a_missing_one_is_told_with_what_was_found() -> None:
    clef = "<topics><topic><identifier>10.2452/451-AH</identifier><title>Roman army</title></topic></topics>"
    assert read(clef) == (Topic("10.2452/451-AH", "Roman army"),)
    with pytest.raises(InvalidInput, match='the topic has no id \\(found: "key", "title"\\)'):
        read(clef.replace("identifier>", "key>"))
    assert read('{"identifier": "C041", "title": "a"}') == (Topic("C041", "a"),)


def test_a_topic_of_nothing_but_text_describes_the_need() -> None:
    assert read('<topics><topic number="1">\nPatient is 45.\n</topic></topics>') == (
        Topic("1", "", "Patient is 45."),
    )


def test_another_encoding_is_read_where_the_xml_declares_it() -> None:
    content = '<?xml version="1.0" encoding="ISO-8859-1"?><t><topic id="1"><title>café</title></topic></t>'
    assert read(content.encode("latin-1")) == (Topic("1", "café"),)


def test_document_types_are_refused_before_their_entities_can_grow() -> None:
    laughs = '<?xml version="1.0"?>\n<!DOCTYPE t [\n<!ENTITY a "ha">\n' + "".join(
        f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">\n' for n in range(10)
    )
    assert errors(laughs + ']>\n<t><topic id="1"><title>&k;</title></topic></t>') == [(2, "xml")]
    outside = '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><t>&x;</t>'
    assert errors(outside) == [(1, "xml")]


def test_xml_that_is_not_well_formed_is_told_with_its_line() -> None:
    assert errors("\n<t>\n<topic id='1'><title>AT&T</title></topic></t>") == [(3, "xml")]
    assert errors("<t>" * 60 + "</t>" * 60) == [(1, "xml")]
    assert errors("<t></t>") == [(None, "empty")]


def test_errors_of_xml_topics_are_told_at_the_line_of_their_topic() -> None:
    content = (
        "<t>\n<topic><title>a</title></topic>\n<topic id='1'/>\n<topic id='1'><title>b</title></topic></t>"
    )
    assert errors(content) == [(2, "id"), (3, "empty-topic"), (4, "duplicate")]


# JSON


@pytest.mark.parametrize("name", ["id", "_id", "qid", "query_id", "number", "num"])
def test_ids_in_json_have_many_names_and_are_text(name: str) -> None:
    assert read(f'{{"{name}": 7, "text": "a"}}') == (Topic("7", "a"),)
    assert read(f'{{"{name}": "007", "title": "a", "desc": "b", "narr": "c"}}') == (
        Topic("007", "a", "b", "c"),
    )


def test_numbers_stay_as_they_are_written() -> None:
    content = '{"id": 1e3, "title": 5}\n{"id": 1.50, "title": null, "question": "q"}\n'
    content += f'{{"id": {"9" * 500}, "query": "r"}}'
    assert read(content) == (Topic("1e3", "5"), Topic("1.50", "", "q"), Topic("9" * 500, "r"))


def test_an_array_of_topics_is_read_with_the_lines_of_its_items() -> None:
    content = '[\n  {"id": "1",\n   "title": "a"},\n  {"id": "2", "title": "b"}\n]\n'
    assert read(content) == (Topic("1", "a"), Topic("2", "b"))
    assert errors(content.replace('"2"', '"1"')) == [(4, "duplicate")]
    assert errors(content.replace('"b"}', '"b"')) == [(5, "json")]
    assert errors(content.replace("]", "")) == [(4, "json")]
    assert errors(content + "x") == [(4, "json")]
    assert errors("[]") == [(None, "empty")]


def test_all_errors_of_json_topics_are_told() -> None:
    content = (
        '{"id": "1", "title": "a"}\n'
        '{"id": "1", "title": "b"}\n'
        '{"title": "c"}\n'
        '{"id": "2 3", "title": "d"}\n'
        '{"id": "", "title": "e"}\n'
        '{"id": "4"}\n'
        '{"id": "5", "title": ["f"]}\n'
        '{"id": "6", "title": "g"\n'
        '["id", "7"]\n'
        '{"id": NaN, "title": "h"}\n'
        '{"id": "8", "title": "\\ud83d"}\n'
        '{"id": "9", "title": "\\u0000"}\n'
        '{"id": "\\ud83d", "title": "i"}\n'
        '{"id": true, "title": "j"}\n'
    )
    assert errors(content) == [
        (2, "duplicate"),
        (3, "id"),
        (4, "id"),
        (5, "id"),
        (6, "empty-topic"),
        (7, "type"),
        (8, "json"),
        (9, "json"),
        (10, "json"),
        (11, "encoding"),
        (12, "nul"),
        (13, "id"),
        (14, "type"),
    ]


def test_json_that_is_nested_too_deeply_is_one_error() -> None:
    assert errors('{"id": ' + "[" * 100_000) == [(1, "json")]
    assert errors("[" * 100_000) == [(1, "json")]


# Lines


def test_quotes_in_lines_are_characters() -> None:
    assert read('121352\tdefine "extreme\n5\t"quoted" title\n') == (
        Topic("121352", 'define "extreme'),
        Topic("5", '"quoted" title'),
    )


def test_a_header_names_the_columns() -> None:
    assert read("qid\ttitle\tother\tnarrative\n1\ta\tx y\tn\n") == (Topic("1", "a", "", "n\n\nOther: x y"),)
    # A query beside a title is none of the narrative's business, but not lost either.
    assert read("qid\ttitle\tQuery\n1\ta\tb c\n") == (Topic("1", "a", "", "Query: b c"),)


def test_lines_of_csv_with_a_colon_are_refused_with_the_cause() -> None:
    with pytest.raises(InvalidInput) as refused:
        read('1,foo: a bar\n"2",b: c\n3:d,e\n')
    comma, mark = refused.value.findings
    assert comma.message == 'the id "1,foo" before the colon has a comma: the file looks like CSV'
    assert (mark.line, "has a quotation mark" in mark.message, "tabs" in mark.remedy) == (2, True, True)
    assert read("web,1\ta: b\n") == (Topic("web,1", "a: b"),)
    assert read("id\tquery\n1\ta\n") == (Topic("1", "a"),)
    # Without a name that is known for the second column this is a topic like others.
    assert read("id\tcards\n1\ta\n") == (Topic("id", "cards"), Topic("1", "a"))


def test_topics_of_the_web_tracks_have_a_colon() -> None:
    assert read("wt09-1:obama family tree\nwt09-2: french: lick \n") == (
        Topic("wt09-1", "obama family tree"),
        Topic("wt09-2", "french: lick"),
    )


def test_all_errors_of_lines_are_told() -> None:
    content = "1\ta\n1\tb\n2\n\tc\n3 4\td\n5\t \n6\ta\tb\tc\td\n"
    assert errors(content) == [
        (2, "duplicate"),
        (3, "columns"),
        (4, "id"),
        (5, "id"),
        (6, "empty-topic"),
        (7, "columns"),
    ]


@pytest.mark.parametrize("content", ["", "\n \n", "id\ttitle\n"])
def test_a_file_without_topics_is_refused(content: str) -> None:
    assert errors(content) == [(None, "empty")]


# Lists of ids


def test_ids_come_from_topics_or_from_a_plain_list() -> None:
    for content in ("051\nMB1\n", "051\r\n\r\nMB1", "051\ta\nMB1\tb\n", gzip.compress(b"051\nMB1\n")):
        assert read_topic_ids(stream(content), source="t") == ("051", "MB1")
    for content in IN_EVERY_FORMAT.values():
        assert read_topic_ids(stream(content), source="t") == ("508",)
    with pytest.raises(InvalidInput):
        read_topic_ids(stream("401 402\n"), source="t")


JSON_SUBTOPICS = b'{"id": "1", "title": "x", "subtopics": ["height", {"number": 7, "text": " time  of day"}]}'
XML_SUBTOPICS = (
    b'<topics><topic number="1"><query>x</query><description>d</description>'
    b'<subtopic number="1" type="inf">height</subtopic><subtopic number="7"> time\nof day</subtopic>'
    b"</topic></topics>"
)


@pytest.mark.parametrize("content", [JSON_SUBTOPICS, XML_SUBTOPICS])
def test_subtopics_come_with_their_ids_or_are_numbered(content: bytes) -> None:
    [topic] = read(content)
    assert topic.subtopics == (("1", "height"), ("7", "time of day"))


@pytest.mark.parametrize(
    ("subtopics", "said"),
    [
        ('"height"', "the subtopics are not a list"),
        ("[1.5, [2]]", "subtopic 2 is not text"),
        ('[{"id": "a b", "label": "x"}]', 'the id "a b" contains white space or invisible characters'),
        ('[{"id": "2", "label": "x"}, "y"]', 'two subtopics are called "2"'),
        ('[" "]', 'subtopic "1" has no label'),
        (str(["x"] * 101).replace("'", '"'), "the topic has 101 subtopics"),
    ],
)
def test_subtopics_that_cannot_be_ticked_are_refused(subtopics: str, said: str) -> None:
    line = f'{{"id": "1", "title": "x", "subtopics": {subtopics}}}'
    with pytest.raises(InvalidInput) as error:
        read(line)
    assert said in [finding.message for finding in error.value.findings]


def test_judgments_of_subtopics_are_written_as_ndeval_reads_them() -> None:
    lines = [("2", "1", "b", 0), ("1", "2", "a", 1), ("1", "1", "b", 1), ("1", "1", "a", 0)]
    written = b"".join(write_subtopic_qrels(lines))
    assert written == b"1 1 a 0\n1 1 b 1\n1 2 a 1\n2 1 b 0\n"
