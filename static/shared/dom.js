// Finding and making elements.

export const byId = (id) => document.getElementById(id);

export function make(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
