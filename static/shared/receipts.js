// What a person should know of what became of an answer: not recorded, or another answer given on another screen.
import { hideNotice, showNotice } from "./notices.js";

function inWords({ answer, grade }, grades) {
  if (answer === "unsure") return "unsure";
  if (answer === "cannot_judge") return "cannot judge";
  const found = grades.find(([value]) => value === grade);
  return found ? found[1] : String(grade);
}

// Computed by the server: this machine's clock may be wrong.
function ago(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "a moment ago";
  return minutes === 1 ? "1 minute ago" : `${minutes.toLocaleString("en")} minutes ago`;
}

const understood = (name) => ({ label: "Understood", act: () => hideNotice(name) });

// The latest counts and both are recorded; whoever gave both should know it. `onLook(docno)` goes to it, null where it
// is on the desk.
export function answeredElsewhere({ event, elsewhere }, desk, onLook) {
  const name = onLook ? `elsewhere-${event.docno}` : "elsewhere"; // goes with the document on the desk
  const title = desk.titleOf(event.docno) ?? "this document";
  const what = onLook
    ? `You said “${inWords(elsewhere, desk.grades)}” for “${title}” on another screen ${ago(elsewhere.seconds_ago)}. The latest counts.`
    : `You said “${inWords(elsewhere, desk.grades)}” for this on another screen ${ago(elsewhere.seconds_ago)}. Your answer here replaces it.`;
  const ways = [understood(name)];
  if (onLook) ways.unshift({ label: "Look again", act: () => { hideNotice(name); onLook(event.docno); } });
  showNotice(name, what, ways);
}

let aside = 0;
let refused = 0;

export function notRecorded({ outcome, why }) {
  if (outcome === "kept_aside") {
    aside += 1;
    const what = aside === 1 ? "An answer was not recorded" : `${aside} answers were not recorded`;
    showNotice("aside", `${what}: ${why}. Stored for the organiser, who decides; nothing is lost.`, [understood("aside")]);
  } else {
    refused += 1;
    const what = refused === 1 ? "An answer was refused" : `${refused} answers were refused`;
    showNotice("refused", `${what}: ${why}. This browser keeps a copy; tell the organiser.`, [understood("refused")]);
  }
}
