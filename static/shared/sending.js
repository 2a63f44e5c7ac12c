// Sending to the server: what a response means, how long one is awaited, and when a request is tried again. The
// outbox of the judging desk and the forms of the other desks both send through this module.

const RETRY_SECONDS = [1, 2, 4, 8, 15];
const TIMEOUT_MS = 20_000;
const TRY_AGAIN = new Set([408, 425, 429]); // of the client's errors, those that pass by themselves

// What became of a request, by the status of its response: "sent", "signed-out", "conflict" (another account is
// signed in, or the server's state has changed), "refused" for good, or "failing" for now. Without any response it
// is "offline".
export function outcomeOf(status) {
  if (status >= 200 && status < 300) return "sent";
  if (status === 401) return "signed-out";
  if (status === 409) return "conflict";
  return status >= 400 && status < 500 && !TRY_AGAIN.has(status) ? "refused" : "failing";
}

// Sends once: {outcome, result} with what `read(response)` makes of a success, {outcome, reason} with the server's
// words where it refuses, else {outcome}. `read` gives null, or throws, for what is no response of this server,
// such as the page of a proxy: that is a failure and no success.
export async function post(address, { read, ...request }) {
  let response;
  try {
    const signal = AbortSignal.timeout?.(TIMEOUT_MS);
    response = await fetch(address, { method: "POST", redirect: "error", signal, ...request });
  } catch {
    return { outcome: "offline" };
  }
  const outcome = outcomeOf(response.status);
  try {
    if (outcome === "refused" || outcome === "conflict") return { outcome, reason: await response.text() };
    if (outcome !== "sent") return { outcome };
    const result = await read(response);
    return result === null ? { outcome: "failing" } : { outcome, result };
  } catch {
    return { outcome: "failing" };
  }
}

// Calls `act` whenever the server may be within reach again, or somebody looks at the page again.
export function onWake(act) {
  for (const name of ["online", "focus"]) window.addEventListener(name, act);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") act();
  });
}

// The time between two tries: longer after each failure, and cut short by `wake`.
export class Backoff {
  #failures = 0;
  #wake = () => {};

  get hasFailed() {
    return this.#failures > 0;
  }

  reset() {
    this.#failures = 0;
  }

  // Resolves when the request is to be tried again.
  failed() {
    const seconds = RETRY_SECONDS[Math.min(this.#failures, RETRY_SECONDS.length - 1)];
    this.#failures += 1;
    return this.asleep(seconds * 1000);
  }

  // Resolves when `wake` is called, or after so many milliseconds.
  asleep(milliseconds = null) {
    return new Promise((resolve) => {
      const timer = milliseconds === null ? null : setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  wake() {
    this.#wake();
  }
}
