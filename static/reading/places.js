// Places on the screen: what stands at the top of the region that is read, and bringing a range into sight.

function placeAt(x, y) {
  const place = document.caretPositionFromPoint?.(x, y);
  if (place) return { node: place.offsetNode, offset: place.offset };
  const range = document.caretRangeFromPoint?.(x, y);
  return range && { node: range.startContainer, offset: range.startOffset };
}

// The first text of `root` that is seen in the region, or null.
export function placeAtTop(region, root) {
  const box = region.getBoundingClientRect();
  const strip = region.querySelector(".strip")?.getBoundingClientRect().bottom ?? box.top;
  const column = root.getBoundingClientRect();
  if (column.top >= strip) return null;
  const from = Math.max(strip, box.top) + 8;
  for (let y = from; y < box.bottom; y += 24) {
    const place = placeAt(column.left + column.width / 2, y);
    if (place && root.contains(place.node) && place.node !== root) return place;
  }
  return null;
}

// Brings the beginning of a range to a height of the region, at once, and into sight in boxes that scroll sideways.
export function showRange(range, region, height = 0.38) {
  const node = range.startContainer;
  const live = document.createRange();
  live.setStart(node, range.startOffset);
  live.setEnd(range.endContainer, range.endOffset);
  const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
  // What is far away is not laid out yet and only guessed: it comes into sight first, then the place is exact.
  let rect = live.getBoundingClientRect();
  const box = region.getBoundingClientRect();
  for (let tries = 0; tries < 4; tries += 1) {
    if (rect.height === 0 || rect.bottom < box.top - 4 * box.height || rect.top > box.bottom + 4 * box.height) {
      element.scrollIntoView({ block: "center", behavior: "instant" });
      rect = live.getBoundingClientRect();
    }
    const seen = rect.top > box.top + 56 && rect.bottom < box.bottom - 24;
    if (seen && (tries > 0 || height === 0.38)) break;
    region.scrollBy({ top: rect.top - box.top - box.height * height, behavior: "instant" });
    rect = live.getBoundingClientRect();
  }
  const sideways = element.closest(".scroll, pre");
  if (sideways && sideways.scrollWidth > sideways.clientWidth) {
    const frame = sideways.getBoundingClientRect();
    if (rect.left < frame.left || rect.right > frame.right) {
      sideways.scrollLeft += rect.left - frame.left - frame.width / 3;
    }
  }
}
