// Sends the outbox: in order, one request in flight, again and again until the server has answered for every event.
// Of all tabs of an account one sends; when it closes another takes over.
import { Backoff, onWake, post } from "./sending.js";

const MOST_EVENTS = 20;
// Nobody who is not signed in may send more than 64 KiB, and a disabled account counts as nobody.
const MOST_BYTES = 40_000;

// Here a conflict is always another account, and nothing but a receipt refuses an answer.
const STATE_OF = { conflict: "other", refused: "failing" };

// Why the server cannot read a batch, in its own words; null where somebody else refuses, such as a proxy.
function whyRefused({ outcome, reason }) {
  if (outcome !== "refused") return null;
  try {
    const { why } = JSON.parse(reason);
    return typeof why === "string" ? why : null;
  } catch {
    return null;
  }
}

function batchOf(events, most) {
  const batch = [];
  const utf8 = new TextEncoder();
  let bytes = 0;
  for (const event of events) {
    bytes += utf8.encode(JSON.stringify(event)).length;
    if (batch.length === most || (batch.length && bytes > MOST_BYTES)) break;
    batch.push(event);
  }
  return batch;
}

// Sends a batch once: {outcome: "sent", result: receipts}, or why not.
function send(address, account, events) {
  const sent = new Set(events.map((event) => event.client_id));
  return post(address, {
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ account, events }),
    async read(response) {
      const { receipts } = await response.json();
      return receipts.length && receipts.every((one) => sent.has(one.client_id)) ? receipts : null;
    },
  });
}

// Whatever a page makes of it, sending goes on.
function notify(listener, news) {
  try {
    listener(news);
  } catch (error) {
    reportError(error);
  }
}

export function startSender({ outbox, account, address, onState, onReceipts }) {
  const backoff = new Backoff();
  let isRunning = false;
  let most = MOST_EVENTS;

  async function run() {
    if (isRunning) return;
    isRunning = true;
    for (;;) {
      const woken = backoff.asleep(); // before the outbox is read: what is added meanwhile wakes it
      const batch = batchOf(await outbox.all(), most);
      if (!batch.length) {
        backoff.reset();
        notify(onState, "saved");
        await woken;
        continue;
      }
      if (!backoff.hasFailed) notify(onState, "sending");
      const answer = await send(address, account, batch);
      const { outcome } = answer;
      const why = whyRefused(answer);
      if (why !== null && batch.length > 1) {
        most = 1; // one of them cannot be read: the others go by themselves
        continue;
      }
      // One that cannot be read is kept in this browser, and those behind it are sent.
      const unreadable = why === null ? null : batch.map(({ client_id }) => ({ client_id, outcome: "refused", why }));
      if (outcome !== "sent" && !unreadable) {
        notify(onState, STATE_OF[outcome] ?? outcome);
        // Not after what came while it was being sent, such as the network: that would wait up to 15 seconds.
        await Promise.race([woken, backoff.failed()]);
        continue;
      }
      backoff.reset();
      const receipts = unreadable ?? answer.result;
      if (unreadable) most = MOST_EVENTS;
      const receiptOf = new Map(receipts.map((one) => [one.client_id, one]));
      const refused = batch.filter((event) => receiptOf.get(event.client_id)?.outcome === "refused");
      await outbox.settle(new Set(receiptOf.keys()), refused);
      notify(onReceipts, receipts.map((receipt) => ({
        ...receipt,
        event: batch.find((event) => event.client_id === receipt.client_id),
      })));
    }
  }

  const name = `workbench-sender-${account}`;
  // Without locks (plain http, or where they are refused) every tab sends; each event has its id, so it is recorded
  // once all the same.
  if (navigator.locks) navigator.locks.request(name, run).catch(run);
  else run();

  const wake = () => {
    // What only this tab keeps no other tab can send.
    if (!outbox.lasting) run();
    backoff.wake();
  };
  onWake(wake);
  wake(); // a tab whose outbox does not last waits for no lock
  return { wake };
}
