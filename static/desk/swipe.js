// Judging by a swipe on touch, for whoever turned it on: to the left the one grade, to the right the other. A finger
// that scrolls, selects, pinches, waits or begins on something of its own never judges; the page says beforehand what
// letting go would do.

const SEEN = 24; // pixels from which the hint is shown
const LEAST = 80; // pixels that count, and at least
const SHARE = 0.25; // of the document's width
const LONGEST_MS = 800;
const EDGE = 24; // at the edges of the screen a swipe is the browser's own
const ITS_OWN = "button, a, input, select, textarea, summary, label, [contenteditable]";

const choice = () => document.documentElement.dataset.textSwipe ?? "off";

// The two grades of a choice, as [value, label]: the ends of the scale, or those around the relevance threshold.
export function gradesOf(chosen, grades, relevantFrom) {
  const ordered = [...grades].sort(([one], [other]) => one - other);
  if (chosen === "ends") return { left: ordered[0], right: ordered.at(-1) };
  const right = ordered.find(([value]) => value >= relevantFrom) ?? ordered.at(-1);
  const left = ordered.filter(([value]) => value < relevantFrom).at(-1) ?? ordered[0];
  return { left, right };
}

// What a movement from its beginning means: "left", "right", or null; `far` once letting go would judge.
export function meaningOfMove(dx, dy, width) {
  if (Math.abs(dx) < SEEN || Math.abs(dy) > Math.abs(dx) / 2) return null;
  return { side: dx < 0 ? "left" : "right", far: Math.abs(dx) >= Math.max(LEAST, SHARE * width) };
}

const scrollsSideways = (element, place) => {
  for (let one = element; one && one !== place; one = one.parentElement) {
    if (one.scrollWidth > one.clientWidth && /auto|scroll/.test(getComputedStyle(one).overflowX)) return true;
  }
  return false;
};

const isSelected = () => !getSelection().isCollapsed;

// `mayJudge()` gives whether anything can be judged now, without a notice; `judge(value)` gives the grade.
export function listenToSwipes({ place, hint, grades, relevantFrom, mayJudge, judge }) {
  let begun = null; // {id, x, y, at}

  const forget = () => {
    begun = null;
    hint.hidden = true;
  };

  const moved = (event) => (begun ? meaningOfMove(event.clientX - begun.x, event.clientY - begun.y, place.clientWidth) : null);

  place.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" || choice() === "off") return;
    // A second finger is another gesture.
    if (begun || !event.isPrimary) return forget();
    const atEdge = event.clientX < EDGE || event.clientX > innerWidth - EDGE;
    if (atEdge || isSelected() || event.target.closest(ITS_OWN) || scrollsSideways(event.target, place) || !mayJudge()) return;
    begun = { id: event.pointerId, x: event.clientX, y: event.clientY, at: event.timeStamp, top: place.scrollTop };
  });

  place.addEventListener("pointermove", (event) => {
    if (event.pointerId !== begun?.id) return;
    const [across, along] = [Math.abs(event.clientX - begun.x), Math.abs(event.clientY - begun.y)];
    const late = event.timeStamp - begun.at > LONGEST_MS;
    if (late || isSelected() || (along > SEEN && along > across / 2)) return forget();
    const meant = moved(event);
    hint.hidden = !meant;
    if (!meant) return;
    const [, label] = gradesOf(choice(), grades, relevantFrom)[meant.side];
    hint.dataset.side = meant.side;
    hint.toggleAttribute("data-far", meant.far);
    if (hint.textContent !== label) hint.textContent = label;
  });

  place.addEventListener("pointerup", (event) => {
    if (event.pointerId !== begun?.id) return;
    const meant = moved(event);
    const late = event.timeStamp - begun.at > LONGEST_MS || place.scrollTop !== begun.top;
    forget();
    if (!meant?.far || late || isSelected() || !mayJudge()) return;
    judge(gradesOf(choice(), grades, relevantFrom)[meant.side][0]);
  });

  // The browser took the finger: it scrolls, zooms or selects.
  for (const taken of ["pointercancel", "contextmenu"]) place.addEventListener(taken, forget);
  document.addEventListener("selectionchange", () => {
    if (begun && isSelected()) forget();
  });
}

// The line that says what a swipe means, wherever it is turned on.
export function showWays(line, grades, relevantFrom) {
  const draw = () => {
    const { left, right } = gradesOf(choice(), grades, relevantFrom);
    line.querySelector("[data-side=left]").textContent = left[1];
    line.querySelector("[data-side=right]").textContent = right[1];
  };
  draw();
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-text-swipe"] });
}
