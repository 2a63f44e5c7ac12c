// The cost planner's sliders. What follows from the growth table of a depth pool is computed here, at once; for
// anything else the form asks htmx to fetch the part of the page that changes. Without this file the form works
// by its button.
const form = document.getElementById("plan");
// Fields whose result follows from the growth table of a depth pool and the sizes that are shown.
const LOCAL = new Set(["depth", "per_pair", "assessors", "seconds"]);

const byId = (id) => document.getElementById(id);
const grouped = (number) => Math.round(number).toLocaleString("en");
const tenths = (number) =>
  number.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const counted = (number, one) => `${grouped(number)} ${one}${Math.round(number) === 1 ? "" : "s"}`;

let growth = null; // {topics: Map of topic to sizes at depth 1, 2, ..., total: the same of all}
let outdated = false; // the server has been asked: what is shown is of an earlier form

// ---- what the server sent ---------------------------------------------------------------------------------

function summed(row) {
  let sum = 0;
  return row.map((count) => (sum += count));
}

function readGrowth() {
  const sent = byId("details").dataset.growth;
  growth = null;
  if (!sent) return;
  const { topics, new: rows } = JSON.parse(sent);
  const sizes = rows.map(summed);
  const total = (sizes[0] ?? []).map((_, at) => sizes.reduce((sum, row) => sum + row[at], 0));
  growth = { topics: new Map(topics.map((topic, at) => [topic, sizes[at]])), total };
}

// ---- computing ---------------------------------------------------------------------------------------------

function number(name) {
  const field = form.elements[name];
  return field.value === "" || !field.validity.valid ? NaN : Number(field.value);
}

function work() {
  const seconds = form.elements.seconds.value === "" ? Number(byId("details").dataset.seconds) : number("seconds");
  const each = { perPair: number("per_pair"), assessors: number("assessors"), seconds };
  const sound = Number.isInteger(each.perPair) && Number.isInteger(each.assessors) && each.seconds > 0;
  return sound && each.perPair <= each.assessors ? each : null;
}

const hours = ({ perPair, seconds }, pairs) => (pairs * perPair * seconds) / 3600;

function show(name, text) {
  const place = byId("summary").querySelector(`[data-show="${name}"]`);
  if (place && place.textContent !== text) place.textContent = text;
}

// Show the sizes at a depth from the table; false where the table does not have them.
function showDepth(now) {
  const depth = number("depth");
  const own = ["depth-run_depths", "depth-topic_depths"].some((name) => form.elements[name].value.trim());
  const deepest = Number(byId("details").dataset.deepest);
  if (!growth || outdated || own || !Number.isInteger(depth)) return false;
  const size = (sizes, at) => sizes[Math.min(at, sizes.length) - 1];
  // Beyond the longest list a pool grows no more; before it the table must go one step further.
  if (depth + 1 > growth.total.length && growth.total.length < deepest) return false;
  const pairs = size(growth.total, depth);
  const step = size(growth.total, depth + 1) - pairs;
  show("pairs", grouped(pairs));
  show("hours", `${tenths(hours(now, pairs))} h`);
  show("judgments", counted(pairs * now.perPair, "judgment"));
  show("each", `${tenths(hours(now, pairs) / now.assessors)} h`);
  show("assessors", counted(now.assessors, "assessor"));
  show("recipe", byId("summary").querySelector('[data-show="recipe"]').textContent.replace(/^depth \d+/, `depth ${depth}`));
  show("step", `+ ${counted(step, "pair")}`);
  show("step-hours", `+ ${tenths(hours(now, step))} h`);
  showTopics(depth, size);
  const row = byId("details").querySelector("tr[data-now]");
  if (row) {
    row.cells[0].textContent = row.cells[0].textContent.replace(/depth \d+/, `depth ${depth}`);
    row.cells[1].textContent = grouped(pairs);
    row.cells[2].dataset.hours = String(pairs);
  }
  return true;
}

function showTopics(depth, size) {
  const rows = [...byId("details").querySelectorAll("tr[data-topic]")];
  const pairs = new Map(rows.map((row) => [row, growth.topics.has(row.dataset.topic) ? size(growth.topics.get(row.dataset.topic), depth) : 0]));
  const largest = Math.max(1, ...pairs.values());
  for (const [row, count] of pairs) {
    row.querySelector('[data-show="pairs"]').textContent = grouped(count);
    row.querySelector("[data-hours]").dataset.hours = String(count);
    row.querySelector('[data-show="none"]').hidden = count > 0;
    const bar = row.querySelector("svg");
    bar.setAttribute("aria-label", `${count} of ${largest} pairs`);
    bar.querySelector("rect")?.setAttribute("width", String((1000 * count) / largest));
  }
  // The largest first; equal ones stay as they are.
  const sorted = rows.toSorted((one, other) => pairs.get(other) - pairs.get(one));
  if (sorted.some((row, at) => row !== rows[at])) rows[0]?.parentElement.append(...sorted);
}

function showHours(now) {
  for (const cell of byId("details").querySelectorAll("[data-hours]")) {
    cell.textContent = tenths(hours(now, Number(cell.dataset.hours)));
  }
}

// ---- asking the server ------------------------------------------------------------------------------------

function changed(name) {
  const chosen = new FormData(form).get("strategy");
  const now = work();
  if (LOCAL.has(name) && chosen === "depth" && now && showDepth(now)) {
    showHours(now);
    return;
  }
  outdated = true;
  byId("result").setAttribute("aria-busy", "true");
  form.dispatchEvent(new Event("ask"));
}

if (form) {
  document.addEventListener("htmx:after:swap", () => {
    outdated = false;
    readGrowth();
  });
  document.addEventListener("htmx:error", () => show("recipe", "The server did not answer. Try again."));
}

// ---- sliders and their fields -----------------------------------------------------------------------------

form?.addEventListener("input", (event) => {
  const field = event.target;
  if (field.dataset.of) {
    form.elements[field.dataset.of].value = field.value;
    changed(field.dataset.of);
    return;
  }
  const slider = form.querySelector(`input[data-of="${CSS.escape(field.name)}"]`);
  if (slider && field.value !== "") {
    const most = field.name.endsWith("depth") ? Number(byId("details").dataset.deepest ?? slider.max) : Infinity;
    if (Number(field.value) > Number(slider.max)) slider.max = String(Math.min(Number(field.value), most));
    slider.value = field.value;
  }
  changed(field.name);
});

if (form && byId("details")) readGrowth();
