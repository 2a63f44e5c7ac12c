// The topic beside the document, or folded to a line above it. Which of the two is kept with the account, as how text
// looks; a screen too low for both has the line, and the topic over the document while somebody looks it up.
import { byId } from "../shared/dom.js";
import { announce } from "../shared/light.js";

const low = matchMedia("(max-height: 500px)");
const button = byId("fold");
const form = document.querySelector("#text form");
// What is new of grades and guidelines stands there, and is to be seen with the first document.
let hasNews = document.getElementById("news") !== null;
let isLookedUp = hasNews;

const choiceOf = (value) => form.querySelector(`input[name=topic][value=${value}]`);
const isFolded = () => (low.matches || choiceOf("line").checked) && !isLookedUp;

function draw() {
  const isLine = isFolded();
  byId("desk").dataset.topic = isLine ? "line" : "whole";
  button.setAttribute("aria-expanded", String(!isLine));
  button.querySelector("span").textContent = isLine ? "Unfold" : "Fold";
}

export function toggleTopic() {
  if (low.matches || isLookedUp) isLookedUp = !isLookedUp;
  else {
    const choice = choiceOf(isFolded() ? "whole" : "line");
    choice.checked = true;
    choice.dispatchEvent(new Event("change", { bubbles: true })); // reading/text_choice.js keeps it
  }
  draw();
  announce(isFolded() ? "The topic is folded to a line" : "The topic is shown");
}

// Where something in it is asked for.
export function showTopic() {
  if (!isFolded()) return;
  isLookedUp = true;
  draw();
}

// Looked up it was for one document.
export function leaveTopic() {
  if (!isLookedUp) return;
  isLookedUp = hasNews;
  hasNews = false;
  draw();
}

export function listenToTopic() {
  button.hidden = false;
  button.addEventListener("click", toggleTopic);
  low.addEventListener("change", draw);
  form.addEventListener("change", draw);
  draw();
}
