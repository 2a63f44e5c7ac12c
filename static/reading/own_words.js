// The assessor's own words: chips in the margin, and the box that H opens. Kept per assessor and topic.
import { fold } from "./folding.js";
import { MOST_OWN } from "./terms.js";

const LONGEST = 60;
const NOT_KEPT = "These words could not be saved yet; they are used here meanwhile.";
const clean = (word) => word.replace(/\s+/g, " ").trim().slice(0, LONGEST);
const same = (one, other) => fold(one) === fold(other);

// The words after one was typed: one that is there already goes, a sixth is refused with null.
export function toggled(words, typed) {
  const word = clean(typed);
  if (!/[\p{L}\p{N}]/u.test(word)) return words;
  const others = words.filter((known) => !same(known, word));
  if (others.length < words.length) return others;
  return words.length < MOST_OWN ? [...words, word] : null;
}

export class OwnWords {
  constructor({ words, address }, changed) {
    Object.assign(this, { words, address });
    this.changed = changed;
    this.counts = [];
    this.sending = Promise.resolve();
    this.lists = [...document.querySelectorAll(".own-words")];
    this.box = document.getElementById("words");
    this.field = this.box.querySelector("input");
    this.output = this.box.querySelector("output");
    this.box.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.toggle(this.field.value);
    });
    for (const list of this.lists) {
      list.addEventListener("click", (event) => {
        const chip = event.target.closest("[data-word]");
        if (chip) this.toggle(chip.dataset.word);
      });
    }
    this.box.addEventListener("toggle", (event) => {
      if (event.newState === "open" && !this.box.contains(document.activeElement)) this.field.focus();
    });
    this.draw();
  }

  // The words of another topic, and where they are kept.
  begin({ words, address }) {
    Object.assign(this, { words, address, counts: [], kept: null });
    this.output.value = "";
    this.draw();
  }

  open() {
    // What is selected is most often what is meant.
    const selected = clean(String(getSelection()));
    if (selected && selected.length < LONGEST) this.field.value = selected;
    this.output.value = "";
    this.box.showPopover();
    // At once: its event comes later than the next key.
    this.field.focus();
    this.field.select();
  }

  toggle(typed) {
    const words = toggled(this.words, typed);
    if (words === null) {
      this.output.value = `You can highlight at most ${MOST_OWN} words. Remove one first.`;
      return;
    }
    if (words === this.words) return;
    const gone = words.length < this.words.length;
    this.words = words;
    this.output.value = gone ? "Removed." : "Added.";
    this.field.value = "";
    this.draw();
    this.changed(words);
    this.#keep();
  }

  count(counts) {
    this.counts = counts;
    this.draw();
  }

  draw() {
    for (const list of this.lists) {
      const hasFocus = list.contains(document.activeElement);
      list.replaceChildren(...this.words.map((word, index) => this.#chip(word, index)));
      if (hasFocus && list.closest("[popover]")) this.field.focus();
    }
  }

  #chip(word, index) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = `chip own-${index + 1}`;
    button.dataset.word = word;
    const text = document.createElement("bdi");
    text.textContent = word;
    const count = this.counts[index];
    button.append(text, count === undefined ? "" : ` ${count.toLocaleString("en")}`, " ×");
    button.setAttribute("aria-label", `${word}${count === undefined ? "" : `, ${count} hits`}: remove`);
    item.append(button);
    return item;
  }

  // One request at a time, so that the newest words are the last to arrive; a failure is shown, and repaired by
  // the next change or when the network is back.
  #keep() {
    const { address } = this;
    const body = JSON.stringify({ words: this.words });
    this.sending = this.sending.then(async () => {
      if (body === this.kept) return;
      try {
        const headers = { "Content-Type": "application/json", Accept: "application/json" };
        const answer = await fetch(address, { method: "PUT", headers, body });
        if (!answer.ok) throw new Error(String(answer.status));
        if (address === this.address) this.kept = body;
        if (this.output.value === NOT_KEPT) this.output.value = "";
      } catch {
        this.kept = null; // they may have arrived all the same, and only the answer did not
        this.output.value = NOT_KEPT;
        addEventListener("online", () => this.#keep(), { once: true });
      }
    });
  }
}
