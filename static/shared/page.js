// What every desk does with its page as a whole.

// A desk out of the browser's memory could show as open what was answered since.
export function reloadFromMemory() {
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
}

// Scrolls by a screen, less what lets the eye find its line again: down for 1, up for -1.
export function pageThrough(box, direction) {
  box.scrollBy({ top: direction * box.clientHeight * 0.85 });
}
