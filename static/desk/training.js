// Training: after each answer the known grade is shown, and why; one goes on by Enter.
import { make } from "../shared/dom.js";

export class Training {
  #place;
  #asked = null; // the answer of which the known grade is awaited
  #panel = null;

  constructor(place) {
    this.#place = place;
  }

  // Whether nothing else can be judged now.
  get waits() {
    return this.#asked !== null;
  }

  // The answer with this id is on its way; `label` is its grade in words, `onGoOn()` goes to the next document.
  ask(clientId, label, onGoOn) {
    this.#asked = { clientId, label, onGoOn };
    this.#show("told", make("p", {}, "The expected grade appears as soon as the server has your answer."));
  }

  // A receipt: shows the known grade; without one there is nothing to wait for. Gives the text shown, or null.
  take({ client_id: clientId, feedback }) {
    if (this.#asked?.clientId !== clientId) return null;
    if (!feedback) {
      this.goOn();
      return null;
    }
    const { label } = this.#asked;
    const verdict = make("p", {}, make("b", {}, feedback.same ? "Correct:" : "Expected:"), " ",
      make("bdi", {}, feedback.label));
    if (!feedback.same && label) verdict.append(". You answered: ", make("bdi", {}, label));
    verdict.append(".");
    const lines = [verdict];
    if (feedback.why) lines.push(make("p", { dir: "auto" }, feedback.why));
    if (feedback.result) lines.push(make("p", { className: "result" }, feedback.result));
    const enter = make("kbd", { className: "key" }, "Enter");
    const button = make("button", { type: "button", className: "button primary", onclick: () => this.goOn() }, "Continue ", enter);
    this.#show(`told ${feedback.same ? "good" : "poor"}`, ...lines, make("p", { className: "ways" }, button));
    return `${lines.map((line) => line.textContent).join(" ")} Press Enter to go on.`;
  }

  // Enter: on to the next document once the known grade is shown. Gives whether it did anything.
  enter() {
    if (!this.#asked) return false;
    this.#panel.querySelector("button")?.click();
    return true;
  }

  goOn() {
    const { onGoOn } = this.#asked;
    this.#asked = null;
    this.#panel?.remove();
    onGoOn();
  }

  #show(className, ...lines) {
    this.#place.querySelectorAll(".told").forEach((panel) => panel.remove());
    this.#panel = make("div", { className }, ...lines);
    this.#place.querySelector("article").before(this.#panel);
    this.#place.scrollTop = 0;
  }
}
