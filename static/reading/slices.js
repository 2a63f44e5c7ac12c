// Long work in slices of a few milliseconds, so that keys and scrolling never wait for it.
const SLICE_MS = 7;
// After whatever waits: keys, scrolling, painting. Idle callbacks would do, but come late on a busy machine.
const later = globalThis.scheduler?.postTask
  ? (go) => scheduler.postTask(go, { priority: "background" })
  : globalThis.requestIdleCallback
    ? (go) => requestIdleCallback(go, { timeout: 50 })
    : (go) => setTimeout(go, 8);

// Runs a generator to its end, then calls `done`; the first slice at once, the others when nothing else waits.
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
