// The plain text of a document: no layout, no images, no PDF beside it. What is shown of it stays the same text, so
// that hits and passages stay where they are; it lasts until it is switched off, from document to document.
import { byId } from "../shared/dom.js";
import { announce } from "../shared/light.js";

const place = byId("document");
const button = byId("plain");

export function togglePlain() {
  // The best passages are a view of their own: the plain text is the whole one.
  byId("desk").dispatchEvent(new CustomEvent("desk:whole"));
  const anchor = anchorAtTop();
  const before = anchor?.getBoundingClientRect().top ?? 0;
  const isPlain = place.toggleAttribute("data-plain");
  button.setAttribute("aria-pressed", String(isPlain));
  // What was read stays where it stood.
  if (anchor) place.scrollTop += anchor.getBoundingClientRect().top - before;
  announce(isPlain ? "Plain text" : "Original layout");
}

// The element of the text that is seen first, where the document was scrolled.
function anchorAtTop() {
  const text = place.querySelector("article .text");
  if (!text || place.scrollTop === 0) return null;
  const { left, width, top } = text.getBoundingClientRect();
  const edge = place.querySelector(".strip").getBoundingClientRect().bottom;
  const found = document.elementFromPoint(left + Math.min(40, width / 2), Math.max(edge, top) + 4);
  return found && text.contains(found) && found !== text ? found : null;
}

export function listenToPlain() {
  button.hidden = false;
  button.addEventListener("click", togglePlain);
  // A PDF that was clicked has the focus, and with it every key: these are the desk's.
  window.addEventListener("blur", () => {
    setTimeout(() => {
      if (document.activeElement?.matches("iframe")) place.focus({ preventScroll: true });
    });
  });
}
