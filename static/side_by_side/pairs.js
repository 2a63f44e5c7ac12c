// The pairs of a task as their assessor has them: what the server knows, and on top the events as they are made, here
// or in another tab.

export class Pairs {
  #unrecorded = new Set(); // of these an answer was not recorded: it is the organiser's business now
  #replaced = new Map(); // what an answer takes the place of, by the id of its event

  // `answered` has {pair, said} of each pair with an answer, in the order in which they were given.
  constructor({ pairs, answered }) {
    this.total = pairs;
    this.answers = new Map(answered.map((answer) => [answer.pair, answer]));
  }

  apply(event) {
    const before = this.answers.get(event.pair);
    if (before) this.#replaced.set(event.client_id, before);
    this.answers.delete(event.pair); // the latest one comes last
    if (event.said !== "withdrawn") this.answers.set(event.pair, event);
  }

  // What the server did not record is no answer, and its pair does not come again.
  forget({ pair, client_id: id }) {
    if (this.answers.get(pair)?.client_id !== id) return;
    this.answers.delete(pair);
    const before = this.#replaced.get(id);
    if (before) this.answers.set(pair, before);
    else this.#unrecorded.add(pair);
  }

  // The pair whose answer can be undone.
  get latest() {
    return [...this.answers.keys()].at(-1) ?? null;
  }

  // The next pairs without an answer, so many at most; `shown` is not among them.
  ahead(count, shown = null) {
    const found = [];
    for (let pair = 1; pair <= this.total && found.length < count; pair += 1) {
      if (pair !== shown && !this.answers.has(pair) && !this.#unrecorded.has(pair)) found.push(pair);
    }
    return found;
  }

  get next() {
    return this.ahead(1)[0] ?? null;
  }
}
