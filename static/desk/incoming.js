// What comes in: what became of events, and what was answered in another tab.
import { announce } from "../shared/light.js";
import { showNotice } from "../shared/notices.js";
import * as receipts from "../shared/receipts.js";
import { askForMore, expectNext, go, showAwaited } from "./navigation.js";
import { drawBar } from "./view.js";

export async function takeReceipts(desk, found) {
  for (const receipt of found) {
    const isHere = receipt.event.assignment === desk.assignment;
    if (receipt.outcome === "kept_aside" || receipt.outcome === "refused") {
      receipts.notRecorded(receipt);
      if (isHere) {
        desk.topic.forget(receipt.event);
        if (receipt.ends) desk.topic.closed = true;
        drawBar(desk);
      }
    } else if (receipt.elsewhere && isHere) {
      receipts.answeredElsewhere(receipt, desk, (docno) => go(desk, docno, { browsing: true }));
    }
    if (receipt.outdated && isHere) stopOutdated(desk);
    if (receipt.client_id === desk.waitsFor) showAwaited(desk);
    const feedback = desk.training.take(receipt);
    if (feedback) announce(feedback);
  }
  await desk.saving.recount();
  askForMore(desk);
}

// What a key gives may be another grade now: nothing is answered before the new page is read.
function stopOutdated(desk) {
  if (desk.isOutdated) return;
  desk.isOutdated = true;
  showNotice("outdated", "The organiser changed the guidelines or the grades. Load the page again to see them before you go on.", [
    { label: "Load again", act: () => location.reload() },
  ]);
  drawBar(desk);
}

export function takeFromOtherTab(desk, event) {
  if (event.assignment !== desk.assignment) return;
  desk.topic.apply(event);
  if (event.docno === desk.docno && event.kind === "answer") {
    receipts.answeredElsewhere({ event, elsewhere: { answer: event.answer, grade: event.grade, seconds_ago: 0 } }, desk, null);
  }
  if (!desk.topic.oneByOne) {
    drawBar(desk);
    expectNext(desk);
  }
}
