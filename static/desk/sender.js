// Sends the outbox: in order, one request in flight, again and again until the server has said what became of
// every event. Of all tabs of an account one sends; when it closes another takes over.

const RETRY_SECONDS = [1, 2, 4, 8, 15];
const MOST_EVENTS = 20;
// Nobody who is not signed in may send more than 64 KiB, and a disabled account counts as nobody.
const MOST_BYTES = 40_000;
const TIMEOUT_MS = 20_000;

function batchOf(events) {
  const batch = [];
  const utf8 = new TextEncoder();
  let bytes = 0;
  for (const event of events) {
    bytes += utf8.encode(JSON.stringify(event)).length;
    if (batch.length === MOST_EVENTS || (batch.length && bytes > MOST_BYTES)) break;
    batch.push(event);
  }
  return batch;
}

// What one request came to: {state: "sent", receipts}, or why not.
async function send(address, account, events) {
  let response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ account, events }),
      signal: AbortSignal.timeout?.(TIMEOUT_MS),
      redirect: "error",
    });
  } catch {
    return { state: "offline" };
  }
  if (response.status === 401) return { state: "signed-out" };
  if (response.status === 409) return { state: "other" };
  if (response.status !== 200) return { state: "failing" };
  try {
    const { receipts } = await response.json();
    const sent = new Set(events.map((event) => event.client_id));
    // A proxy's page is no receipt.
    if (!receipts.length || !receipts.every((one) => sent.has(one.client_id))) return { state: "failing" };
    return { state: "sent", receipts };
  } catch {
    return { state: "failing" };
  }
}

// Whatever a page makes of what it is told, sending goes on.
function tell(listener, told) {
  try {
    listener(told);
  } catch (error) {
    reportError(error);
  }
}

export function startSender({ outbox, account, address, onState, onReceipts }) {
  let isRunning = false;
  let wakeUp = () => {};

  const woken = (milliseconds = null) =>
    new Promise((resolve) => {
      const timer = milliseconds === null ? null : setTimeout(resolve, milliseconds);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function run() {
    if (isRunning) return;
    isRunning = true;
    let failures = 0;
    for (;;) {
      let waiting = woken();
      const batch = batchOf(await outbox.all());
      if (!batch.length) {
        failures = 0;
        tell(onState, "saved");
        await waiting;
        continue;
      }
      if (!failures) tell(onState, "sending");
      const answer = await send(address, account, batch);
      if (answer.state === "sent") {
        failures = 0;
        const why = new Map(answer.receipts.map((one) => [one.client_id, one]));
        const refused = batch.filter((event) => why.get(event.client_id)?.outcome === "refused");
        await outbox.settle(new Set(why.keys()), refused);
        tell(onReceipts, answer.receipts.map((receipt) => ({
          ...receipt,
          event: batch.find((event) => event.client_id === receipt.client_id),
        })));
      } else {
        tell(onState, answer.state);
        const seconds = RETRY_SECONDS[Math.min(failures, RETRY_SECONDS.length - 1)];
        failures += 1;
        waiting = woken(seconds * 1000);
        await waiting;
      }
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
    wakeUp();
  };
  for (const sooner of ["online", "focus"]) window.addEventListener(sooner, wake);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") wake();
  });
  wake(); // a tab whose outbox does not last waits for no lock
  return { wake };
}
