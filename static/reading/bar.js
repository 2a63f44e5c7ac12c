// The bar above a document: how many hits, the ways to them, and the switch between passages and the whole text.

const hitsText = (count) => (count === 1 ? "1 hit" : `${count.toLocaleString("en")} hits`);

export class ReadingBar {
  #element;

  // `act(name)` is called with the button that was pressed: "next", "previous", "toggle".
  constructor(template, act) {
    this.#element = template.content.firstElementChild.cloneNode(true);
    this.#element.addEventListener("click", (event) => {
      const name = event.target.closest("[data-act]")?.dataset.act;
      if (name) act(name);
    });
  }

  // It stays in its place from one document to the next: what is put in anew is laid out anew.
  place(region) {
    if (this.#element.isConnected) return;
    let strip = region.querySelector(".strip");
    if (!strip) {
      strip = document.createElement("div");
      strip.className = "strip";
      region.prepend(strip);
    }
    const browse = strip.querySelector(".browse");
    if (browse) browse.before(this.#element);
    else strip.append(this.#element);
  }

  remove() {
    this.#element.remove();
  }

  // `terms` are those of the document, each with how often it is there: [word, times]; `current` is the number of the
  // hit where one is, or -1.
  show({ count, current, terms, passages, asPassages }) {
    const found = terms.filter(([, times]) => times).sort(([, one], [, other]) => other - one);
    const words = found.map(([word, times]) => `${word} ${times}`).join(", ");
    const hits = this.#element.querySelector(".hits");
    hits.textContent = current >= 0 ? `${(current + 1).toLocaleString("en")} of ${hitsText(count)}` : hitsText(count);
    hits.title = words;
    this.#element.querySelector(".by-term").textContent = words;
    for (const act of ["next", "previous"]) this.#element.querySelector(`[data-act=${act}]`).disabled = !count;
    const toggle = this.#element.querySelector("[data-act=toggle]");
    toggle.hidden = !passages;
    toggle.querySelector("span").textContent = asPassages ? "Whole text" : "Best passages";
  }
}
