// A topic as its assessor has it: the order, the answer to each document, and which comes next. What the
// server knows is the ground; events are applied on top as they are made, here or in another tab.

export class Topic {
  constructor(work) {
    this.round = [];
    this.unrecorded = new Set(); // of these an answer was not recorded: it is the organiser's business now
    this.replaced = new Map(); // what an answer on its way takes the place of, by the id of its event
    this.replace(work);
  }

  replace(work) {
    this.order = work.order;
    this.places = new Map(work.order.map((docno, index) => [docno, index]));
    this.total = work.total;
    this.atMost = work.at_most; // the total is what the topic has: colleagues may take some of it
    this.oneByOne = work.one_by_one;
    this.inBatches = work.in_batches;
    this.goal = work.goal; // of the training that must be passed before the rest comes; else nothing
    this.closed = work.closed;
    this.answers = new Map(work.said.map((answer) => [answer.docno, answer]));
    this.training = new Set(work.training);
    this.later = new Map(work.later.map(([docno, clientId]) => [docno, clientId]));
    // What can be undone, latest last: every answer given on a screen, and what was put off.
    this.trail = [
      ...work.said
        .filter((answer) => answer.on_screen && !this.training.has(answer.docno))
        .map((answer) => [answer.number, answer.docno]),
      ...work.later.map(([docno, , number]) => [number, docno]),
    ]
      .sort(([one], [other]) => one - other)
      .map(([, docno]) => docno);
  }

  apply(event) {
    const { kind, docno } = event;
    if (!this.places.has(docno)) return;
    if (kind === "comment" || kind === "extras") {
      const answer = this.answers.get(docno);
      const { comment, evidence, ratings, subtopics, client_id } = event;
      const changed = kind === "comment" ? { comment } : { evidence, ratings, subtopics };
      if (answer) this.answers.set(docno, { ...answer, ...changed, client_id });
      return;
    }
    const said = this.answers.get(docno);
    if (said) this.replaced.set(event.client_id, said);
    this.answers.delete(docno);
    this.later.delete(docno);
    this.trail = this.trail.filter((one) => one !== docno);
    if (kind !== "undo" && !this.training.has(docno)) this.trail.push(docno);
    if (kind === "later") this.later.set(docno, event.client_id);
    if (kind === "answer") this.answers.set(docno, event);
  }

  // What the server did not record is no answer: it does not count, and its document does not come again.
  forget({ docno, client_id: clientId }) {
    if (this.before(docno) !== clientId) return;
    this.answers.delete(docno);
    this.later.delete(docno);
    const said = this.replaced.get(clientId);
    if (said) this.answers.set(docno, said);
    else {
      this.trail = this.trail.filter((one) => one !== docno);
      this.unrecorded.add(docno);
    }
  }

  // Whether there may be more than the order has.
  get mayGrow() {
    return (this.inBatches || Boolean(this.goal)) && !this.closed;
  }

  // More of a queue, or what a training opened: what is new comes last, and what went to a colleague meanwhile is
  // gone.
  extend(work, shown) {
    const theirs = new Set(work.order);
    const kept = this.order.filter((docno) => theirs.has(docno) || this.answers.has(docno) || docno === shown);
    const mine = new Set(kept);
    this.order = [...kept, ...work.order.filter((docno) => !mine.has(docno))];
    this.places = new Map(this.order.map((docno, index) => [docno, index]));
    for (const docno of [...this.later.keys()]) if (!this.places.has(docno)) this.later.delete(docno);
    this.trail = this.trail.filter((docno) => this.places.has(docno));
    this.total = work.total;
    this.atMost = work.at_most;
    for (const docno of work.training) this.training.add(docno);
    this.goal = work.goal;
    this.closed = work.closed;
  }

  // What this screen takes for the current answer to a document, by the id of its event.
  before(docno) {
    return this.answers.get(docno)?.client_id ?? this.later.get(docno) ?? "";
  }

  // The documents still to come, in order: without an answer, then those put off, then a second look at the
  // unsure ones where that has begun.
  *coming() {
    for (const docno of this.order) {
      if (!this.answers.has(docno) && !this.later.has(docno) && !this.unrecorded.has(docno)) yield docno;
    }
    yield* this.later.keys();
    yield* this.round;
  }

  next() {
    const { value } = this.coming().next();
    return value ?? null;
  }

  ahead(count, shown) {
    const found = [];
    for (const docno of this.coming()) {
      if (docno === shown) continue;
      found.push(docno);
      if (found.length === count) break;
    }
    return found;
  }

  beginRound() {
    this.round = this.order.filter(
      (docno) => this.answers.get(docno)?.answer === "unsure" && !this.training.has(docno),
    );
  }

  lookedAtAgain(docno) {
    this.round = this.round.filter((one) => one !== docno);
  }

  get counts() {
    const counts = { grade: 0, unsure: 0, cannot_judge: 0 };
    for (const { answer } of this.answers.values()) counts[answer] += 1;
    return counts;
  }

  get answered() {
    return this.answers.size;
  }
}
