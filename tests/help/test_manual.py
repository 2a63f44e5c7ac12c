"""The manual is whole: every page is in order, every link arrives, and nothing of the program is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from tests.tree import ROOT, project_files
from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.weights import WEIGHTS
from workbench.cli.main import workbench
from workbench.consensus.rules import PARAMETERS, RULES
from workbench.errors import NotFound
from workbench.formats.documents import DOCUMENT_FORMATS
from workbench.formats.run_rules import CODES
from workbench.formats.topics import TOPIC_FORMATS
from workbench.help.generated import GENERATED, VARIABLES, fill_in
from workbench.help.manual import Page, Reader, by_reader, neighbours, page_for, page_named, pages, read_page
from workbench.help.search import page_html, sections, terminal_markdown
from workbench.pooling.strategies import ALL_STRATEGIES
from workbench.records import SCALES, TieRule
from workbench.storage.engine import KEPT_CONNECTIONS
from workbench.web.pages.adjudication import OWN_KEYS
from workbench.workflow.judging.desk_settings import COMMANDS
from workbench.workflow.people.membership import Role
from workbench.workflow.worker import AT_ONCE

WORDS = range(120, 1001)
PICTURES = ROOT / "static" / "help"
LARGEST_PICTURE = 150 * 1024
LINK = re.compile(r"\[[^\]]+\]\(([^)]+)\)")
# Plain words instead of these; `page` and `place` are no prose.
BANNED = re.compile(r"\b(reckon\w*|mend\w*|voices?|taken along|judge" + r"ment\w*)\b", re.IGNORECASE)


def filled_in(page: Page) -> str:
    return fill_in(page.text)


def everything() -> str:
    return "\n".join(filled_in(page) for page in pages())


def html(page: Page) -> str:
    return page_html(
        page, address=lambda name, anchor: f"/help/{name}#{anchor}", picture=lambda name: f"/pictures/{name}"
    )


NAMED = re.compile(r"(?:workbench |`)campaign +([a-z-]+)(?: ([a-z-]+))?")


def every_command(group: click.Group, path: str = "workbench") -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from every_command(command, f"{path} {name}")
        else:
            yield f"{path} {name}"


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_page_has_a_natural_length_and_no_title_of_its_own(page: Page) -> None:
    assert len(page.text.split()) in WORDS
    assert not re.search(r"^# ", page.text, re.MULTILINE)
    assert page.summary.endswith((".", "?"))


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_page_is_written_in_plain_words(page: Page) -> None:
    assert BANNED.findall(page.text) == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_link_of_a_page_arrives(page: Page) -> None:
    for target in LINK.findall(filled_in(page)):
        if target.startswith("https://") or target.endswith(".webp"):
            continue
        name, _, anchor = target.partition("#")
        assert name.endswith(".md"), target
        there = page_named(name.removesuffix(".md"))
        if anchor:
            assert anchor in {one.anchor for one in sections(there)}, target


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_headings_of_a_page_have_anchors_of_their_own(page: Page) -> None:
    anchors = [one.anchor for one in sections(page)]
    assert len(anchors) == len(set(anchors))
    assert anchors[0] is None
    assert all(f'id="{anchor}"' in html(page) for anchor in anchors[1:])


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_page_as_html_keeps_to_the_policy_of_the_pages(page: Page) -> None:
    shown = html(page)
    assert "style=" not in shown
    assert "{{" not in shown
    assert ".md" not in re.sub(r"<code>.*?</code>", "", shown)


def test_pictures_are_there_in_light_and_dark_and_none_is_large_or_unused() -> None:
    used = {found for page in pages() for found in re.findall(r"/pictures/([a-z-]+\.webp)", html(page))}
    assert used == {path.name for path in PICTURES.iterdir()}
    large = {path.name for path in PICTURES.iterdir() if path.stat().st_size > LARGEST_PICTURE}
    assert large == set()


def test_every_reader_has_pages_and_their_order_has_no_ties() -> None:
    assert {reader for reader, _ in by_reader()} == set(Reader)
    for _, found in by_reader():
        assert len({page.order for page in found}) == len(found)


def test_neighbours_lead_through_all_pages_once() -> None:
    every = pages()
    before, page = None, every[0]
    walked = [page]
    while True:
        assert neighbours(page)[0] == before
        following = neighbours(page)[1]
        if following is None:
            break
        before, page = page, following
        walked.append(page)
    assert tuple(walked) == every


def test_no_part_of_the_product_is_explained_by_two_pages() -> None:
    named = [name for page in pages() for name in page.opened_from]
    assert len(named) == len(set(named))
    assert page_for(None) is None
    assert page_for("nothing.index") is None
    assert page_for("agreement_topics.index") == page_named("agreement")


def test_a_page_that_is_not_there_is_refused_with_similar_names() -> None:
    with pytest.raises(NotFound, match="agreement"):
        page_named("agrement")
    assert page_named("Judging").name == "judging"


def test_a_page_without_a_proper_head_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with"):
        read_page("new", "---\ntitle: New\n---\ntext")


@pytest.mark.parametrize("name", GENERATED)
def test_every_generated_table_stands_in_a_page(name: str) -> None:
    assert any(f"{{{{ {name} }}}}" in page.text for page in pages())
    assert GENERATED[name]()


def test_every_pooling_strategy_and_its_parameters_are_explained() -> None:
    shown = filled_in(page_named("strategies"))
    for strategy in ALL_STRATEGIES.values():
        assert f"| `{strategy.name}` | {strategy.help} |" in shown
        assert all(f"`{one.name.replace('_', '-')}`" in shown for one in strategy.parameters)


def test_every_coefficient_and_weighting_is_explained() -> None:
    shown = filled_in(page_named("agreement"))
    for method in COEFFICIENTS.values():
        assert f"| {method.label} | `{method.name}` |" in shown
    assert all(f"`{name}`" in shown for name in WEIGHTS)


def test_every_consensus_rule_and_its_parameters_are_explained() -> None:
    shown = filled_in(page_named("consensus"))
    assert all(f"`{rule.name}` | {rule.help}" in shown for rule in RULES.values())
    assert all(f"| `{one.name}` | {one.help} |" in shown for one in PARAMETERS.values())


def test_every_format_finding_scale_tie_rule_and_role_is_explained() -> None:
    shown = everything()
    names = [*TOPIC_FORMATS, *DOCUMENT_FORMATS, *CODES, *SCALES, *TieRule]
    assert [name for name in names if f"`{name}`" not in shown] == []
    assert [role for role in Role if f"| {role} |" not in shown] == []


def test_every_key_of_the_desks_is_explained() -> None:
    judging, adjudicating = filled_in(page_named("judging")), filled_in(page_named("adjudication"))
    for command in COMMANDS:
        assert f"| [[{command.key.upper()}]] | {command.meaning} |" in judging
    assert all(f"[[{key.upper()}]]" in adjudicating for key in OWN_KEYS.values())


def test_every_command_is_listed() -> None:
    shown = filled_in(page_named("commands"))
    for command in every_command(workbench):
        _, *rest = command.split()
        short = " ".join(rest[1:] if rest[0] == "campaign" else rest)
        listed = f"`{short}" in shown or f"`workbench {short}" in shown or f"`{rest[-1]}`" in shown
        assert listed, f"the page on commands does not list {command!r}"


def test_no_command_is_named_that_does_not_exist() -> None:
    known = {command.removeprefix("workbench campaign ") for command in every_command(workbench)}
    groups = {one.split()[0] for one in known if " " in one}
    for path in project_files():
        if path.suffix in {".py", ".md", ".html"} and path.parts[0] in {
            "workbench",
            "templates",
            "README.md",
        }:
            for name, part in NAMED.findall((ROOT / path).read_text("utf-8")):
                assert name in groups or name in known, f"{path} names `campaign {name}`"
                assert name not in groups or not part or f"{name} {part}" in known, f"{path}: {name} {part}"


def test_every_environment_variable_is_explained() -> None:
    shown = filled_in(page_named("environment"))
    assert [one.name for one in VARIABLES if f"| `{one.name}` | {one.default} |" not in shown] == []


def test_the_connections_to_postgresql_are_those_that_a_server_and_its_worker_may_open() -> None:
    # The first as many more as it keeps (its pool ends there), the second two, and two for each of its jobs.
    told = page_named("administration").text
    assert f"may open {2 * KEPT_CONNECTIONS} connections to it, its worker {2 + 2 * AT_ONCE}:" in told


def test_a_terminal_gets_commands_for_links_and_no_pictures() -> None:
    shown = terminal_markdown(page_named("judging"))
    assert shown.startswith("# Judging documents\n")
    assert "(`workbench help reading`)" in shown
    assert ".webp" not in shown
    assert "[[" not in shown
    assert "`Z`" in shown
