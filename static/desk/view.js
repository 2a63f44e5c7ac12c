// Draws the state of the desk: the light, the bar, what goes with the judgment, the list.
import { byId } from "../shared/dom.js";
import { showSaving } from "../shared/light.js";
import * as list from "./list.js";
import * as show from "./show.js";

export function drawLight({ element, saving, topic, current, wanted, waitsFor, atEnd }) {
  element.toggleAttribute("data-waits", waitsFor !== null || wanted !== null || atEnd);
  const isFetching = atEnd || (wanted !== null && current === null);
  const isClosed = topic.closed && !saving.signedOutElsewhere;
  showSaving(saving, waitsFor ? "waiting" : isFetching ? "fetching" : isClosed ? "closed" : null);
}

export function drawBar(desk) {
  const { docno, topic, training, pace } = desk;
  const answer = docno === null ? null : (topic.answers.get(docno) ?? null);
  show.showAnswer(answer, {
    off: docno === null || topic.closed || training.waits || desk.isOutdated,
    mayUndo: topic.trail.length > 0 && !topic.closed && !desk.isBlocked,
    mayPutOff: !answer && !topic.oneByOne && !topic.training.has(docno),
    draft: docno !== null && desk.commentOf(docno),
  });
  desk.annotations.show(docno, answer, docno === null || topic.closed);
  show.showProgress(topic.answered, topic.total, topic.atMost);
  show.showPace(pace.sitting, topic.atMost ? null : pace.minutes(topic.total - topic.answered), pace.breakIsDue());
  const at = docno === null ? topic.order.length : topic.places.get(docno);
  show.showSteps(topic.order[at - 1] ?? null, topic.order[at + 1] ?? null, desk.addresses.desk);
  list.draw(desk);
}

export function draw(desk) {
  drawBar(desk);
  drawLight(desk);
}
