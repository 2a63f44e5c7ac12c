// How far the topic and the sitting are, and the minutes left at this assessor's own pace. There is no clock.

const ENOUGH = 5;
const RECENT = 30;
const PAUSE_MS = 15 * 60_000;

export class Pace {
  constructor(work) {
    this.seconds = work.seconds;
    this.own = [];
    this.elsewhere = work.sitting.elsewhere; // documents of other topics
    this.here = new Set(work.sitting.here);
    this.begun = performance.now() - work.sitting.minutes * 60_000;
    this.last = performance.now();
    this.breakAfter = work.break_minutes;
  }

  // The documents that have an answer of this sitting, each once; one that is taken back has none.
  get sitting() {
    return this.elsewhere + this.here.size;
  }

  judged(docno, milliseconds) {
    const now = performance.now();
    if (now - this.last > PAUSE_MS) {
      this.elsewhere = 0;
      this.here.clear();
      this.begun = now;
    }
    this.last = now;
    this.here.add(docno);
    if (milliseconds > 0) this.own = [...this.own, milliseconds / 1000].slice(-RECENT);
  }

  undone(docno) {
    this.here.delete(docno);
  }

  // Minutes for so many documents, or null while nobody can say.
  minutes(left) {
    const sorted = [...this.own].sort((one, other) => one - other);
    const middle = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
    const seconds = sorted.length >= ENOUGH ? middle : this.seconds;
    return seconds === null ? null : Math.ceil((left * seconds) / 60);
  }

  breakIsDue() {
    return this.breakAfter !== null && performance.now() - this.begun >= this.breakAfter * 60_000;
  }
}
