"""The scripts that the desks share, each by itself: sending, keys, status light, second clicks."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.scripts import run

# Timers that are noted and never end, and a server that gives one status after the other; null is no answer.
STAGE = """
  const [realTimeout, realFetch] = [window.setTimeout, window.fetch];
  const waits = [];
  const sent = [];
  window.setTimeout = (act, milliseconds) => { waits.push(milliseconds); return 0; };
  const answers = [...given.answers];
  window.fetch = async (address, request) => {
    sent.push(request);
    const answer = answers.shift();
    if (answer === null) throw new TypeError("no network");
    return new Response(given.text ?? "", { status: answer });
  };
  const restore = () => { window.setTimeout = realTimeout; window.fetch = realFetch; };
  const until = async (reached) => {
    while (!reached()) await new Promise((resolve) => realTimeout(resolve));
  };
"""
BAR = """
  document.body.insertAdjacentHTML("beforeend", `<div id="bar"><span id="light"></span>
    <span id="light-text"></span><p id="status"></p><div id="trouble"></div></div>`);
  const textOf = (id) => document.getElementById(id).textContent;
  const texts = () => ["light-text", "status", "trouble"].map(textOf);
"""


@pytest.mark.parametrize(
    ("statuses", "outcome"),
    [
        ([200, 204], "sent"),
        ([401], "signed-out"),
        ([409], "conflict"),
        ([400, 403, 404, 413, 422], "refused"),
        ([302, 408, 425, 429, 500, 502, 503, 504], "failing"),
    ],
)
def test_a_status_means_one_thing_at_every_desk(modules: Page, statuses: list[int], outcome: str) -> None:
    assert run(modules, "shared/sending", "return given.map(m.outcomeOf)", statuses) == [outcome] * len(
        statuses
    )


@pytest.mark.parametrize(
    ("answer", "read", "expected"),
    [
        (200, "text", {"outcome": "sent", "result": "words"}),
        (200, "null", {"outcome": "failing"}),
        (200, "json", {"outcome": "failing"}),
        (422, "text", {"outcome": "refused", "reason": "words"}),
        (409, "text", {"outcome": "conflict", "reason": "words"}),
        (401, "text", {"outcome": "signed-out"}),
        (None, "text", {"outcome": "offline"}),
    ],
)
def test_sending_once_tells_what_became_of_it(
    modules: Page, answer: int | None, read: str, expected: dict[str, str]
) -> None:
    body = f"""{STAGE}
      const reads = {{ text: (one) => one.text(), json: (one) => one.json(), null: async () => null }};
      const outcome = await m.post("/", {{ read: reads[given.read] }});
      restore();
      return outcome;
    """
    given = {"answers": [answer], "text": "words", "read": read}
    assert run(modules, "shared/sending", body, given) == expected


def test_each_failure_waits_longer_up_to_a_limit_and_a_success_starts_anew(modules: Page) -> None:
    body = f"""{STAGE}
      const backoff = new m.Backoff();
      const failed = [backoff.hasFailed];
      for (let time = 0; time < 6; time += 1) backoff.failed();
      failed.push(backoff.hasFailed);
      backoff.reset();
      failed.push(backoff.hasFailed);
      backoff.failed();
      restore();
      return [waits, failed];
    """
    waits, failed = run(modules, "shared/sending", body, {"answers": []})
    assert waits == [1000, 2000, 4000, 8000, 15000, 15000, 1000]
    assert failed == [False, True, False]


@pytest.mark.parametrize(
    "wake",
    [
        "window.dispatchEvent(new Event('online'))",
        "window.dispatchEvent(new Event('focus'))",
        "document.dispatchEvent(new Event('visibilitychange'))",
    ],
)
def test_a_form_is_sent_again_as_soon_as_the_page_wakes_until_it_is_answered(
    modules: Page, wake: str
) -> None:
    body = f"""{BAR}{STAGE}
      const seen = [];
      const sender = new m.FormSender();
      const answered = sender.send("/", new URLSearchParams({{ id: "7" }}), (one) => one.text());
      for (let tries = 1; tries < 5; tries += 1) {{
        await until(() => waits.length === tries);
        seen.push([sender.isBusy, ...texts()]);
        {wake};
      }}
      const answer = await answered;
      restore();
      seen.push([sender.isBusy, ...texts()]);
      document.getElementById("bar").remove();
      return [answer, sent.map(({{ body }}) => body.get("id")), waits, seen];
    """
    given = {"answers": [None, 503, 401, 429, 200], "text": "next"}
    answer, ids, waits, seen = run(modules, "shared/form_sender", body, given)
    assert answer == {"outcome": "sent", "result": "next"}
    assert ids == ["7"] * 5
    # No timer ended: it was the wake-up.
    assert waits == [1000, 2000, 4000, 8000]
    assert [line[:3] for line in seen] == [
        [True, "offline", "offline"],
        [True, "not saved yet", "not saved yet"],
        [True, "signed out", "signed out"],
        [True, "not saved yet", "not saved yet"],
        [False, "not saved yet", "not saved yet"],
    ]
    assert ["You are signed out" in line[3] for line in seen] == [False, False, True, True, False]


def test_a_network_that_comes_back_while_a_form_is_being_sent_is_not_missed(modules: Page) -> None:
    body = f"""{BAR}{STAGE}
      const answering = window.fetch;
      window.fetch = (...asked) => {{
        if (answers.length === 2) window.dispatchEvent(new Event("online"));
        return answering(...asked);
      }};
      const sending = new m.FormSender().send("/", new URLSearchParams(), (one) => one.text());
      const missed = new Promise((resolve) => realTimeout(() => resolve({{ outcome: "waits" }}), 5000));
      const answer = await Promise.race([sending, missed]);
      restore();
      document.getElementById("bar").remove();
      return [answer.outcome, sent.length];
    """
    # No timer ends here, so that only what came meanwhile can have had it sent again.
    assert run(modules, "shared/form_sender", body, {"answers": [None, 200]}) == ["sent", 2]


@pytest.mark.parametrize("status", [409, 422])
def test_a_form_that_is_refused_is_sent_once_and_its_page_has_the_reason(modules: Page, status: int) -> None:
    body = f"""{BAR}{STAGE}
      const sender = new m.FormSender();
      const answer = await sender.send("/", new URLSearchParams(), (one) => one.text());
      restore();
      document.getElementById("bar").remove();
      return [answer.reason, sender.isBusy, sent.length, waits];
    """
    given = {"answers": [status], "text": "99 is not a grade"}
    assert run(modules, "shared/form_sender", body, given) == ["99 is not a grade", False, 1, []]


def test_the_light_tells_by_ear_what_changes_for_the_worse_and_back(modules: Page) -> None:
    body = f"""{BAR}
      const fresh = await import("/static/shared/light.js?fresh");
      document.getElementById("status").textContent = "Document 6";
      const seen = given.map(([state, unsent]) => {{
        fresh.light(state, unsent);
        return [document.getElementById("light").dataset.state, ...texts().slice(0, 2)];
      }});
      document.getElementById("bar").remove();
      return seen;
    """
    states: list[Any] = [
        ("saved", 0),
        ("sending", 2),
        ("offline", 2),
        ("offline", 3),
        ("sending", 3),
        ("saved", 0),
    ]
    assert run(modules, "shared/light", body, states) == [
        ["saved", "saved", "Document 6"],
        ["sending", "saving 2", "Document 6"],
        ["failed", "offline 2", "offline"],
        ["failed", "offline 3", "offline"],
        ["sending", "saving 3", "offline"],
        ["saved", "saved", "Saved."],
    ]


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"key": "U"}, ["u"]),
        ({"key": "é", "code": "Digit2"}, ["é", "2"]),
        ({"key": "@", "code": "Digit2", "shiftKey": True}, ["@"]),
        ({"key": "Backspace"}, ["backspace"]),
        ({"key": "1", "repeat": True}, []),
        ({"key": "1", "ctrlKey": True}, []),
        ({"key": "1", "metaKey": True}, []),
        ({"key": "@", "altKey": True, "ctrlKey": True, "modifierAltGraph": True}, ["@"]),
        ({"key": "1", "isComposing": True}, []),
    ],
)
def test_a_key_is_a_command_only_where_it_is_pressed_alone(
    modules: Page, event: dict[str, Any], expected: list[str]
) -> None:
    body = """
      const asked = [];
      m.listenToKeys({ find: (key) => { asked.push(key); return null; } });
      document.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...given }));
      return asked;
    """
    assert run(modules, "shared/keys", body, event) == expected


@pytest.mark.parametrize(
    ("pressed", "meanings"),
    [
        ({"key": "\u0433", "code": "KeyU"}, ["\u0433", "u"]),  # Russian: the place of U
        ({"key": "\u05d5", "code": "KeyU"}, ["\u05d5", "u"]),  # Hebrew
        ({"key": "A", "code": "KeyQ"}, ["a"]),  # AZERTY: a Latin letter is what it is
        ({"key": "&", "code": "Digit1", "shiftKey": False}, ["&", "1"]),
        ({"key": "?", "code": "Minus"}, ["?"]),
    ],
)
def test_a_key_means_what_is_typed_then_its_place(
    modules: Page, pressed: dict[str, object], meanings: list[str]
) -> None:
    assert run(modules, "shared/keys", "return m.meaningsOf(given);", pressed) == meanings
