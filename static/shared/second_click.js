// The second click of a double click: what it fell on would decide what the first one brought.
const DOUBLE_CLICK_MS = 300; // nobody reads a document in this time

// Tells of each click that it is given whether it is such a one. The browser's own count alone would hold back
// somebody who clicks steadily and fast: it reaches over half a second.
export function secondClicks() {
  let last = -Infinity;
  return (event) => {
    const second = event.detail > 1 && event.timeStamp - last < DOUBLE_CLICK_MS;
    last = event.timeStamp;
    return second;
  };
}
