// The second click of a double click: what it fell on would decide what the first one brought.
const DOUBLE_CLICK_MS = 300; // nobody reads a document in this time

// Keeps such a click on one of these buttons from everybody else. The browser's own count alone would stop somebody
// who clicks steadily and fast: it reaches over half a second.
export function ignoreSecondClicks(place, buttons) {
  let last = -Infinity;
  place.addEventListener("click", (event) => {
    if (!event.target.closest(buttons)) return;
    const isSecond = event.detail > 1 && event.timeStamp - last < DOUBLE_CLICK_MS;
    last = event.timeStamp;
    if (!isSecond) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  // Nor is it to leave the focus on a button, where Space would answer.
  place.addEventListener("mousedown", (event) => {
    if (event.detail > 1 && event.target.closest(buttons)) event.preventDefault();
  });
}
