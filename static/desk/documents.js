// The documents of a topic as they were fetched: five ahead at once, then in quiet moments more, so that a cut
// network does not stop anybody soon. What comes next is ready as nodes and is only put into the page.

const NEAR = 5;
const FAR = 50;
const A_REQUEST = 20;
const FAR_BYTES = 8_000_000;
const MOST = 100; // for whoever goes back

export class Documents {
  #address;
  #known = new Map();
  #ready = new Map();
  #running = false;
  #onReady;
  #wanted = () => [];

  // `onReady` is called with every article that is ready to be shown.
  constructor(address, onReady) {
    this.#address = address;
    this.#onReady = onReady;
  }

  get(docno) {
    return this.#known.get(docno) ?? null;
  }

  put(found) {
    this.#known.delete(found.docno);
    this.#known.set(found.docno, { ...found, bytes: 2 * found.html.length });
    // One that was fetched before this one's sketch was made does not know of it yet.
    for (const [other, share] of found.near) {
      const near = this.#known.get(other)?.near;
      if (near && !near.some(([docno]) => docno === found.docno)) near.push([found.docno, share]);
    }
  }

  // The article of a known document, new nodes each time: what a reader did to the last is not in it.
  article(docno) {
    const ready = this.#ready.get(docno);
    this.#ready.delete(docno);
    return ready ?? this.#made(docno);
  }

  // Each in a task of its own where it is made ahead, so that no key waits for many.
  #made(docno) {
    const template = document.createElement("template");
    template.innerHTML = this.#known.get(docno).html;
    return document.adoptNode(template.content.firstElementChild);
  }

  async fetch(docnos) {
    const query = docnos.map((docno) => `docno=${encodeURIComponent(docno)}`).join("&");
    const response = await fetch(`${this.#address}?${query}`, { headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(String(response.status));
    for (const found of (await response.json()).documents) this.put(found);
  }

  // From now on these are to come: `ahead(count)` names so many, nearest first.
  expect(ahead) {
    this.#wanted = ahead;
    this.#prepare();
    if (!this.#running) this.#fill();
  }

  #prepare() {
    const near = new Set(this.#wanted(NEAR));
    for (const docno of this.#ready.keys()) if (!near.has(docno)) this.#ready.delete(docno);
    const one = [...near].find((docno) => this.#known.has(docno) && !this.#ready.has(docno));
    if (one === undefined) return;
    const article = this.#made(one);
    this.#ready.set(one, article);
    this.#onReady(article);
    setTimeout(() => this.#prepare());
  }

  async #fill() {
    this.#running = true;
    let farther = false;
    try {
      for (;;) {
        const near = this.#wanted(NEAR).filter((docno) => !this.#known.has(docno));
        const some = near.length ? near : this.#farther(farther);
        farther ||= !near.length;
        if (!some.length) break;
        await this.fetch(some);
        this.#prepare();
        this.#forget();
      }
    } catch {
      // The network is cut, or the work was taken back: the next document that is asked for says which.
    } finally {
      this.#running = false;
    }
  }

  // Begun when several are lacking, so that not every judgment brings a request of its own; then all of them.
  #farther(begun) {
    if (this.#bytesAhead() > FAR_BYTES) return [];
    const all = this.#wanted(FAR);
    const lacking = all.filter((docno) => !this.#known.has(docno));
    return begun || lacking.length >= A_REQUEST || all.length < FAR ? lacking.slice(0, A_REQUEST) : [];
  }

  #bytesAhead() {
    return this.#wanted(FAR).reduce((sum, docno) => sum + (this.#known.get(docno)?.bytes ?? 0), 0);
  }

  #forget() {
    const kept = new Set(this.#wanted(FAR));
    for (const docno of this.#known.keys()) {
      if (this.#known.size <= MOST) return;
      if (!kept.has(docno)) this.#known.delete(docno);
    }
  }
}
