// The statement of a topic's draft is saved while it is typed, and before anything else is sent from its page. Without
// this its button saves it.
import { AS_FRAGMENT } from "./shared/form_sender.js";
import { onWake, post } from "./shared/sending.js";

const PAUSE_MS = 700;
const form = document.getElementById("statement");
const state = document.getElementById("statement-state");
let stored = said();
let timer = null;
let sending = null; // the promise of what is being saved

function said() {
  return JSON.stringify(["title", "description", "narrative"].map((name) => form.elements[name].value));
}

const isDirty = () => said() !== stored;

function tell(words, isWrong = false) {
  if (state.textContent !== words) state.textContent = words;
  state.classList.toggle("error", isWrong);
}

async function save() {
  const now = said();
  tell("Saving");
  const body = new URLSearchParams(new FormData(form)).toString();
  // Browsers refuse to keep a longer request alive when its page is left.
  const keepalive = body.length < 60_000;
  const headers = { ...AS_FRAGMENT, "Content-Type": "application/x-www-form-urlencoded" };
  const answer = await post(form.action, { body, headers, keepalive, read: (response) => response.json() });
  if (answer.outcome === "sent") {
    form.elements.revision.value = answer.result.revision;
    stored = now;
    tell(isDirty() ? "Not saved yet" : "Saved");
  } else tell(answer.reason ? `Not saved: ${answer.reason}` : "Not saved yet: the server does not answer", true);
  return answer.outcome === "sent";
}

// One at a time, and again for what was typed meanwhile; says whether everything is saved.
async function settle() {
  clearTimeout(timer);
  while (isDirty()) {
    sending ??= save().finally(() => { sending = null; });
    if (!(await sending)) return false;
  }
  return true;
}

function later() {
  clearTimeout(timer);
  if (!isDirty()) return;
  tell("Not saved yet");
  timer = setTimeout(settle, PAUSE_MS);
}

form.addEventListener("input", later);
form.addEventListener("change", settle);
onWake(() => { if (isDirty()) settle(); });
window.addEventListener("beforeunload", (event) => { if (isDirty()) event.preventDefault(); });
document.addEventListener("submit", async (event) => {
  if (!isDirty() && !sending) return;
  event.preventDefault();
  const { submitter, target } = event;
  if (!(await settle())) return;
  if (target === form) return;
  target.requestSubmit(submitter);
});
