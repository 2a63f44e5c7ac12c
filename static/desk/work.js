// Asks the server for the state of the topic: what is to be judged, and the answers.
import { isShown, showNotice } from "../shared/notices.js";
import { Backoff, onWake } from "../shared/sending.js";

const RETRY_MS = 2000; // always: whoever waits for a document can do nothing else

// `what` is no longer this assessor's: nothing more comes of it.
export function showGone(what, addresses) {
  showNotice("no-document", `This ${what} is no longer yours to judge.`, [{ label: "My topics", address: addresses.topics }]);
}

// Once, however often it is tried: a screen reader would read it each time.
export function showTriedAgain() {
  if (!isShown("no-document")) showNotice("no-document", "The next document cannot be fetched now; it is tried again.");
}

// The work, "gone" where the topic is no longer one's own, null where the server sends nothing of use; rejects
// without the network.
export async function askForWork({ addresses, saving }) {
  const response = await fetch(addresses.work, { headers: { Accept: "application/json" } });
  if (response.status === 401) saving.askToSignIn();
  if (response.status === 404) {
    showGone("topic", addresses);
    return "gone";
  }
  return response.ok ? response.json() : null;
}

const waiting = new Backoff();
onWake(() => waiting.wake());

// Before something is tried again.
export const pause = () => waiting.asleep(RETRY_MS);
