// My judgments of this topic, at the right on demand: filtered by answer, each a way back to its
// document (by its data-docno: see controls.js).
import { byId, make } from "../shared/dom.js";

const panel = byId("said");
let filter = "";
let sought = "";
let titles = null; // of documents that were not fetched here

export const isOpen = () => !panel.hidden;

export function close() {
  panel.hidden = true;
  byId("document").focus({ preventScroll: true });
}

const kindOf = (answer) => (answer.answer === "grade" ? String(answer.grade) : answer.answer);
const fits = (answer, kind) => !kind || kindOf(answer) === kind || (kind === "comment" && Boolean(answer.comment));

// The current answer of each document, latest first.
function answersIn({ later, trail, answers }) {
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
  const all = answersIn(desk.topic);
  const filters = [...labels].map(([kind, label]) => {
    const count = all.filter((answer) => fits(answer, kind)).length;
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
  const words = (answer) => `${answer.docno} ${titleOf(answer, desk)}`.toLowerCase();
  const listed = all.filter((answer) => fits(answer, filter) && words(answer).includes(sought.toLowerCase()));
  const lines = listed.map((answer) => make("li", {}, lineOf(answer, desk, labels)));
  const oninput = ({ target }) => {
    sought = target.value;
    draw(desk);
  };
  const search = make("input", { type: "search", value: sought, placeholder: "Docno or title", ariaLabel: "Docno or title contains", dir: "auto", oninput });
  const closing = make("button", { type: "button", className: "button quiet", onclick: close }, "Close");
  const found = place();
  panel.replaceChildren(
    make("div", { className: "said-head" }, make("h2", {}, "My judgments"), closing),
    make("div", { className: "said-filters" }, search, ...filters),
    make("ul", {}, ...lines),
  );
  if (found) (panel.querySelector(found) ?? panel).focus({ preventScroll: true });
}

const titleOf = ({ docno }, desk) => desk.titleOf(docno) ?? titles?.[docno] ?? "";

function lineOf(answer, desk, labels) {
  const kind = kindOf(answer);
  const mark = make("span", { className: "small muted" }, labels.get(kind) ?? kind);
  const [, , weight] = desk.grades.find(([value]) => String(value) === kind) ?? [];
  if (weight !== undefined) mark.prepend(make("i", { className: `swatch w${weight}` }));
  if (answer.comment) mark.append(` · ${answer.comment}`);
  const docno = make("span", { className: "mono small muted", dir: "auto" }, answer.docno);
  const button = make("button", { type: "button", className: "said-line" }, make("bdi", {}, titleOf(answer, desk)), docno, mark);
  button.dataset.docno = answer.docno;
  if (answer.docno === desk.docno) button.setAttribute("aria-current", "true");
  return button;
}

// Where in the list the focus is, as a selector that finds it in the list drawn anew; null where it is elsewhere.
function place() {
  const focused = document.activeElement;
  if (!panel.contains(focused)) return null;
  const { docno, filter: kind } = focused.dataset;
  if (docno !== undefined) return `[data-docno="${CSS.escape(docno)}"]`;
  if (focused.matches("input")) return "input";
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
