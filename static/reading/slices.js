// Long work in slices of a few milliseconds, so that keys and scrolling never wait for it.
const SLICE_MS = 7;
// After whatever waits: keys, scrolling, painting. Idle callbacks would do, but come late on a busy machine.
const later = globalThis.scheduler?.postTask
  ? (go) => scheduler.postTask(go, { priority: "background" })
  : globalThis.requestIdleCallback
    ? (go) => requestIdleCallback(go, { timeout: 50 })
    : (go) => setTimeout(go, 8);

// Runs a generator to its end, then calls `done`; the first slice at once unless `delayed`, the others when nothing
// else waits. A generator yields often: nothing is interrupted between two of its yields.
export function inSlices(steps, done, signal, { delayed = false, milliseconds = SLICE_MS } = {}) {
  const slice = () => {
    if (signal.aborted) return;
    const until = performance.now() + milliseconds;
    do {
      if (steps.next().done) {
        done();
        return;
      }
    } while (performance.now() < until);
    later(slice);
  };
  if (delayed) later(slice);
  else slice();
}
