// The pair that comes next, fetched while the one before is still read, so that a decision has it at once.
// A pair is four pieces of the desk, as the server writes them, and its address.

import { byId } from "../shared/dom.js";
import { AS_FRAGMENT } from "../shared/form_sender.js";

const PIECES = ["document", "statement", "said", "verdicts"];

// The pieces of a response, ready as nodes; null where there is no pair in it. `latest` is the latest decision on the
// pair that was shown ahead, `overtaken` whether somebody else had decided the pair that the decision was on.
export async function piecesOf(response) {
  const template = document.createElement("template");
  template.innerHTML = await response.text();
  const nodes = PIECES.map((id) => template.content.querySelector(`#${id}`));
  if (nodes.includes(null)) return null;
  for (const node of nodes) {
    node.removeAttribute("hx-swap-oob");
    document.adoptNode(node);
  }
  return {
    nodes,
    address: response.headers.get("HX-Replace-Url"),
    latest: response.headers.get("Desk-Seen"),
    overtaken: "overtaken" in nodes[0].dataset,
  };
}

// Shows pieces in the page and gives those that they replace.
export function showPieces({ nodes }) {
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

  // The pieces of the next pair if they are ready; the end of the queue never is, since it would report on all pairs
  // too early.
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
      const response = await fetch(`${this.#address}&${new URLSearchParams(pair)}`, { headers: AS_FRAGMENT, signal });
      if (!response.ok) return;
      const pieces = await piecesOf(response);
      if (!signal.aborted) this.keep(pieces);
    } catch {
      // The network is cut: the pair after the next one will be fetched.
    }
  }
}
