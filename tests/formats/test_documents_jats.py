"""Articles in JATS and in the Washington Post's JSON as HTML with their structure; hostile XML."""

from __future__ import annotations

import gzip
import io
import json

import pytest

from workbench.errors import InvalidInput
from workbench.formats.documents import read_documents
from workbench.formats.recognition import FileKind, recognised
from workbench.records import Document

DOCTYPE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal '
    'Archiving and Interchange DTD v1.2 20190208//EN" "JATS-archivearticle1.dtd">\n'
)
ARTICLE = """<article xmlns:mml="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink"
 article-type="research-article"><front>
<journal-meta><journal-title-group><journal-title>Tides</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmid">77</article-id><article-id pub-id-type="pmc">PMC12</article-id>
<title-group><article-title>High &amp; low<xref>1</xref>
 water</article-title></title-group>
<contrib-group><contrib contrib-type="author">
<name><surname>Quist</surname><given-names>Ada</given-names></name>
</contrib></contrib-group><pub-date><year>2024</year></pub-date>
<abstract><p>Short.</p></abstract></article-meta></front>
<body><sec><label>1</label><title>Method</title><p>We <italic>saw</italic> x&nbsp;&lt; 3
 <inline-formula><mml:math
 display="inline"><mml:mfrac><mml:mi>a</mml:mi><mml:mn>2</mml:mn></mml:mfrac></mml:math>
</inline-formula>.</p><sec><title>Inner</title><list list-type="order">
<list-item><p>one</p></list-item></list></sec>
<table-wrap><label>Table 1</label><caption><p>Levels.</p></caption><alternatives>
<graphic xlink:href="t1.jpg"/>
<table><tr><td colspan="2">both</td></tr></table></alternatives></table-wrap>
<fig><label>Fig 1</label><caption><title>A gauge</title></caption>
<graphic xlink:href="f1.jpg"/></fig><boxed-text><title>Aside</title></boxed-text></sec>
<boxed-text><title>Key points</title><p>Two.</p></boxed-text></body>
<back><ref-list><ref><element-citation>
<name><surname>Doodson</surname></name><year>1921</year></element-citation>
</ref></ref-list></back></article>"""


def read(content: str | bytes) -> list[Document]:
    stored = content.encode() if isinstance(content, str) else content
    return list(read_documents(io.BytesIO(stored), source="f"))


def codes(content: str | bytes) -> list[str]:
    with pytest.raises(InvalidInput) as refused:
        read(content)
    return [finding.code for finding in refused.value.findings]


def test_an_article_keeps_its_structure() -> None:
    (found,) = read(DOCTYPE + ARTICLE)
    assert (found.docno, found.title) == ("PMC12", "High & low water")
    # By hand, in the order of the article: each of its parts once.
    parts = (
        "<p>Ada Quist</p>",
        "<p>Tides, 2024</p>",
        "<h2>Abstract</h2>\n<p>Short.</p>",
        "<h2>1 Method</h2>",
        "We <i>saw</i> x\N{NO-BREAK SPACE}&lt; 3",
        '<math display="inline"><mfrac><mi>a</mi><mn>2</mn></mfrac></math>',
        "<h3>Inner</h3>\n<ol>\n<li><p>one</p>\n</li>\n</ol>",
        "<p><b>Table 1</b> Levels.</p>",
        '<table><tr><td colspan="2">both</td></tr></table>',
        '<img data-part="figure" src="f1.jpg" alt="f1.jpg">',
        "<h3>Aside</h3>",
        "<h2>Key points</h2>\n<p>Two.</p>",
        "<h2>References</h2>\n<ol><li>Doodson 1921</li>\n</ol>",
    )
    places = [found.text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)
    assert "t1.jpg" not in found.text  # the table itself is there
    assert read(gzip.compress((DOCTYPE + ARTICLE).encode())) == [found]
    assert recognised((DOCTYPE + ARTICLE).encode()).kind is FileKind.DOCUMENTS


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<p>a<break/>b</p>", "<p>a<br>b</p>"),
        ("<p>a<object-id>77</object-id>b</p>", "<p>ab</p>"),
        ("<list-item><label>(1)</label><p>one</p></list-item>", "(1) <p>one</p>"),
        (
            '<p><ext-link xlink:href="https://example.org/?a&amp;b">there</ext-link></p>',
            '<p><a href="https://example.org/?a&amp;b">there</a></p>',
        ),
        ('<p><ext-link xlink:href="javascript:alert(1)">there</ext-link></p>', "<p>there</p>"),
        (
            "<alternatives><graphic xlink:href='f.jpg'/><tex-math>x &lt; 3</tex-math></alternatives>",
            "<code>x &lt; 3</code>",
        ),
        (
            '<alternatives><graphic xlink:href="f.jpg"><alt-text>A gauge</alt-text></graphic></alternatives>',
            '<img data-part="figure" src="f.jpg" alt="A gauge">',
        ),
        ("<p>a<alternatives></alternatives>b</p>", "<p>ab</p>"),
        ("<fig><graphic xlink:href='g.jpg'/></fig>", '<img data-part="figure" src="g.jpg" alt="g.jpg">'),
        ("<fig><label>Fig 2</label><p>No caption.</p></fig>", "<p><b>Fig 2</b></p>\n<p>No caption.</p>"),
    ],
)
def test_elements_of_an_article_are_shown_as_a_page_can(written: str, shown: str) -> None:
    (found,) = read(DOCTYPE + ARTICLE.replace("<body>", f"<body>{written}"))
    assert shown in found.text


