// From a key to what it means. Letters and signs are taken as they are typed, so that any keyboard works;
// digits also by their place, since on some keyboards they need Shift.

export function readKeys(desk) {
  const { grades, commands } = JSON.parse(desk.dataset.keys);
  const meanings = new Map();
  for (const [name, key] of Object.entries(commands)) if (key) meanings.set(key, { command: name });
  for (const [value, key] of Object.entries(grades)) if (key) meanings.set(key, { grade: Number(value) });
  return meanings;
}

export const isTyping = (target) =>
  target instanceof Element
  && Boolean(target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]:not([contenteditable=false])"));

// Whether a key is for the desk: pressed, not held; alone; not typed into a field or a composed character.
export function isForDesk(event) {
  const modified = (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");
  return !(event.defaultPrevented || event.repeat || modified || event.isComposing || isTyping(event.target));
}

export function meaningOf(event, meanings) {
  if (event.key === "Backspace") return { command: "undo" };
  const digit = /^Digit(\d)$/.exec(event.code);
  return (
    meanings.get(event.key.toLowerCase())
    ?? (digit && !event.shiftKey ? meanings.get(digit[1]) : undefined)
    ?? null
  );
}
