// Long work in slices of a few milliseconds, so that keys and scrolling never wait for it.
const SLICE_MS = 7;
const later = globalThis.requestIdleCallback
  ? (go) => requestIdleCallback(go, { timeout: 250 })
  : (go) => setTimeout(go, 16);

// Runs a generator to its end, then calls `done`; the first slice at once, the others when the browser is idle.
// A generator yields often: nothing is interrupted between two of its yields.
export function inSlices(steps, done, signal) {
  const slice = () => {
    if (signal.aborted) return;
    const until = performance.now() + SLICE_MS;
    do {
      if (steps.next().done) {
        done();
        return;
      }
    } while (performance.now() < until);
    later(slice);
  };
  slice();
}
