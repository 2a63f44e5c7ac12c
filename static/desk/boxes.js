// The boxes over the desk: reasons, comment, keys, passages; and the guidelines.
import { byId } from "../shared/dom.js";
import { isTyping } from "../shared/keys.js";
import { showTopic } from "./topic_pane.js";

const USABLE = "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']";
export const isOpen = (id) => byId(id).matches(":popover-open");

// The browser would close a box too, but later: a digit that follows at once must be a grade again.
export function closeBoxes() {
  for (const id of ["reasons", "commenting", "keys", "passages"]) {
    if (!isOpen(id)) continue;
    const box = byId(id);
    box.hidePopover();
    // Where nothing had the focus before, a hidden field keeps it until the page is drawn anew.
    if (box.contains(document.activeElement)) document.activeElement.blur();
  }
}

// What is typed right after the key belongs into the box: the focus does not wait for an event.
export function openBox(id, focused) {
  byId(id).showPopover();
  byId(focused).focus();
}

// A box takes the focus, none of its buttons does: Space must not choose one by accident. The event comes late:
// who has gone on to a field of the box by then stays there.
export function listenToBoxes() {
  keepFocusInBoxes();
  document.addEventListener("toggle", (event) => {
    const box = event.target;
    if (event.newState !== "open" || !box.matches("[popover]")) return;
    if (box.id === "commenting") byId("comment").focus();
    else if (!box.contains(document.activeElement)) box.focus();
  }, true);
}

export function showGuidelines() {
  const guidelines = byId("guidelines");
  guidelines.open = !guidelines.open;
  if (!guidelines.open) return;
  showTopic();
  guidelines.scrollIntoView({ block: "start" });
}

// They are dialogs: Tab stays in one while it is open. The browser closes it by Escape and gives the focus back.
function keepFocusInBoxes() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Tab" || (event.isComposing && isTyping(event.target))) return;
    const box = document.querySelector("[role=dialog]:popover-open");
    if (!box) return;
    const usable = [...box.querySelectorAll(USABLE)].filter((one) => one.checkVisibility() && isStop(one));
    const [first, last] = [usable[0], usable.at(-1)];
    const { activeElement: here } = document;
    const isInside = box.contains(here) && here !== box;
    if (event.shiftKey ? here === first || !isInside : here === last || (!isInside && here !== box)) {
      event.preventDefault();
      (event.shiftKey ? last : first)?.focus();
    }
  });
}

// Of radio buttons with one name Tab stops at one.
function isStop(element) {
  if (element.type !== "radio") return true;
  const group = [...document.getElementsByName(element.name)].filter(({ form }) => form === element.form);
  return group.some(({ checked }) => checked) ? element.checked : group[0] === element;
}
