// The keys of a desk. Letters and signs are taken as they are typed, so that any keyboard works; digits also by their
// place, since on some keyboards they need Shift, and letters where the keyboard has others than Latin ones.
import { byId } from "./dom.js";

export const UNDO = "backspace"; // undoes at every desk, whatever other key does so too

export const isTyping = (target) =>
  target instanceof Element
  && Boolean(target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]:not([contenteditable=false])"));

// What a key may mean: as it is typed, in lower case, then by its place on the keyboard.
export function meaningsOf({ key, code, shiftKey }) {
  const [, digit, letter] = /^(?:Digit(\d)|Key([A-Z]))$/.exec(code) ?? [];
  if (digit && !shiftKey) return [key.toLowerCase(), digit];
  return letter && /^[^\p{Script=Latin}]$/u.test(key) && /\p{L}/u.test(key) ? [key, letter.toLowerCase()] : [key.toLowerCase()];
}

// Whether Space and Enter mean the control that has the focus.
export const isOnControl = (target) => Boolean(target.closest?.("button, a, summary, input"));

// With a modifier a key is the browser's; AltGr is how some keyboards write what others have at hand.
export const isModified = (event) =>
  (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");

// Whether a key is a command: pressed, not kept down; alone; not typed into a field or into a composed character.
export const isCommand = (event) =>
  !(event.defaultPrevented || event.repeat || isModified(event) || event.isComposing || isTyping(event.target));

function leaveField(event, place) {
  event.preventDefault();
  event.target.blur();
  place?.focus({ preventScroll: true });
}

// Whether what is typed is finished, so that keys are commands again: by Escape, in the field of a reason by Enter.
function isWritten(event, reason) {
  if (event.isComposing || !isTyping(event.target)) return false;
  return event.key === "Escape" || (event.key === "Enter" && !event.shiftKey && event.target.matches(reason));
}

// Listens to the page. `find(key, event)` gives the function that a command's key calls, or null; keys are in lower
// case. `before(event)` sees every key first and says whether it has dealt with it; `reason` selects the field of a
// reason, if there is one, and `leave()` gives what has the focus after it.
export function listenToKeys({ find, before = () => false, reason = ":not(*)", leave = () => byId("document") }) {
  document.addEventListener("keydown", (event) => {
    if (before(event)) return;
    // A box over the desk is closed by the browser, which gives the focus back to where it was.
    if (event.key === "Escape" && event.target.closest?.("[popover]")) return;
    if (isWritten(event, reason)) {
      leaveField(event, leave());
      return;
    }
    if (!isCommand(event)) return;
    const act = meaningsOf(event).reduce((found, key) => found ?? find(key, event), null);
    if (!act) return;
    event.preventDefault();
    act();
  });
}
