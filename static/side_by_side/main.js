// The keys of the two sides, and sending until it has arrived. Without this file the buttons work by clicking.
import { activeMilliseconds, restart } from "../shared/active_time.js";

const RETRY_SECONDS = [1, 2, 4, 8, 15];
const byId = (id) => document.getElementById(id);
let sending = false;

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input:not([type=hidden]), textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const key = event.key === "Backspace" ? "z" : event.key.toLowerCase();
  const button = [...document.querySelectorAll("#sides [data-key]")].find((one) => one.dataset.key === key);
  if (!button || button.disabled) return;
  event.preventDefault();
  button.click();
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("#sides form");
  if (!form) return;
  event.preventDefault();
  // The page's own id of the answer makes a second click harmless; it also need not be sent.
  if (sending) return;
  sending = true;
  const time = form.elements.active_ms;
  if (time) time.value = String(activeMilliseconds());
  const body = new FormData(form, event.submitter);
  light("sending", "saving");
  send(form.action, body, 0);
});

async function send(address, body, attempt) {
  let answer = null;
  try {
    answer = await fetch(address, { method: "POST", body, headers: { "HX-Request": "true" } });
  } catch {
    return again(address, body, attempt, "offline");
  }
  if (answer.status >= 500 || answer.status === 429) return again(address, body, attempt, "the server is away");
  if (answer.status === 401) return again(address, body, attempt, "signed out: sign in in another tab");
  if (!answer.ok || answer.redirected) return location.reload();
  const html = await answer.text();
  sending = false;
  byId("sides").outerHTML = html;
  restart();
  byId("status").textContent = `Saved. ${byId("sides").dataset.announce}`;
}

function again(address, body, attempt, text) {
  light("failed", text);
  byId("status").textContent = text;
  const seconds = RETRY_SECONDS[Math.min(attempt, RETRY_SECONDS.length - 1)];
  setTimeout(() => send(address, body, attempt + 1), seconds * 1000);
}

addEventListener("beforeunload", (event) => {
  if (sending) event.preventDefault();
});

function light(state, text) {
  byId("light").dataset.state = state;
  byId("light-text").textContent = text;
}

byId("status").textContent = byId("sides").dataset.announce;
