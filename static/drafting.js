// The statement of a topic's draft is saved while it is typed, and before anything else is sent from its page. Without
// this its button saves it, as it does where another tab has changed the statement: that page shows both texts.
import { AS_FRAGMENT } from "./shared/form_sender.js";
import { onWake, post } from "./shared/sending.js";

const PAUSE_MS = 700;
const FIELDS = ["title", "description", "narrative"];
const form = document.getElementById("statement");
const state = document.getElementById("statement-state");
// What the page came with: somebody may have typed before this ran.
let stored = JSON.stringify(FIELDS.map((name) => form.elements[name].defaultValue));
let isHeld = "unsaved" in form.dataset; // nothing is saved until the button says so
let isLeaving = false;
let timer = null;
let sending = null; // the promise of what is being saved

const said = () => JSON.stringify(FIELDS.map((name) => form.elements[name].value));
const isDirty = () => isHeld || said() !== stored;

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
    // Searching and judging load no page that would say it.
    document.querySelector("h1").textContent = JSON.parse(now)[0].trim() || form.dataset.untitled;
    tell(isDirty() ? "Not saved yet" : "Saved");
    return true;
  }
  isHeld = answer.outcome === "conflict";
  tell(answer.reason ? `Not saved: ${answer.reason}` : "Not saved yet: the server does not answer", true);
  return false;
}

// One at a time, and again for what was typed meanwhile; says whether everything is saved.
async function settle() {
  clearTimeout(timer);
  while (isDirty()) {
    if (isHeld) {
      tell("Not saved: press Save", true);
      return false;
    }
    sending ??= save().finally(() => { sending = null; });
    if (!(await sending)) return false;
  }
  return true;
}

function later() {
  clearTimeout(timer);
  if (isHeld) return;
  tell(isDirty() ? "Not saved yet" : "Saved");
  if (!isDirty()) return;
  timer = setTimeout(settle, PAUSE_MS);
}

form.addEventListener("input", later);
form.addEventListener("change", () => { if (!isHeld) settle(); });
onWake(() => { if (isDirty() && !isHeld) settle(); });
window.addEventListener("beforeunload", (event) => { if (isDirty() && !isLeaving) event.preventDefault(); });
// Before htmx, which listens at the forms, sends anything.
document.addEventListener("submit", async (event) => {
  const { submitter, target } = event;
  if (target === form) isLeaving = true;
  if (target === form || (!isDirty() && !sending)) return;
  event.preventDefault();
  event.stopPropagation();
  if (await settle()) target.requestSubmit(submitter);
}, true);
later();
