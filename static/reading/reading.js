// Reading at the desk: hits in colour and by key, the best passages first.
//
// The desk has another address for its modules than this one, and so they speak by events on #desk:
// - "desk:shown" names the document shown, and the answer to one nearly identical to it:
//   {article, docno, assignmentId, near}; "desk:ready" the one that is ready to be shown: {article};
// - "desk:topic" brings another topic with its own words, "desk:whole" asks for the whole text;
// - "desk:passages" brings passages to be marked: {passages}; into "desk:selection" is written what is selected.
import { analyseAhead } from "./analysis.js";
import { ReadingBar } from "./bar.js";
import { keysOf, listenToKeys, showCaps } from "./keys.js";
import { OwnWords } from "./own_words.js";
import { Painter } from "./painting.js";
import { Shown } from "./shown.js";
import { topicTerms } from "./terms.js";
import { listen } from "./text_choice.js";

// Shows below the title the answer to a nearly identical document, and marks that grade; nothing is answered.
class Near {
  put(article, near) {
    if (article.querySelector(".near")) return;
    const made = (name, properties) => Object.assign(document.createElement(name), properties);
    const line = made("p", { className: "near", dir: "ltr" });
    const strong = made("b", {});
    strong.append(made("bdi", { textContent: near.label }));
    const link = made("a", { href: near.compare, textContent: "Compare" });
    const others = near.agreed ? "" : " You gave others like it another grade.";
    line.append("You gave ", strong, " to a nearly identical document.", others, " ", link);
    article.querySelector(":scope > h2")?.after(line);
    for (const button of document.querySelectorAll("#verdicts .grade")) {
      if ((button.dataset.grade ?? button.value) !== String(near.grade) || !near.agreed) continue;
      button.dataset.near = "";
      button.setAttribute("aria-description", "You gave this grade to a nearly identical document");
    }
  }

  clear() {
    for (const button of document.querySelectorAll("#verdicts [data-near]")) {
      delete button.dataset.near;
      button.removeAttribute("aria-description");
    }
  }
}

const desk = document.getElementById("desk");
const data = JSON.parse(document.getElementById("reading-data").dataset.begin);
const barTemplate = document.getElementById("reading-bar");
const textForm = document.querySelector("#text form");
const near = new Near();
let shown = null; // the document on the desk

const keys = keysOf(desk.dataset.keys);
showCaps(keys, document);
showCaps(keys, barTemplate.content);

const tools = {
  topic: topicTerms(data.title, data.description),
  own: new OwnWords(data.words, () => shown?.search()),
  painter: new Painter(),
  bar: new ReadingBar(barTemplate, (name) => shown?.act(name)),
  status: document.getElementById("reading-status"),
  startsAtPassage: () => new FormData(textForm).get("start") !== "top",
};
listen(textForm, () => shown?.redraw());
listenToKeys(keys, (name) => {
  shown?.act(name);
  if (name === "words") tools.own.open();
});

function leave() {
  shown?.leave();
  near.clear();
  shown = null;
}

// The first document is shown before the desk is ready, and announced by it then: whoever reads it already stays there.
function show({ article, near: answer = null }) {
  if (shown?.article !== article) {
    leave();
    if (!article?.closest("#document")) return;
    shown = new Shown(article, tools);
    shown.search();
  }
  if (answer) near.put(article, answer);
}

desk.addEventListener("desk:shown", (event) => show(event.detail));
// With another topic other words count: {title, description, words: {words, address}}.
desk.addEventListener("desk:topic", ({ detail }) => {
  leave();
  tools.topic = topicTerms(detail.title, detail.description);
  tools.own.begin(detail.words);
});
// Its best passages give way to the whole text, for what is to be seen there.
desk.addEventListener("desk:whole", () => shown?.act("whole"));
desk.addEventListener("desk:ready", ({ detail }) => analyseAhead(detail.article, tools.topic, tools.own.words));
desk.addEventListener("desk:passages", ({ detail }) => shown?.markPassages(detail.passages));
desk.addEventListener("desk:selection", ({ detail }) => {
  detail.passage = shown?.selection() ?? null;
});
// Where the desk shows something else than a document, nothing of the last one stays.
new MutationObserver(() => {
  if (!shown || shown.article.isConnected) return;
  leave();
  tools.bar.remove();
}).observe(document.getElementById("document"), { childList: true });
// The first document, which the desk announces a little later, or did before anybody listened.
document.addEventListener("DOMContentLoaded", () => {
  if (!shown) show({ article: document.querySelector("#document article") });
});