def test_several_articles_in_a_file_each_need_an_id() -> None:
    other = ARTICLE.replace("PMC12", "PMC13").replace("77", "78")
    both = f"<pmc-articleset>{ARTICLE}{other}</pmc-articleset>"
    assert [one.docno for one in read(both)] == ["PMC12", "PMC13"]
    assert codes(f"<pmc-articleset>{ARTICLE}{ARTICLE}</pmc-articleset>") == ["duplicate"]
    assert codes(ARTICLE.replace("article-id", "article-no")) == ["id"]


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE article [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        '<!DOCTYPE article [<!ENTITY file SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE article [<!ENTITY % remote SYSTEM "http://127.0.0.1:9/x.dtd"> %remote;]>',
    ],
)
def test_entities_that_a_file_declares_are_refused(doctype: str) -> None:
    assert codes(doctype + ARTICLE) == ["xml"]


def test_broken_and_endless_xml_is_refused() -> None:
    assert codes(DOCTYPE + ARTICLE[:-30]) == ["xml"]
    assert codes(DOCTYPE + "<article>" + "<sec>" * 100_000) == ["xml"]


def test_a_page_of_the_web_is_no_article() -> None:
    assert recognised(b"<article><h1>News</h1></article>").kind is FileKind.UNKNOWN


NEWS = {
    "id": "b2e8",
    "article_url": "https://example.org/x",
    "title": "High water at noon",
    "author": "Ada Quist",
    "published_date": 1325376562000,
    "contents": [
        {"content": "Local", "mime": "text/plain", "type": "kicker"},
        {"content": "High water at noon", "mime": "text/plain", "type": "title"},
        {"content": 1325376562000, "mime": "text/plain", "type": "date"},
        None,
        {"content": "By Ada <Quist>", "mime": "text/plain", "type": "byline"},
        {
            "fullcaption": "The quay",
            "imageURL": "https://example.org/i.jpg",
            "mime": "image/jpeg",
            "type": "image",
        },
        {"content": "It <b>rose</b>.", "subtype": "paragraph", "type": "sanitized_html", "mime": "text/html"},
    ],
}


def test_an_article_of_the_washington_post_is_its_parts_in_their_order() -> None:
    (found,) = read(json.dumps(NEWS) + "\n")
    assert found == Document(
        "b2e8",
        "High water at noon",
        "<p><b>Local</b></p>\n<p>By Ada &lt;Quist&gt;</p>\n"
        '<p><img alt="The quay"></p>\n<p>It <b>rose</b>.</p>',
    )
    assert recognised(json.dumps(NEWS).encode()).kind is FileKind.DOCUMENTS
    (untitled,) = read(json.dumps(NEWS | {"title": None}) + "\n")
    assert untitled.title == ""
