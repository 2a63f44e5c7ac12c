// The light says how saving stands; the box above the bar says what a person should know or do.
import { byId, make } from "../shared/dom.js";

const SAYS = {
  saved: ["saved", () => "saved"],
  waiting: ["sending", () => "choosing the next document"],
  fetching: ["sending", () => "fetching the document"],
  sending: ["sending", (unsent) => `sending ${unsent}`],
  offline: ["failed", (unsent) => `offline ${unsent}`],
  failing: ["failed", (unsent) => `not saved yet ${unsent}`],
  "signed-out": ["failed", (unsent) => `signed out ${unsent}`],
  other: ["failed", (unsent) => `not sent ${unsent}`],
};

export function light(state, unsent) {
  const [kind, text] = SAYS[state];
  const says = text(unsent);
  const place = byId("light-text");
  byId("light").dataset.state = kind;
  if (place.textContent !== says) place.textContent = says;
}

export function announce(text) {
  byId("status").textContent = text;
}

// Says something in the box until it is taken back; `name` tells one matter from another, and the same again
// replaces it. `ways` are {label, address} or {label, act}.
export function say(name, text, ways = []) {
  unsay(name);
  const said = make("p", {}, text);
  said.dataset.matter = name;
  for (const { label, address, act } of ways) {
    const way = address
      ? make("a", { href: address, target: "_blank" }, label)
      : make("button", { type: "button", className: "link", onclick: act }, label);
    said.append(" ", way);
  }
  byId("trouble").append(said);
}

export function unsay(name) {
  byId("trouble").querySelector(`[data-matter="${CSS.escape(name)}"]`)?.remove();
}

export const isSaid = (name) => Boolean(byId("trouble").querySelector(`[data-matter="${CSS.escape(name)}"]`));
