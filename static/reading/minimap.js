// Where in the document the hits are, as a thin strip at its edge. The counts beside it say it in words.

const NS = "http://www.w3.org/2000/svg";
const ROWS = 400;

// Which rows of a strip have a hit: a list of [row, own], each row once, own words before the topic's.
export function rowsOf(hits, terms, length) {
  const rows = new Map();
  for (let index = 0; index < hits.count; index += 1) {
    const row = Math.min(ROWS - 1, Math.floor((ROWS * hits.starts[index]) / length));
    const { own } = terms[hits.terms[index]];
    if (!rows.has(row) || (own && !rows.get(row))) rows.set(row, own);
  }
  return [...rows].sort(([one], [other]) => one - other);
}

export class Minimap {
  constructor(desk, go) {
    this.svg = document.createElementNS(NS, "svg");
    this.svg.setAttribute("class", "minimap");
    this.svg.setAttribute("aria-hidden", "true");
    this.svg.setAttribute("viewBox", `0 0 10 ${ROWS}`);
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      go((event.clientY - box.top) / box.height);
    });
    desk.append(this.svg);
    // Left of the scroll bar, as wide as it happens to be; its place is kept free where nothing is to be scrolled.
    const measure = () => {
      // At some desks another element takes its place.
      const region = document.getElementById("document");
      this.svg.style.setProperty("--bar", `${region.offsetWidth - region.clientWidth}px`);
    };
    measure();
    new ResizeObserver(measure).observe(document.getElementById("document"));
  }

  draw(hits, terms, length, excerpts) {
    this.svg.replaceChildren();
    for (const { start, end } of excerpts) this.#row((ROWS * start) / length, (ROWS * (end - start)) / length, "span");
    for (const [row, own] of rowsOf(hits, terms, length)) this.#row(row, 1.5, own ? `own-${own}` : "topic");
    this.svg.classList.toggle("empty", hits.count === 0);
  }

  here(share) {
    this.svg.querySelector(".here")?.remove();
    if (share !== null) this.#row(share * ROWS - 1, 3.5, "here");
  }

  clear() {
    this.svg.replaceChildren();
    this.svg.classList.add("empty");
  }

  #row(y, height, name) {
    const row = document.createElementNS(NS, "rect");
    row.setAttribute("x", "0");
    row.setAttribute("width", "10");
    row.setAttribute("y", String(y));
    row.setAttribute("height", String(Math.max(height, 1.5)));
    row.setAttribute("class", name);
    this.svg.append(row);
  }
}
