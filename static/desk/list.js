// My judgments of this topic, at the right on demand: filtered by what was said, each a way back to its
// document (by its data-docno: see controls.js).
import { byId, make } from "../shared/dom.js";

const panel = byId("said");
let filter = "";
let titles = null; // of documents that were not fetched here

export const isOpen = () => !panel.hidden;

export function close() {
  panel.hidden = true;
  byId("document").focus({ preventScroll: true });
}

const kindOf = (said) => (said.answer === "grade" ? String(said.grade) : said.answer);
const fits = (said, kind) => !kind || kindOf(said) === kind || (kind === "comment" && Boolean(said.comment));

// What holds of each document, latest first.
function heldIn({ later, trail, answers }) {
  return [
    ...[...later.keys()].map((docno) => ({ docno, answer: "later" })),
    ...trail.flatMap((docno) => answers.get(docno) ?? []),
    ...[...answers.values()].filter(({ docno }) => !trail.includes(docno)),
  ].reverse();
}

export function draw(desk) {
  if (panel.hidden) return;
  const labels = new Map([
    ["", "All"],
    ...desk.grades.map(([value, label]) => [String(value), label]),
    ["unsure", "Unsure"],
    ["cannot_judge", "Cannot judge"],
    ["comment", "With a comment"],
    ["later", "Put off"],
  ]);
  const held = heldIn(desk.topic);
  const filters = [...labels].map(([kind, label]) => {
    const count = held.filter((said) => fits(said, kind)).length;
    const onclick = () => {
      filter = kind;
      draw(desk);
    };
    const isChosen = kind === filter;
    const button = make("button", { type: "button", className: "button quiet", disabled: !count && !isChosen, dir: "auto", onclick },
      `${label} ${count}`);
    button.dataset.filter = kind;
    button.setAttribute("aria-pressed", String(isChosen));
    return button;
  });
  const lines = held.filter((said) => fits(said, filter)).map((said) => make("li", {}, lineOf(said, desk, labels)));
  const closing = make("button", { type: "button", className: "button quiet", onclick: close }, "Close");
  const found = place();
  panel.replaceChildren(
    make("div", { className: "said-head" }, make("h2", {}, "My judgments"), closing),
    make("div", { className: "said-filters" }, ...filters),
    make("ul", {}, ...lines),
  );
  if (found) (panel.querySelector(found) ?? panel).focus({ preventScroll: true });
}

function lineOf(said, desk, labels) {
  const kind = kindOf(said);
  const mark = make("span", { className: "small muted" }, labels.get(kind) ?? kind);
  const [, , weight] = desk.grades.find(([value]) => String(value) === kind) ?? [];
  if (weight !== undefined) mark.prepend(make("i", { className: `swatch w${weight}` }));
  if (said.comment) mark.append(` · ${said.comment}`);
  const title = make("bdi", {}, desk.titleOf(said.docno) ?? titles?.[said.docno] ?? said.docno);
  const button = make("button", { type: "button", className: "said-line" }, title, mark);
  button.dataset.docno = said.docno;
  if (said.docno === desk.docno) button.setAttribute("aria-current", "true");
  return button;
}

// Where in the list the focus is, as a selector that finds it in the list drawn anew; null where it is elsewhere.
function place() {
  const held = document.activeElement;
  if (!panel.contains(held)) return null;
  const { docno, filter: kind } = held.dataset;
  if (docno !== undefined) return `[data-docno="${CSS.escape(docno)}"]`;
  return kind === undefined ? "button" : `[data-filter="${CSS.escape(kind)}"]`;
}

export async function open(desk) {
  panel.hidden = false;
  draw(desk);
  (panel.querySelector(".said-line") ?? panel.querySelector("button")).focus();
  try {
    const response = await fetch(desk.addresses.titles, { headers: { Accept: "application/json" } });
    if (response.ok) ({ titles } = await response.json());
  } catch {
    // Without the network the docnos must do.
  }
  draw(desk);
}
