// The pair that comes next, fetched while the one before is still read, so that a decision has it at once.
// A pair is four pieces of the desk, as the server writes them, and the address at which it is found.

const PIECES = ["document", "statement", "said", "verdicts"];
export const AS_PIECES = { "HX-Request": "true" };

const byId = (id) => document.getElementById(id);

// The pieces of an answer that stand ready as nodes; null where there is no pair in it.
export async function piecesOf(response) {
  const template = document.createElement("template");
  template.innerHTML = await response.text();
  const nodes = PIECES.map((id) => template.content.querySelector(`#${id}`));
  if (nodes.includes(null)) return null;
  for (const node of nodes) {
    node.removeAttribute("hx-swap-oob");
    document.adoptNode(node);
  }
  return { nodes, address: response.headers.get("HX-Replace-Url") };
}

// Puts pieces into the page and returns those that stood there.
export function put({ nodes }) {
  const before = { nodes: PIECES.map(byId), address: location.pathname + location.search };
  for (const [index, node] of nodes.entries()) {
    before.nodes[index].replaceWith(node);
    htmx.process(node);
  }
  return before;
}

export const isEnd = ({ nodes: [box] }) => box.classList.contains("finished");

// How many are decided, as newer pieces say it.
export function recount({ nodes }) {
  for (const part of [".count", "svg.bar"]) {
    byId("verdicts").querySelector(part)?.replaceWith(nodes.at(-1).querySelector(part).cloneNode(true));
  }
}

export class Ahead {
  #address;
  #pieces = null;
  #looking = null;

  constructor(address) {
    this.#address = address;
  }

  get address() {
    return this.#pieces?.address ?? null;
  }

  // The pieces of the next pair if they stand ready; the end of the queue is never ready, since what it says of
  // all pairs would be said too early.
  take() {
    this.#looking?.abort();
    const pieces = this.#pieces;
    this.#pieces = null;
    return pieces;
  }

  keep(pieces) {
    this.#pieces = pieces && !isEnd(pieces) ? pieces : null;
  }

  // Fetches what comes behind the pair on the desk. Without it a decision waits for the server.
  async look(pair) {
    this.take();
    this.#looking = new AbortController();
    const { signal } = this.#looking;
    try {
      const response = await fetch(`${this.#address}&${new URLSearchParams(pair)}`, { headers: AS_PIECES, signal });
      if (!response.ok) return;
      const pieces = await piecesOf(response);
      if (!signal.aborted) this.keep(pieces);
    } catch {
      // The network is cut: it is looked for again behind the next pair.
    }
  }
}
