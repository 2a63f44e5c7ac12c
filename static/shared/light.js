// The status light: the state of saving, shown in the bar; where it changes for the worse and back it is announced to
// screen readers too.
import { byId } from "./dom.js";

// The colour of each state and its words; the number of answers that are not sent follows.
const STATES = {
  ready: ["saved", "ready"],
  saved: ["saved", "saved"],
  closed: ["saved", "closed"],
  sending: ["sending", "saving"],
  waiting: ["sending", "choosing the next document"],
  fetching: ["sending", "fetching the document"],
  offline: ["failed", "offline"],
  failing: ["failed", "not saved yet"],
  "signed-out": ["failed", "signed out"],
  other: ["failed", "not sent"],
  refused: ["failed", "not saved"],
  overtaken: ["failed", "not recorded"],
  missing: ["failed", "not loaded, try again"],
};
const TRIED_AGAIN = new Set(["offline", "failing", "signed-out", "other"]);

let current = null;
let wasDelayed = false; // something is tried again, and the status has announced it

export function light(state, unsent = 0) {
  const [colour, text] = STATES[state];
  const words = unsent ? `${text} ${unsent}` : text;
  const place = byId("light-text");
  byId("light").dataset.state = colour;
  if (place.textContent !== words) place.textContent = words;
  if (state === current) return;
  current = state;
  if (colour === "failed") announce(text);
  else if (state === "saved" && wasDelayed) announce("Saved.");
  if (TRIED_AGAIN.has(state)) wasDelayed = true;
  else if (state !== "sending") wasDelayed = false;
}

// The state of saving (saving.js); `doing` is what else is under way, shown where nothing is unsent.
export function showSaving(saving, doing = null) {
  const { unsent, signedOutElsewhere } = saving;
  const state = signedOutElsewhere ? "signed-out" : saving.state;
  const shown = unsent ? (state === "saved" ? "sending" : state) : state === "sending" ? "saved" : state;
  if (unsent && !navigator.onLine && !signedOutElsewhere) light("offline", unsent);
  else if (!unsent && doing) light(doing);
  else light(unsent || shown === "signed-out" || shown === "other" ? shown : "saved", unsent);
}

// To screen readers.
export function announce(text) {
  byId("status").textContent = text;
}
