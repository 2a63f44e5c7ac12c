"""The scripts of the desk, each by itself in a page of its own: near answers, swipes, sending, trouble."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.scripts import run


def test_the_same_answer_is_proposed_only_where_all_alike_have_it(modules: Page) -> None:
    body = """
      const topic = { answers: new Map(given.answers.map(([docno, grade]) =>
        [docno, grade === null ? { answer: "unsure", grade } : { answer: "grade", grade }])) };
      const how = { grades: [[0, "No"], [1, "Yes"]], address: "/compare" };
      const said = m.nearAnswer("a", given.near, topic, how);
      return said && [said.label, said.agreed, said.compare];
    """

    def said(near: list[list[Any]], answers: list[list[Any]]) -> Any:
        return run(modules, "desk/near", body, {"near": near, "answers": answers})

    near = [["b", 0.99], ["c", 0.95], ["d", 0.95]]
    assert said(near, []) is None
    assert said(near, [["a", 1], ["b", None], ["z", 1]]) is None
    assert said(near, [["c", 1], ["z", 0]]) == ["Yes", True, "/compare?docno=a&docno=c"]
    # The most alike, of equals the latest; where they differ none is proposed.
    assert said(near, [["b", 0], ["c", 1]]) == ["No", False, "/compare?docno=a&docno=b"]
    assert said(near, [["d", 0], ["c", 0]]) == ["No", True, "/compare?docno=a&docno=c"]


@pytest.mark.parametrize(
    ("chosen", "grades", "line", "expected"),
    [
        ("ends", [3, 0, 1, 2], 2, [0, 3]),
        ("line", [0, 1, 2, 3], 2, [1, 2]),
        ("line", [0, 1], 1, [0, 1]),
    ],
)
def test_a_swipe_has_two_grades_of_the_scale(
    modules: Page, chosen: str, grades: list[int], line: int, expected: list[int]
) -> None:
    body = "const { left, right } = m.gradesOf(...given); return [left[0], right[0]];"
    given = [chosen, [[value, str(value)] for value in grades], line]
    assert run(modules, "desk/swipe", body, given) == expected


def test_a_batch_of_events_is_small_in_any_script(modules: Page) -> None:
    sizes = run(
        modules,
        "desk/sender",
        """
        const kept = window.fetch;
        const sizes = [];
        window.fetch = async (_, { body }) => {
          sizes.push(new TextEncoder().encode(body).length);
          const { events } = JSON.parse(body);
          const receipts = events.map(({ client_id }) => ({ client_id, outcome: "recorded" }));
          return new Response(JSON.stringify({ receipts }));
        };
        let events = [1, 2, 3, 4].map((client_id) => ({ client_id, comment: "脱".repeat(12_000) }));
        const outbox = {
          lasting: true,
          all: async () => events,
          settle: async (ids) => { events = events.filter(({ client_id }) => !ids.has(client_id)); },
        };
        await new Promise((resolve) => m.startSender({
          outbox, account: "a", address: "/events", onReceipts() {},
          onState: (state) => { if (state === "saved") resolve(); },
        }));
        window.fetch = kept;
        return sizes;
        """,
    )
    # Three bytes a letter; whoever is not signed in may send 64 KiB.
    assert len(sizes) == 4
    assert max(sizes) < 65_536


def test_a_document_that_is_awaited_is_asked_for_as_soon_as_the_page_wakes(modules: Page) -> None:
    body = """
      const real = window.setTimeout;
      window.setTimeout = () => 0; // no timer ends
      const waiting = m.pause();
      window.setTimeout = real;
      window.dispatchEvent(new Event("online"));
      await waiting;
      return true;
    """
    assert run(modules, "desk/work", body)


def test_that_something_is_tried_again_is_said_once(modules: Page) -> None:
    body = """
      document.body.insertAdjacentHTML("beforeend", '<div id="trouble"></div>');
      const { isShown } = await import("/static/shared/notices.js");
      m.showTriedAgain();
      const said = document.getElementById("trouble").firstChild;
      m.showTriedAgain();
      return [isShown("no-document"), document.getElementById("trouble").firstChild === said];
    """
    assert run(modules, "desk/work", body) == [True, True]
