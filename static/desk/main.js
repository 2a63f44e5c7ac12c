// The judging desk: a key gives the answer to a document and the next one is shown at once; the answer
// goes through the outbox to the server. Without this file every button is a form that works by itself.
//
// state.js is the state of the desk; controls.js turns keys into judging.js and navigation.js, which change it;
// view.js draws it; shared/saving.js sends the answers, and what comes back is taken here.
import { byId } from "../shared/dom.js";
import { announce } from "../shared/light.js";
import { showNotice } from "../shared/notices.js";
import * as receipts from "../shared/receipts.js";
import { Saving } from "../shared/saving.js";
import { Annotations } from "./annotations.js";
import { CommentBox } from "./comments.js";
import { listenToControls } from "./controls.js";
import { changeAnnotations } from "./judging.js";
import { askForMore, expectNext, go, showAwaited, showDocument } from "./navigation.js";
import { Desk } from "./state.js";
import { drawBar, drawLight } from "./view.js";

const desk = new Desk(byId("desk"));
desk.comments = new CommentBox(desk);
desk.annotations = new Annotations({
  onChange: (docno, now) => changeAnnotations(desk, docno, now),
  announce,
  warn: (text) => showNotice("passages", text),
});
desk.saving = new Saving({
  account: desk.account,
  address: desk.addresses.events,
  signIn: desk.addresses.sign_in,
  onChange: () => drawLight(desk),
  onReceipts: (receipts) => takeReceipts(desk, receipts),
  onMade: (event) => takeFromOtherTab(desk, event),
});

async function begin() {
  listenToControls(desk);
  const { saving, topic, facts } = desk;
  const left = await saving.open();
  for (const event of left) if (event.assignment === desk.assignment) topic.apply(event);
  saving.start(left);
  byId("listing").hidden = false;
  byId("keep-comment").disabled = false;
  const asked = new URLSearchParams(location.search).has("docno");
  const docno = asked ? facts.docno : topic.next();
  if (docno !== null && docno === facts.docno) showFirst(docno);
  else go(desk, docno, { browsing: asked });
}

// The document that came with the page is shown already.
function showFirst(docno) {
  const { documents, facts, topic } = desk;
  const article = byId("document").querySelector("article");
  documents.put({
    docno,
    shown: byId("document").querySelector(".strip .mono").textContent,
    title: article.querySelector("h2").textContent,
    sha256: facts.sha256,
    position: topic.places.get(docno) + 1,
    near: facts.near,
    html: article.outerHTML,
  });
  showDocument(desk, documents.get(docno), article);
}

// ---- what became of events, and what was answered in another tab ---------------------------------------

async function takeReceipts(desk, found) {
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

function takeFromOtherTab(desk, event) {
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

begin();
