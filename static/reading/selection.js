// What is selected in a document.

// {start, end, quote} in offsets of the document's text; null where nothing of it is selected. `element` shows
// it, and `places` knows the offsets in there.
export function selectedIn({ element, places, text }) {
  const chosen = getSelection();
  if (!chosen.rangeCount || chosen.isCollapsed) return null;
  const range = chosen.getRangeAt(0).cloneRange();
  if (!element.contains(range.startContainer)) return null;
  // The last paragraph, chosen whole by three clicks, ends where the next thing on the page begins.
  if (!element.contains(range.endContainer)) range.setEnd(element, element.childNodes.length);
  const from = places.offsetOf(range.startContainer, range.startOffset);
  const to = places.offsetOf(range.endContainer, range.endOffset, true);
  if (from === null || to === null || from >= to) return null;
  // White space around what was meant is nobody's evidence.
  const words = text.slice(from, to);
  const quote = words.trim();
  const start = from + words.length - words.trimStart().length;
  return quote ? { start, end: start + quote.length, quote } : null;
}
