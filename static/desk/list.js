// My judgments of this topic, at the right on demand: filtered by what was said, each a way back to its
// document.

const panel = document.getElementById("said");
let filter = "";
let titles = null;

export const isOpen = () => !panel.hidden;

export function close() {
  panel.hidden = true;
}

function kindOf(said) {
  return said.answer === "grade" ? String(said.grade) : said.answer;
}

function make(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// `grades` are [value, label, weight]; `onChoose(docno)` goes to a document.
export function draw(topic, { grades, titleOf, onChoose, shown }) {
  if (panel.hidden) return;
  const labels = new Map([
    ["", "All"],
    ...grades.map(([value, label]) => [String(value), label]),
    ["unsure", "Unsure"],
    ["cannot_judge", "Cannot judge"],
    ["comment", "With a comment"],
    ["later", "Put off"],
  ]);
  const held = [
    ...[...topic.later.keys()].map((docno) => ({ docno, answer: "later" })),
    ...topic.trail.flatMap((docno) => topic.answers.get(docno) ?? []),
    ...[...topic.answers.values()].filter(({ docno }) => !topic.trail.includes(docno)),
  ].reverse();
  const fits = (said, kind) => !kind || kindOf(said) === kind || (kind === "comment" && Boolean(said.comment));
  const filters = [...labels].map(([kind, label]) => {
    const count = held.filter((said) => fits(said, kind)).length;
    const button = make("button", { type: "button", className: "button quiet", disabled: !count && kind !== filter },
      `${label} ${count}`);
    button.dir = "auto";
    button.setAttribute("aria-pressed", String(kind === filter));
    button.onclick = () => {
      filter = kind;
      draw(topic, { grades, titleOf, onChoose, shown });
    };
    return button;
  });
  const weights = new Map(grades.map(([value, , weight]) => [String(value), weight]));
  const items = held.filter((said) => fits(said, filter)).map((said) => {
    const kind = kindOf(said);
    const mark = make("span", { className: `small muted` }, labels.get(kind) ?? kind);
    if (weights.has(kind)) mark.prepend(make("i", { className: `swatch w${weights.get(kind)}` }));
    if (said.comment) mark.append(` · ${said.comment}`);
    const title = make("bdi", {}, titleOf(said.docno) ?? titles?.[said.docno] ?? said.docno);
    const button = make("button", { type: "button", className: "said-line" }, title, mark);
    if (said.docno === shown) button.setAttribute("aria-current", "true");
    button.onclick = () => onChoose(said.docno);
    return make("li", {}, button);
  });
  const close_ = make("button", { type: "button", className: "button quiet", onclick: close }, "Close");
  panel.replaceChildren(
    make("div", { className: "said-head" }, make("h2", {}, "My judgments"), close_),
    make("div", { className: "said-filters" }, ...filters),
    make("ul", {}, ...items),
  );
}

export async function open(topic, options, address) {
  panel.hidden = false;
  draw(topic, options);
  panel.querySelector(".said-line, button").focus();
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    if (response.ok) ({ titles } = await response.json());
  } catch {
    // Without the network the docnos must do.
  }
  const at = [...panel.querySelectorAll(".said-line")].indexOf(document.activeElement);
  draw(topic, options);
  panel.querySelectorAll(".said-line")[Math.max(at, 0)]?.focus();
}
