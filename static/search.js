// Keys of the search pages: one opens a document, one judges it, one goes back. Without this everything is a form. htmx
// puts what the server answers into the page: hits, the next of them, the document beside them and the hit that was judged.
import { isOnControl, listenToKeys } from "./shared/keys.js";

const hits = () => [...document.querySelectorAll("[data-hit]")];
const current = () => document.querySelector("[data-hit][aria-current]");
let isLeaving = false;

// Moves the focus to the next hit, or with -1 to the one before; the first time from the one that is open.
function step(by) {
  const all = hits();
  const from = all.includes(document.activeElement) ? document.activeElement : current();
  const at = from ? all.indexOf(from) + by : 0;
  const next = all[Math.min(Math.max(at, 0), all.length - 1)];
  next?.focus();
  next?.closest("li").scrollIntoView({ block: "nearest" });
}

function openNext() {
  const all = hits();
  const next = all.find((hit) => !hit.closest("li.done")) ?? all[0];
  if (next) press(next);
}

// Once: what is pressed while the page is on its way to the server would go to a document that nobody has seen.
function press(control) {
  if (isLeaving) return;
  isLeaving = control.matches("button");
  control.click();
}

function actionOf(key, event) {
  if (key === "arrowdown" || key === "j") return () => step(1);
  if (key === "arrowup" || key === "k") return () => step(-1);
  if (key === "/") return () => document.getElementById("query").focus();
  if (key === "enter") return isOnControl(event.target) ? null : openNext;
  const control = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  return control && (() => press(control));
}

listenToKeys({ find: actionOf, leave: () => hits()[0] ?? null });
window.addEventListener("pageshow", (event) => {
  isLeaving = false;
  // Hits out of the browser's memory could lack what was judged since.
  if (event.persisted) location.reload();
});

// The document and the buttons below it have the height of the window then. Keys are heard from now on; those that
// scroll, by the document.
function showOpened() {
  document.querySelector(".found").scrollIntoView();
  // On a narrow page the document stands above the hits.
  if (!matchMedia("(max-width: 800px)").matches) current().closest("li").scrollIntoView({ block: "nearest" });
  document.getElementById("opened-document").focus({ preventScroll: true });
}

function begin() {
  if (current()) showOpened();
  else hits()[0]?.focus({ preventScroll: true });
}

// The hit beside which the document is open, which the server names by its rank.
function markCurrent() {
  const { rank } = document.getElementById("opened").dataset;
  for (const hit of hits()) hit.removeAttribute("aria-current");
  if (rank) document.querySelector(`#hit-${rank} [data-hit]`)?.setAttribute("aria-current", "true");
}

// Nothing was found: other words are next.
function typeOn() {
  const query = document.getElementById("query");
  query.focus({ preventScroll: true });
  query.setSelectionRange(query.value.length, query.value.length);
}

// What a page that is loaded would be read out with.
function tellFound() {
  document.getElementById("status").textContent = document.querySelector(".understood")?.textContent ?? "";
}

let hitsBefore = 0;
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  hitsBefore = hits().length;
  document.getElementById("trouble").replaceChildren();
  // Where the field that goes had the focus, the browser would lay out the page with the hits before and the new ones.
  if (ctx.target.id === "searching" && ctx.response.status < 400) document.activeElement.blur();
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  const { status } = ctx.response;
  if (status >= 400) {
    const refused = document.querySelector("#searching [role=alert]")?.closest("form");
    refused?.querySelector("textarea, input[type=search], button")?.focus();
  } else if (ctx.target.id === "hits") {
    hits()[hitsBefore]?.focus();
  } else {
    if (ctx.target.id === "opened") markCurrent();
    else {
      tellFound();
      window.scrollTo(0, 0);
    }
    begin();
    if (!hits().length) typeOn();
  }
});
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  isLeaving = Boolean(ctx.hx?.redirect);
  // Signed out: the page itself leads to signing in, and back.
  if (ctx.response?.status === 401) location.reload();
  if (!ctx.response && !ctx.status.includes("AbortError")) {
    document.getElementById("trouble").textContent = "The server did not answer. Try again.";
  }
});
begin();
