"""What is doubtful in a run that is accepted: one warning a kind, with its share and its first line."""

from __future__ import annotations

from typing import Unpack

import pytest

from tests.formats.strategies import Expected, read_as, stream
from workbench.errors import Severity


def warnings(content: str, **expected: Unpack[Expected]) -> dict[str, tuple[int | None, str]]:
    reading = read_as(stream(content), source="r", **expected)
    assert all(finding.severity is Severity.WARNING and finding.remedy for finding in reading.findings)
    found = {finding.code: (finding.line, finding.message) for finding in reading.findings}
    assert len(found) == len(reading.findings)
    return found


def test_a_flawless_run_has_no_warnings() -> None:
    assert warnings("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", topics=["1"], file_stem="t") == {}


def test_ranks_that_nearly_all_contradict_the_scores_are_asked_about() -> None:
    # By rank every score but the first is higher than the one before: 11 of 12 lines.
    lines = [f"1 Q0 d{rank} {rank} {rank}.5 t\n" for rank in range(1, 13)]
    asked = "the score is higher than at the rank before: are these distances? (11 of 12 lines in 1 topic)"
    assert warnings("".join(lines)) == {"distances": (2, asked)}
    # Two of eleven neighbours in order: 9 are under nine in ten, and it may be an accident.
    some = "".join(lines).replace(" 4.5 ", " 99 ").replace(" 8.5 ", " 98 ")
    assert set(warnings(some)) == {"rank-order"}


def test_ranks_may_start_at_0() -> None:
    # Eleven of the runs that contributed to TREC-COVID's first pool do.
    assert warnings("1 Q0 a 0 2 t\n1 Q0 b 1 1 t\n") == {}


@pytest.mark.parametrize("rank", ["1.0", "-4", "1-2", "first", "+1", "1_0", "9" * 30, "²"])
def test_a_rank_that_is_no_whole_number_is_told(rank: str) -> None:
    assert warnings(f"1 Q0 a 1 2 t\n1 Q0 b {rank} 1 t\n") == {
        "rank": (2, "the rank is not a whole number of 0 or more (1 of 2 lines in 1 topic)")
    }


def test_a_rank_that_contradicts_the_scores_is_told() -> None:
    # By rank: a (1), b (3), c (2): b and then c score more than the one before.
    content = "1 Q0 a 1 1 t\n1 Q0 c 3 2 t\n1 Q0 b 2 3 t\n2 Q0 a 1 2 t\n2 Q0 b 2 1 t\n2 Q0 c 3 0 t\n"
    assert warnings(content) == {
        "rank-order": (3, "the rank contradicts the order of the scores (1 of 6 lines in 1 topic)")
    }


def test_the_order_of_the_lines_is_not_the_rank() -> None:
    assert warnings("1 Q0 b 2 1 t\n1 Q0 a 1 2 t\n") == {}


def test_a_rank_given_twice_is_told_and_is_no_contradiction() -> None:
    assert warnings("1 Q0 b 1 1 t\n1 Q0 a 1 2 t\n2 Q0 b 1 1 t\n2 Q0 a 1 2 t\n") == {
        "rank-repeated": (
            2,
            "the rank was given to another document of the topic (2 of 4 lines in 2 topics)",
        )
    }


def test_the_share_of_tied_scores_is_told() -> None:
    # Topic 1: b and c tie, as do d and e; -0 and 0 are one score. Topic 2 has the same scores, but no tie.
    content = (
        "1 Q0 a 1 9 t\n1 Q0 b 2 5 t\n1 Q0 c 3 5.0 t\n1 Q0 d 4 0 t\n1 Q0 e 5 -0.0 t\n"
        "2 Q0 a 1 9 t\n2 Q0 b 2 8 t\n2 Q0 c 3 7 t\n2 Q0 d 4 6 t\n2 Q0 e 5 5 t\n"
    )
    assert warnings(content) == {
        "ties": (2, "another document of the topic has the same score (4 of 10 lines in 1 topic)")
    }


def test_scores_that_single_precision_merges_are_told() -> None:
    # 1.00000001 and 1 are one number in 24 bits: trec_eval before 2023 and pytrec_eval take them for a tie.
    assert warnings("1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1.0 t\n1 Q0 c 3 .5 t\n") == {
        "near-ties": (
            1,
            "another document of the topic has the same score in single precision (2 of 3 lines in 1 topic)",
        )
    }
    # Beyond single precision's range both become infinite.
    assert list(warnings("1 Q0 a 1 1e300 t\n1 Q0 b 2 1e200 t\n")) == ["near-ties"]


def test_a_second_column_other_than_q0_is_told() -> None:
    assert warnings("1 Q0 a 1 2 t\n1 0 b 2 1 t\n1 q0 c 3 0 t\n") == {
        "second-column": (2, "the second column is not Q0 (2 of 3 lines)")
    }


def test_long_tags_and_tags_of_other_files_are_told() -> None:
    long = "a" * 21
    assert warnings(f"1 Q0 a 1 2 {long}\n", file_stem="b") == {
        "tag-length": (None, f'the tag "{long}" has 21 characters'),
        "tag-name": (None, f'the tag "{long}" is not the name of the file'),
    }
    assert warnings(f"1 Q0 a 1 2 {long[1:]}\n", file_stem=long[1:]) == {}


def test_a_tag_with_other_characters_than_trec_takes_is_told() -> None:
    assert warnings("1 Q0 a 1 2 bm25.k1=2\n") == {
        "tag-characters": (None, 'the tag "bm25.k1=2" contains ".="')
    }


def test_ids_that_look_alike_are_told() -> None:
    # The e with an acute accent as one character, and as an e and an accent.
    assert warnings("1 Q0 caf\u00e9 1 2 t\n1 Q0 cafe\u0301 2 1 t\n") == {
        "docnos-alike": (2, 'document "cafe\u0301" looks like another of topic "1", but its bytes differ')
    }
    assert warnings("1 Q0 caf\u00e9 1 2 t\n2 Q0 cafe\u0301 1 1 t\n") == {}
    assert warnings("01 Q0 a 1 2 t\n1 Q0 a 1 1 t\n3 Q0 a 1 1 t\n001 Q0 a 1 1 t\n") == {
        "topics-alike": (None, 'topics "01", "1", "001" could be the same one')
    }


def test_topics_without_documents_are_told() -> None:
    content = "3 Q0 a 1 2 t\n"
    assert warnings(content, topics=[str(n) for n in range(1, 9)]) == {
        "topics-missing": (None, '7 topics of 8 without documents: "1", "2", "4", "5", "6" and 2 more')
    }


def test_topics_with_fewer_documents_than_the_largest_are_told() -> None:
    content = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n1 Q0 c 3 0 t\n2 Q0 a 1 2 t\n3 Q0 a 1 2 t\n3 Q0 b 2 1 t\n"
    assert warnings(content) == {
        "short-topics": (None, '2 topics of 3 with fewer than 3 documents; topic "2" has 1')
    }
