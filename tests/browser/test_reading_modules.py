"""The scripts of reading, each by itself in a page of its own: words, hits, passages, offsets, painting."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.scripts import run


def hits(page: Page, title: str, text: str, own: list[str] | None = None, description: str = "") -> list[str]:
    """The pieces of a text that are hits; those of own words with the number of the word."""
    found: list[str] = run(
        page,
        "reading/terms",
        """
        const { Hits } = await import('/static/reading/hits.js');
        const matcher = new m.Matcher(m.topicTerms(given.title, given.description), given.own);
        const hits = new Hits();
        for (let at = 0; at >= 0; ) at = matcher.scan(given.text, at, 3, (...hit) => hits.add(...hit));
        return hits.starts.map((start, index) => {
          const { own } = matcher.terms[hits.terms[index]];
          return (own ? `${own}:` : '') + given.text.slice(start, hits.ends[index]);
        });
        """,
        {"title": title, "text": text, "own": own or [], "description": description},
    )
    return found


def test_words_are_folded_and_stemmed_as_published(modules: Page) -> None:
    folded = run(
        modules,
        "reading/folding",
        "return given.map(m.fold)",
        ["Café", "STRASSE", "straße", "ΣΟΦΌΣ", "İzmir", "Ærø", "شَعْر", "soft\u00adhyphen", "हिन्दी", "が"],
    )
    assert folded == [
        "cafe",
        "strasse",
        "strasse",
        "σοφοσ",
        "izmir",
        "aero",
        "شعر",
        "softhyphen",
        "हिन्दी",
        "が",
    ]
    # D. Harman 1991, table 1: the rules and their exceptions.
    plurals = {
        "queries": "query", "eies": "eies", "aies": "aies", "breakfasts": "breakfast", "horses": "horse",
        "toes": "toes", "trees": "trees", "class": "class", "corpus": "corpus", "gas": "gas",
    }  # fmt: skip
    assert run(modules, "reading/folding", "return given.map(m.withoutS)", list(plurals)) == list(
        plurals.values()
    )
    same = [
        ("en", "smokes", "smoked", "smoking", "smoke"), ("en", "cutting", "cut"), ("en", "baked", "baking"),
        ("de", "kranken", "kranke", "krankes"), ("fr", "chevaux", "cheval"),
        ("es", "enfermedades", "enfermedad"),
        ("", "والشعر", "الشعر", "شعر"),
    ]  # fmt: skip
    for language, *forms in same:
        stems = run(
            modules, "reading/folding", f"return given.map((one) => m.stem(one, '{language}'))", forms
        )
        assert len(set(stems)) == 1, stems
    apart = ["string", "strong", "speed", "spe", "thing", "the"]
    assert (
        len(set(run(modules, "reading/folding", "return given.map((one) => m.stem(one, 'en'))", apart))) == 6
    )


def test_hits_of_the_topic_in_many_scripts(modules: Page) -> None:
    assert hits(modules, "Hair loss as a symptom", "The HAIR was lost; losses, a symptom's hairs.") == [
        "HAIR", "losses", "symptom", "hairs"
    ]  # fmt: skip
    # What a statement says of documents is no subject of it; in a title it is.
    assert hits(modules, "Tides", "documents find tides", description="Find documents on the tide.") == [
        "tides"
    ]
    assert hits(modules, "The documents", "A document.") == ["document"]
    assert hits(modules, "To be or not to be", "to be") == ["to", "be"]
    assert hits(modules, "脱毛の症状", "甲状腺の脱毛は症状。") == ["脱毛", "症状"]
    assert hits(modules, "تساقط الشعر", "والشعر يتساقط") == ["والشعر"]
    assert hits(modules, "갑상선", "갑상선이 느리다") == ["갑상선이"]
    german = hits(modules, "Größe der Häuser und der Gärten", "grosse GRÖSSE, das Haus im Garten")
    assert german == ["grosse", "GRÖSSE", "Haus", "Garten"]
    assert hits(modules, "café", "CAFE\u0301 and cafés") == ["CAFE\u0301", "cafés"]


def test_own_words_come_before_the_topics_and_may_be_several_in_a_row(modules: Page) -> None:
    found = hits(modules, "hair loss", "Hair losses and hair. Thyroids, thy.", ["hair loss", "thyr*"])
    assert found == ["1:Hair losses", "hair", "2:Thyroids"]
    assert hits(modules, "hair", "hairs", ["Hair"]) == ["1:hairs"]
    assert hits(modules, "x", "a b c d e f", list("abcdef")) == ["1:a", "2:b", "3:c", "4:d", "5:e"]
    assert hits(modules, "x", "脱毛症 毛", ["毛"]) == ["1:毛", "1:毛"]


def test_words_toggle_up_to_five(modules: Page) -> None:
    toggled = "return m.toggled(given[0], given[1])"
    assert run(modules, "reading/own_words", toggled, [["tide"], " high  water "]) == ["tide", "high water"]
    assert run(modules, "reading/own_words", toggled, [["tide", "Café"], "CAFE"]) == ["tide"]
    assert run(modules, "reading/own_words", toggled, [list("abcde"), "f"]) is None
    assert run(modules, "reading/own_words", toggled, [["a"], " !"]) == ["a"]


def test_keys_follow_the_desks_map(modules: Page) -> None:
    keys = "return m.keysOf(given)"
    usual = {"n": "next", "p": "previous", "h": "words", "a": "toggle"}
    assert run(modules, "reading/keys", keys, None) == usual
    assert run(modules, "reading/keys", keys, "{broken") == usual
    mapped = '{"grades": {"0": "0"}, "commands": {"next_hit": "J", "previous_hit": "", "highlight": "w"}}'
    assert run(modules, "reading/keys", keys, mapped) == {"j": "next", "w": "words", "a": "toggle"}


def test_the_best_passage_has_most_distinct_and_rarest_terms(modules: Page) -> None:
    # Terms 0, 0, 0 at the start; 0, 1 in the middle; 1, 2 close together at the end: each window of 100.
    places = [[0, 0], [20, 0], [40, 0], [500, 0], [560, 1], [900, 1], [930, 2]]
    found = run(
        modules,
        "reading/passages",
        """
        const { Hits } = await import('/static/reading/hits.js');
        const hits = new Hits();
        for (const [start, term] of given) hits.add(start, start + 5, term);
        const weights = m.weightsOf([{ weight: 1 }, { weight: 1 }, { weight: 1 }], [4, 2, 1]);
        const all = [];
        for (const step of m.windows(hits, weights, 100, all)) void step;
        return [weights, m.bestWindows(hits, all)];
        """,
        places,
    )
    weights, best = found
    # ln(1 + 7/4), ln(1 + 7/2), ln(1 + 7/1)
    assert weights == pytest.approx([1.0116, 1.5041, 2.0794], abs=1e-4)
    assert [(one["start"], one["end"]) for one in best] == [(900, 935), (500, 565), (0, 45)]
    # Each once: tf/(tf + 1.2) = 1/2.2; three times: 3/4.2.
    assert best[0]["worth"] == pytest.approx((1.5041 + 2.0794) / 2.2, abs=1e-3)
    assert best[2]["worth"] == pytest.approx(1.0116 * 3 / 4.2, abs=1e-3)


def test_passages_begin_and_end_at_sentences(modules: Page) -> None:
    text = "First one. The hair of Dr. Smith was lost. Third. Fourth."
    start = text.index("hair")
    at = run(
        modules,
        "reading/passages",
        "return m.atSentences(given[0], given[1], given[2])",
        [text, start, start + 4],
    )
    assert text[at["from"] : at["to"]].startswith("The hair of Dr.")
    assert not at["cutBefore"]
    assert not at["cutAfter"]
    japanese = "一つ目。髪が抜ける。三つ目。"
    at = run(modules, "reading/passages", "return m.atSentences(given, 4, 5)", japanese)
    assert japanese[at["from"] : at["to"]] == "髪が抜ける。"
    # A sentence without end is cut between words, and that is told.
    endless = "word " * 2000
    at = run(modules, "reading/passages", "return m.atSentences(given, 5000, 5004)", endless)
    assert (at["cutBefore"], at["cutAfter"]) == (True, True)
    assert endless[at["from"] : at["to"]].startswith("word")
    assert 200 < at["to"] - at["from"] < 600


TEXT = """
const root = document.querySelector('.text');
const text = new m.DocumentText(root);
for (const step of text.read()) void step;
"""


def test_offsets_are_those_of_the_text_and_come_back(modules: Page) -> None:
    found = run(
        modules,
        "reading/text",
        TEXT
        + """
        const content = root.textContent;
        const start = content.indexOf('thyroid');
        const found = text.staticRange(start, start + 7);
        const range = document.createRange();
        range.setStart(found.startContainer, found.startOffset);
        range.setEnd(found.endContainer, found.endOffset);
        return {
          same: text.length === content.length && text.slice(0, text.length) === content,
          quote: range.toString(),
          back: [
            text.offsetOf(range.startContainer, range.startOffset),
            text.offsetOf(range.endContainer, range.endOffset),
          ],
          start,
          runs: text.runs.map((run) => text.textOf(run)),
          ofElement: text.offsetOf(root.querySelector('ul'), 1) === content.indexOf('loss'),
          afterAll: text.offsetOf(root, root.childNodes.length) === content.length,
        };
        """,
    )
    assert found["same"]
    assert found["quote"] == "thyroid"
    assert found["back"] == [found["start"], found["start"] + 7]
    assert found["runs"] == ["One thyroid, two.", "hair", "loss", "Last."]
    assert found["ofElement"]
    assert found["afterAll"]


def test_what_is_read_ahead_is_what_is_read_at_once_and_follows_own_words(modules: Page) -> None:
    found = run(
        modules,
        "reading/analysis",
        """
        const { topicTerms } = await import('/static/reading/terms.js');
        const topic = topicTerms("thyroid hair", "");
        const article = document.querySelector("article").cloneNode(true);
        const words = ["loss"];
        m.analyseAhead(article, topic, words);
        await new Promise((resolve) => setTimeout(resolve, 50));
        const take = (words) => new Promise((resolve) => {
          const one = m.analysisOf(article, article.querySelector(".text"), topic, words);
          const known = Boolean(one.counts);
          one.finish(() => resolve([known, one.hits.starts, one.counts]), new AbortController().signal);
        });
        const ahead = await take(words);
        const again = await take(words);
        m.analyseAhead(article, topic, words);
        return [ahead, again, await take([])];
        """,
    )
    ahead, again, without = found
    assert ahead[1:] == again[1:]
    assert (ahead[0], again[0], without[0]) == (True, False, False)
    # "One thyroid, two." "hair" "loss" "Last."; own words come first among the terms.
    assert ahead[1] == [4, 17, 21]
    assert without[1] == [4, 17]


def test_own_words_are_sent_again_after_a_failure_and_the_trouble_is_taken_back(modules: Page) -> None:
    sent, told, then = run(
        modules,
        "reading/own_words",
        """
        document.body.insertAdjacentHTML("beforeend",
          '<div id="words" popover><form><input></form><output></output></div>');
        const kept = window.fetch;
        const sent = [];
        let works = true;
        window.fetch = async (_, { body }) => {
          sent.push(JSON.parse(body).words.join(" "));
          if (!works) throw new TypeError("the answer did not come");
          return new Response(null, { status: 204 });
        };
        const own = new m.OwnWords({ words: [], address: "/words" }, () => {});
        const toggle = async (word, how) => {
          works = how;
          own.toggle(word);
          await own.sending;
          return own.output.value;
        };
        const told = [await toggle("tide", true), await toggle("moon", false), await toggle("moon", true)];
        await toggle("sun", false);
        works = true;
        dispatchEvent(new Event("online"));
        await own.sending;
        window.fetch = kept;
        return [sent, told, own.output.value];
        """,
    )
    # The server may have "tide moon": that it had "tide" before does not save what was taken away.
    assert sent == ["tide", "tide moon", "tide", "tide sun", "tide sun"]
    trouble = "These words could not be saved yet; they are used here meanwhile."
    assert told == ["Added.", trouble, "Removed."]
    assert then == ""
