"""The scripts of the desk, each by itself in a page of its own: near answers, swipes, sending, trouble."""

from __future__ import annotations

from typing import Any

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


def test_a_batch_of_events_is_small_in_any_script(modules: Page) -> None:
    sizes = run(
        modules,
        "shared/sender",
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


def test_an_event_that_the_server_cannot_read_stops_none_behind_it(modules: Page) -> None:
    """The second of four cannot be read. A proxy that refuses in words of its own has nothing dropped."""
    body = """
      const kept = window.fetch;
      const batches = [];
      let refusals = given.proxy;
      window.fetch = async (_, { body }) => {
        const ids = JSON.parse(body).events.map(({ client_id }) => client_id);
        batches.push(ids);
        if (refusals-- > 0) return new Response("<h1>Forbidden</h1>", { status: 403 });
        const why = "this is not JSON";
        if (ids.includes("2")) return new Response(JSON.stringify({ why }), { status: 422 });
        const receipts = ids.map((client_id) => ({ client_id, outcome: "recorded" }));
        return new Response(JSON.stringify({ receipts }));
      };
      let events = ["1", "2", "3", "4"].map((client_id) => ({ client_id }));
      const refused = [], told = [];
      const outbox = {
        lasting: true,
        all: async () => events,
        settle: async (ids, dropped) => {
          refused.push(...dropped.map(({ client_id }) => client_id));
          events = events.filter(({ client_id }) => !ids.has(client_id));
        },
      };
      await new Promise((resolve) => m.startSender({
        outbox, account: given.account, address: "/events",
        onReceipts: (found) => {
          told.push(...found.map(({ client_id, outcome, why }) => [client_id, outcome, why ?? ""]));
        },
        onState: (state) => { if (state === "saved") resolve(); },
      }));
      window.fetch = kept;
      return [batches, refused, told];
    """
    batches, refused, told = run(modules, "shared/sender", body, {"proxy": 0, "account": "b"})
    assert batches == [["1", "2", "3", "4"], ["1"], ["2"], ["3", "4"]]
    assert refused == ["2"]
    assert told == [
        ["1", "recorded", ""],
        ["2", "refused", "this is not JSON"],
        ["3", "recorded", ""],
        ["4", "recorded", ""],
    ]
    batches, refused, _ = run(modules, "shared/sender", body, {"proxy": 1, "account": "c"})
    assert batches[0] == batches[1] == ["1", "2", "3", "4"]
    assert refused == ["2"]


def test_an_answer_that_was_not_recorded_is_none(modules: Page) -> None:
    body = """
      const said = [{ docno: "a", answer: "grade", grade: 1, client_id: "old", number: 1, on_screen: true }];
      const work = { order: ["a", "b", "c"], said, later: [], training: [], total: 9, at_most: true };
      const topic = new m.Topic(work);
      const states = [];
      const state = () => states.push([topic.answered, topic.counts.grade, topic.next(), topic.before("a")]);
      topic.apply({ kind: "answer", docno: "b", answer: "grade", grade: 2, client_id: "new" });
      topic.apply({ kind: "answer", docno: "a", answer: "grade", grade: 3, client_id: "changed" });
      state();
      topic.forget({ docno: "b", client_id: "new" });
      topic.forget({ docno: "a", client_id: "changed" });
      state();
      topic.apply({ kind: "answer", docno: "c", answer: "grade", grade: 2, client_id: "third" });
      topic.forget({ docno: "c", client_id: "another" }); // answered again meanwhile: that stays
      state();
      return [states, topic.atMost, [...topic.unrecorded]];
    """
    states, at_most, unrecorded = run(modules, "desk/topic", body)
    assert states == [[2, 2, "c", "changed"], [1, 1, "c", "old"], [2, 2, None, "old"]]
    assert (at_most, unrecorded) == (True, ["b"])
