// What is typed in one form of a page is not lost when another of its forms is sent: it comes back with the page. A form
// with data-unsaved asks before its page is left with changes. The second click of a double click sends nothing.
const LASTS_MS = 60_000;
const KEY = "typed";
const TWICE_MS = 700;

const formsOf = () => [...document.querySelectorAll("main form")].filter((form) => form.method !== "dialog");

// By where it is sent: what follows the question mark may change with the page.
const nameOf = (form) => new URL(form.action, location.href).pathname + form.method;

// With what the form was made from, so that a change that somebody else saved meanwhile is still noticed.
const KEPT = "textarea, select, input:not([type=hidden], [type=file], [type=password]), input[name=was]";
const isTyped = (field) => field.name && field.matches(KEPT);

function changed(field) {
  if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
  if (field.matches("select")) return [...field.options].some((one) => one.selected !== one.defaultSelected);
  return field.value !== field.defaultValue;
}

const fieldsOf = (form) => [...form.elements].filter(isTyped);
const isChanged = (form) => fieldsOf(form).some((field) => field.name !== "was" && changed(field));

function keep(sent) {
  const found = {};
  for (const form of formsOf()) {
    if (form === sent || !isChanged(form)) continue;
    found[nameOf(form)] = fieldsOf(form).map(({ name, value, checked }) => [name, value, checked]);
  }
  if (Object.keys(found).length) sessionStorage.setItem(KEY, JSON.stringify({ at: Date.now(), found }));
  else sessionStorage.removeItem(KEY);
}

function bringBack() {
  const { at, found } = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
  sessionStorage.removeItem(KEY);
  if (!found || Date.now() - at > LASTS_MS) return;
  for (const form of formsOf()) {
    const fields = fieldsOf(form);
    const typed = found[nameOf(form)] ?? [];
    // The page may have other fields by now.
    if (fields.length !== typed.length || fields.some((field, index) => field.name !== typed[index][0])) continue;
    fields.forEach((field, index) => {
      const [, value, checked] = typed[index];
      if (field.matches("[type=checkbox], [type=radio]")) field.checked = checked;
      else field.value = value;
    });
  }
}

bringBack();
let isSent = false;
let sentAt = -TWICE_MS;
document.addEventListener("submit", (event) => {
  if (event.target.method === "post" && !event.defaultPrevented) {
    if (event.timeStamp - sentAt < TWICE_MS) return event.preventDefault();
    sentAt = event.timeStamp;
  }
  isSent = event.target.method === "post"; // of a search nothing is brought back
  keep(event.target);
});
addEventListener("beforeunload", (event) => {
  if (!isSent && [...document.querySelectorAll("form[data-unsaved]")].some(isChanged)) event.preventDefault();
});
