// The keys of reading: next and previous hit, own words, whole text or best passages.
import { isModified, isTyping, meaningsOf } from "../shared/keys.js";

// What the desk calls each in its map of keys, and its key where there is no map.
const COMMANDS = {
  next: ["next_hit", "n"],
  previous: ["previous_hit", "p"],
  words: ["highlight", "h"],
  toggle: ["passage", "a"],
};
// A held key may walk through the hits; it must not open and close.
const MAY_REPEAT = new Set(["next", "previous"]);

// What each key does, of the desk's own map where it has one: {key: name}. A command may have no key.
export function keysOf(written) {
  let chosen = {};
  try {
    const map = JSON.parse(written ?? "{}");
    chosen = map.commands ?? map;
  } catch {
    // A map that cannot be read is none.
  }
  const keys = Object.entries(COMMANDS).map(([name, [command, usual]]) => [chosen[command] ?? usual, name]);
  return Object.fromEntries(keys.filter(([key]) => key).map(([key, name]) => [key.toLowerCase(), name]));
}

// Writes the keys onto their caps below an element; a command without a key has no cap.
export function showCaps(keys, element) {
  const caps = Object.fromEntries(Object.entries(keys).map(([key, name]) => [name, key]));
  for (const cap of element.querySelectorAll("[data-cap]")) {
    const key = caps[cap.dataset.cap] ?? "";
    cap.textContent = key.length === 1 ? key.toUpperCase() : key;
    cap.hidden = !key;
  }
}

// A letter with Shift is a capital, and none of these keys.
const isOther = (event) =>
  isModified(event) || (event.shiftKey && !event.getModifierState("AltGraph") && /^\p{L}$/u.test(event.key));

// The browser would close a box too, but later: a key that follows at once would be typed into it.
function closeBox() {
  const box = document.querySelector("#words:popover-open, #text:popover-open");
  box?.hidePopover();
  // Where nothing had the focus before, a hidden field keeps it until the page is drawn anew.
  if (box?.contains(document.activeElement)) document.activeElement.blur();
}

export function listenToKeys(keys, act) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing) closeBox();
    if (event.defaultPrevented || event.isComposing || isTyping(event.target) || isOther(event)) return;
    const name = meaningsOf(event).map((key) => keys[key]).find(Boolean);
    if (!name || (event.repeat && !MAY_REPEAT.has(name))) return;
    if (document.querySelector("[popover]:popover-open, dialog[open]")) return;
    event.preventDefault();
    act(name);
  });
}
