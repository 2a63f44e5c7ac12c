// The ordered outbox of one account: answers that have not been acknowledged. It outlives the tab.
//
// A database for each account, by a key that no other installation has: what one account left unsent is never
// seen, let alone sent, by another that signs in on the same browser.

const NAME = "workbench-outbox-";

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function opened(account) {
  const request = indexedDB.open(NAME + account, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("events", { autoIncrement: true });
    request.result.createObjectStore("refused", { autoIncrement: true });
  };
  return done(request);
}

// Nothing of it rejects: where the disk fails the tab itself keeps the answers.
class StoredOutbox {
  lasting = true;
  #database;
  #numbers = new Map(); // in which order this tab made them, by the events' ids
  #overflow = []; // what could not be written, and everything after it
  #settled = new Set(); // what was acknowledged and could not be taken out

  constructor(database) {
    this.#database = database;
  }

  // Transactions run in the order in which they were begun, over all tabs: so the events keep theirs.
  #change(stores, act) {
    const transaction = this.#database.transaction(stores, "readwrite", { durability: "strict" });
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      act(transaction);
    });
  }

  async add(event) {
    this.#numbers.set(event.client_id, this.#numbers.size);
    if (this.lasting) {
      try {
        await this.#change(["events"], (transaction) => {
          transaction.objectStore("events").add(event);
          // At once, and not when the page knows that it was added: by then its tab may be closed.
          transaction.commit();
        });
        return;
      } catch {
        this.lasting = false;
      }
    }
    this.#overflow.push(event);
  }

  async all() {
    const all = (await this.#read((store) => store.getAll(), [])).filter((event) => !this.#settled.has(event.client_id));
    // What was answered before something that could be written comes before it.
    const numberOf = ({ client_id: id }) => this.#numbers.get(id) ?? -1;
    for (const event of this.#overflow) {
      const after = all.findIndex((one) => numberOf(one) > numberOf(event));
      all.splice(after < 0 ? all.length : after, 0, event);
    }
    return all;
  }

  async count() {
    if (this.#settled.size) return (await this.all()).length;
    return (await this.#read((store) => store.count(), 0)) + this.#overflow.length;
  }

  async #read(ask, none) {
    try {
      return await done(ask(this.#database.transaction("events").objectStore("events")));
    } catch {
      // The browser has taken the database away: it was cleared, or its disk is gone.
      this.lasting = false;
      return none;
    }
  }

  // Takes out what was acknowledged; what the server will never take is kept apart, not dropped.
  async settle(clientIds, refused = []) {
    this.#overflow = this.#overflow.filter((event) => !clientIds.has(event.client_id));
    try {
      await this.#change(["events", "refused"], (transaction) => {
        for (const event of refused) transaction.objectStore("refused").add(event);
        transaction.objectStore("events").openCursor().onsuccess = ({ target }) => {
          const cursor = target.result;
          if (!cursor) return;
          if (clientIds.has(cursor.value.client_id)) cursor.delete();
          cursor.continue();
        };
      });
    } catch {
      for (const id of clientIds) this.#settled.add(id);
    }
  }
}

// Where the browser keeps nothing (a private window of some browsers) the events live as long as the tab.
class PassingOutbox {
  lasting = false;
  #events = [];

  async add(event) {
    this.#events.push(event);
  }

  async all() {
    return [...this.#events];
  }

  async count() {
    return this.#events.length;
  }

  async settle(clientIds) {
    this.#events = this.#events.filter((event) => !clientIds.has(event.client_id));
  }
}

export async function openOutbox(account) {
  try {
    return new StoredOutbox(await opened(account));
  } catch {
    return new PassingOutbox();
  }
}

// Whether an account may have left something: a page that is no desk makes no database for everybody.
export async function hasOutbox(account) {
  try {
    if (!indexedDB.databases) return true;
    return (await indexedDB.databases()).some(({ name }) => name === NAME + account);
  } catch {
    return false;
  }
}
