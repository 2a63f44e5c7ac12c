// What comes back: what became of events, and what another tab said of this topic.
import { askForMore, expectNext, go, goOn } from "./navigation.js";
import { announce } from "../shared/light.js";
import * as receipts from "./receipts.js";
import { drawBar } from "./view.js";

export async function takeReceipts(desk, found) {
  for (const receipt of found) {
    const isHere = receipt.event.assignment === desk.assignment;
    if (receipt.outcome === "kept_aside" || receipt.outcome === "refused") receipts.notTaken(receipt);
    else if (receipt.elsewhere && isHere) {
      receipts.saidElsewhere(receipt, desk, (docno) => go(desk, docno, { browsing: true }));
    }
    if (receipt.client_id === desk.waitsFor) goOn(desk);
    const told = desk.training.take(receipt);
    if (told) announce(told);
  }
  await desk.saving.recount();
  askForMore(desk);
}

export function hearOf(desk, event) {
  if (event.assignment !== desk.assignment) return;
  desk.topic.apply(event);
  if (event.docno === desk.docno && event.kind === "answer") {
    receipts.saidElsewhere({ event, elsewhere: { answer: event.answer, grade: event.grade, seconds_ago: 0 } }, desk, null);
  }
  if (!desk.topic.oneByOne) {
    drawBar(desk);
    expectNext(desk);
  }
}
