// The boxes over the desk: reasons, comment, keys, passages; and the guidelines.
import { byId } from "../shared/dom.js";
import { keepFocusInBoxes } from "../shared/dialogs.js";
import { showTopic } from "./topic_pane.js";

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
