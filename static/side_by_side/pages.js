// The two sides of each pair as the server writes them, some fetched ahead, so that an answer has the next pair at once
// and a cut network stops nobody soon.
import { AS_FRAGMENT } from "../shared/form_sender.js";

const AHEAD = 5;
const MOST = 20; // kept, so that an undo finds its pair

export class Pages {
  #address;
  #known = new Map(); // by pair: {left, right, news}
  #isRunning = false;

  constructor(address) {
    this.#address = address;
  }

  has(pair) {
    return this.#known.has(pair);
  }

  // {sides, news}: new nodes each time, since what a reader did to the last ones is not in these.
  get(pair) {
    const { sides, news } = this.#known.get(pair);
    return { sides: sides.map((side) => side.cloneNode(true)), news };
  }

  // The desk of a response, or the one of the page. Returns whether it has a pair.
  put(pair, desk) {
    const sides = [...desk.querySelectorAll(".side")].map((side) => {
      const kept = document.createDocumentFragment();
      kept.append(...[...side.childNodes].map((node) => node.cloneNode(true)));
      return kept;
    });
    if (sides.length !== 2) return false;
    this.#known.delete(pair);
    this.#known.set(pair, { sides, news: desk.dataset.announce });
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value);
    return true;
  }

  // "here", "gone" where the task is no longer one's own, "signed-out", or "failing".
  async fetch(pair) {
    try {
      const response = await fetch(`${this.#address}?pair=${pair}`, { headers: AS_FRAGMENT });
      if (response.status === 404) return "gone";
      if (response.status === 401) return "signed-out";
      if (!response.ok) return "failing";
      const template = document.createElement("template");
      template.innerHTML = await response.text();
      const desk = template.content.querySelector("#sides");
      return desk && this.put(pair, desk) ? "here" : "failing";
    } catch {
      return "failing";
    }
  }

  // Fetches what comes next; `ahead(count)` names so many pairs, the nearest first.
  async expect(ahead) {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (;;) {
      const pair = ahead(AHEAD).find((one) => !this.has(one));
      if (pair === undefined || (await this.fetch(pair)) !== "here") break;
    }
    this.#isRunning = false;
  }
}
