// The end of a topic: the number of answers, the unsure ones once more, and the way to the next topic.
import { make } from "../shared/dom.js";

const plural = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export function finishedArticle(topic, { round, onRound }) {
  const article = document.getElementById("end").content.cloneNode(true).firstElementChild;
  const part = (name) => article.querySelector(`[data-part="${name}"]`);
  const { grade, unsure, cannot_judge: cannot } = topic.counts;
  const counted = [plural(grade, "graded", "graded")];
  if (unsure) counted.push(`${unsure.toLocaleString("en")} unsure`);
  if (cannot) counted.push(`${cannot.toLocaleString("en")} that cannot be judged`);
  if (topic.unrecorded.size) counted.push(`${topic.unrecorded.size.toLocaleString("en")} not recorded`);
  const allDone = topic.inBatches || topic.unrecorded.size ? "Nothing left to judge in this topic" : "Every document has an answer";
  part("heading").textContent = topic.total
    ? allDone
    : "There is nothing to judge in this topic";
  part("counts").textContent = topic.total ? `${counted.join(", ")}.` : "";
  part("unsure")?.remove();
  const again = unsure > 0 && !topic.closed && round === "before";
  part("again").hidden = !again;
  part("round").hidden = !again;
  if (again) {
    part("again").textContent = "You know the topic now. Review what you were unsure of:";
    part("round").replaceChildren(unsure === 1 ? "Review the unsure answer " : `Review ${unsure.toLocaleString("en")} unsure answers `, enter());
    part("round").classList.add("primary");
    part("round").onclick = onRound;
  }
  return article;
}

// The next topic, once the server has sent it; Enter takes it where no second look is left.
export function offerTopic(article, found) {
  const link = article.querySelector('[data-part="next"]');
  if (!found) return;
  link.href = found.address;
  link.replaceChildren("Next topic: ", make("bdi", {}, found.title));
  link.hidden = false;
  if (article.querySelector('[data-part="round"]').hidden) {
    link.classList.add("primary");
    link.append(" ", enter());
  }
}

export function takeEnter() {
  document.querySelector("#document .finished .primary:not([hidden])")?.click();
}

function enter() {
  return make("kbd", { className: "key" }, "Enter");
}
