// How long the document was really looked at: the page is visible and somebody is there.
const IDLE_MS = 60_000;

let total = 0;
let last = performance.now();

// Adds the time since the last sign of life; of a longer silence the first minute counts.
function tick() {
  const now = performance.now();
  if (last !== null) total += Math.min(now - last, IDLE_MS);
  last = now;
}

export function activeMilliseconds() {
  if (document.visibilityState === "visible") tick();
  return Math.round(total);
}

export function restart() {
  total = 0;
  last = document.visibilityState === "visible" ? performance.now() : null;
}

for (const sign of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"]) {
  document.addEventListener(sign, tick, { passive: true, capture: true });
}
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") tick();
  last = document.visibilityState === "visible" ? performance.now() : null;
});
