// An answer's way to the server: into the outbox, to the account's other tabs, and sent.
import { announce } from "./light.js";
import { hideNotice, isShown, showNotice, showSignedOut } from "./notices.js";
import { openChannel } from "./channel.js";
import { openOutbox } from "./outbox.js";
import { startSender } from "./sender.js";

const MOST_UNSENT = 50;

export class Saving {
  state = "saved"; // of sending: see sender.js
  unsent = 0;
  signedOutElsewhere = false;
  #outbox = null;
  #writing = 0; // events on their way into the outbox
  #sender = { wake() {} };
  #channel;
  #early = []; // what other tabs sent before the outbox was read

  // `onChange()` is called when something changed here, `onReceipts(receipts)` with what became of events,
  // `onMade(event)` with what was answered in another tab.
  constructor({ account, address, signIn, onChange, onReceipts, onMade }) {
    this.account = account;
    this.address = address;
    this.signIn = { label: "Sign in again", address: signIn };
    this.onChange = onChange;
    this.onReceipts = onReceipts;
    this.onMade = onMade;
  }

  // Gives what was left unsent, in order; nothing can be kept before.
  async open() {
    // Other tabs are listened to before the outbox is read: else what they send meanwhile is in neither.
    this.#channel = openChannel(this.account, (message) => (this.#early ? this.#early.push(message) : this.#receive(message)));
    const outbox = await openOutbox(this.account);
    const left = await outbox.all();
    this.#outbox = outbox;
    this.unsent = left.length;
    this.onChange();
    return left;
  }

  start(left) {
    const known = new Set(left.map((event) => event.client_id));
    const early = this.#early.filter(({ type, event }) => type !== "made" || !known.has(event.client_id));
    this.#early = null;
    for (const message of early) this.#receive(message);
    this.#sender = startSender({
      outbox: this.#outbox,
      account: this.account,
      address: this.address,
      onState: (state) => {
        this.#setState(state);
        this.#channel.send({ type: "state", state });
      },
      onReceipts: (receipts) => {
        this.#channel.send({ type: "receipts", receipts });
        this.#take(receipts);
      },
    });
    this.#channel.send({ type: "signed-in" });
    this.#channel.send({ type: "ask" });
    this.#warnPassing();
  }

  get isReady() {
    return this.#outbox !== null;
  }

  // Whether closing the tab now would lose something.
  get wouldLose() {
    return this.#writing > 0 || (this.unsent > 0 && !this.#outbox.lasting);
  }

  // Somebody else may be sitting here.
  get isStopped() {
    return this.state === "other" || this.signedOutElsewhere;
  }

  // Whether one more is taken; where not a notice says why: of an account that is signed out it stands there already.
  mayTake() {
    if (this.isStopped) {
      announce("Not recorded: sign in again first.");
      return false;
    }
    if (this.unsent >= MOST_UNSENT) {
      showNotice("full", `${this.unsent} answers are kept here and not sent yet. Judging goes on as soon as the server has taken them.`);
      this.#sender.wake();
      return false;
    }
    return true;
  }

  // One more is unsent from now on; `keep` follows in the same task.
  expectOne() {
    this.unsent += 1;
    this.#writing += 1;
  }

  keep(event) {
    this.onChange();
    this.#outbox.add(event).then(() => {
      this.#writing -= 1;
      this.#channel.send({ type: "made", event });
      this.#sender.wake();
      this.#warnPassing();
    });
  }

  async recount() {
    this.unsent = (await this.#outbox.count()) + this.#writing;
    if (this.unsent < MOST_UNSENT) hideNotice("full");
    this.onChange();
  }

  askToSignIn() {
    showSignedOut([this.signIn]);
  }

  #take(receipts) {
    this.signedOutElsewhere = false; // the server took them as this account's
    this.onReceipts(receipts);
  }

  #setState(state) {
    this.state = state;
    if (state === "signed-out") this.askToSignIn();
    if (state === "other") {
      showNotice("other", "Another account is signed in on this browser. Your answers are kept here and sent when you sign in again. Until then you cannot judge on this page.", [this.signIn]);
    }
    if (state === "saved" && !this.signedOutElsewhere) for (const matter of ["signed-out", "other"]) hideNotice(matter);
    this.onChange();
  }

  #receive(message) {
    if (message.type === "made") {
      this.onMade(message.event);
      this.recount();
      this.#sender.wake();
    } else if (message.type === "receipts") this.#take(message.receipts);
    else if (message.type === "state") this.#setState(message.state);
    else if (message.type === "ask") this.#channel.send({ type: "state", state: this.state });
    else if (message.type === "signed-out") {
      this.signedOutElsewhere = true;
      showNotice("signed-out", "You signed out in another tab. Your answers are saved, or kept here until you sign in again. Until then you cannot judge on this page.", [this.signIn]);
      this.onChange();
    } else if (message.type === "signed-in") {
      this.signedOutElsewhere = false;
      hideNotice("signed-out");
      this.onChange();
      this.#sender.wake();
    }
  }

  #warnPassing() {
    if (this.#outbox.lasting || isShown("passing")) return;
    showNotice("passing", "This browser stores nothing for this site. Do not close this tab until the light is green.");
  }
}
