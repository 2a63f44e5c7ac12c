// Shows in the document the passages that its assessors marked; they are quoted beside it in any case.
import { DocumentText } from "./reading/text.js";

const NAME = "adjudicating-evidence";

export function markPassages(desk) {
  if (!globalThis.CSS?.highlights) return;
  CSS.highlights.delete(NAME);
  const root = desk.querySelector("#document article .text");
  const quotes = [...desk.querySelectorAll(".voices blockquote")].map((one) => one.textContent);
  if (!root || !quotes.length) return;
  const text = new DocumentText(root);
  for (const step of text.read()) void step;
  const whole = text.slice(0, text.length);
  const found = quotes.map((quote) => [whole.indexOf(quote), quote.length]).filter(([at]) => at >= 0);
  CSS.highlights.set(NAME, new Highlight(...found.map(([at, length]) => text.staticRange(at, at + length))));
}
