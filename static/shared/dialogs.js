// Boxes over a desk are dialogs: Tab stays in one while it is open. The browser closes it by Escape and gives the
// focus back.
import { isTyping } from "./keys.js";

const USABLE = "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']";

export function keepFocusInBoxes() {
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
