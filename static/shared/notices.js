// The box above the bar: what a person should know or do, each notice until it is taken away.
import { byId, make } from "./dom.js";

// `name` tells one notice from another; the same name again replaces it. `links` are {label, address} or {label, act}.
export function showNotice(name, text, links = []) {
  hideNotice(name);
  const notice = make("p", {}, text);
  notice.dataset.matter = name;
  for (const { label, address, act } of links) {
    const link = address
      ? make("a", { href: address, target: "_blank" }, label)
      : make("button", { type: "button", className: "link", onclick: act }, label);
    notice.append(" ", link);
  }
  byId("trouble").append(notice);
}

export function hideNotice(name) {
  byId("trouble").querySelector(`[data-matter="${CSS.escape(name)}"]`)?.remove();
}

export const isShown = (name) => Boolean(byId("trouble").querySelector(`[data-matter="${CSS.escape(name)}"]`));

// Once, however often it is tried: a screen reader would read it each time.
export function showSignedOut(links = []) {
  if (isShown("signed-out")) return;
  showNotice("signed-out", "You are signed out. Your answers are kept here and sent when you have signed in again, in another tab.", links);
}

// The server's own page on why it refuses, in the place of everything else.
export function showRefusal(html) {
  byId("trouble").innerHTML = html;
}

export function hideNotices() {
  byId("trouble").replaceChildren();
}
