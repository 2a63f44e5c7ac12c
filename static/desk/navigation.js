// Which document stands on the desk: going to one, fetching it where it is not there yet, asking for more of the
// work, and the end of the topic.
import { restart } from "../shared/active_time.js";
import { byId } from "../shared/dom.js";
import { hideNotice } from "../shared/notices.js";
import { closeBoxes } from "./boxes.js";
import { finishedArticle, offerTopic } from "./finished.js";
import { nearAnswer } from "./near.js";
import * as show from "./show.js";
import { draw, drawBar, drawLight } from "./view.js";
import { askForWork, pause, showGone, showTriedAgain } from "./work.js";

const UNDONE = 3; // documents that undoing would bring back are kept at hand
const AHEAD = 3; // with fewer ahead a queue is asked for more

// What is to come, and what undoing would bring back.
export function expectNext(desk) {
  const { topic } = desk;
  if (topic.oneByOne) return;
  desk.documents.expect((count) => [...topic.ahead(count, desk.docno), ...topic.trail.slice(-UNDONE)]);
}

export function showDocument(desk, found, article) {
  const { topic, grades, addresses, assignment, annotations } = desk;
  desk.current = found;
  desk.wanted = null;
  drawBar(desk);
  show.showDocument(found, article);
  byId("training").hidden = !topic.training.has(found.docno);
  drawLight(desk);
  const near = nearAnswer(found.docno, found.near, topic, { grades, address: addresses.compare });
  show.arrive({ article, docno: found.docno, assignmentId: assignment, near });
  annotations.arrive();
  desk.sayArrival(`${found.position} ${topic.atMost ? "of up to" : "of"} ${topic.total}: ${found.title}`);
  restart();
  setTimeout(() => expectNext(desk));
}

// Set only where it is another one: that takes longer than all the rest of a judgment.
function setAddress(address) {
  if (location.pathname + location.search !== address) history.replaceState(null, "", address);
}

// Goes to a document, or to the end of the topic for null.
export function go(desk, docno, { browsing = false } = {}) {
  const { topic, documents, addresses } = desk;
  if (browsing && desk.training.waits) return;
  desk.remember();
  closeBoxes();
  setAddress(browsing ? `${addresses.desk}?docno=${encodeURIComponent(docno)}` : addresses.desk);
  hideNotice("no-document");
  hideNotice("elsewhere");
  desk.atEnd = docno === null && topic.mayGrow;
  if (desk.atEnd) {
    desk.current = null;
    desk.wanted = null;
    draw(desk);
    askForMore(desk);
    return;
  }
  if (docno === null) {
    showEnd(desk);
    return;
  }
  const found = documents.get(docno);
  if (found) showDocument(desk, found, documents.article(docno));
  else fetchAndShow(desk, docno);
}

async function fetchAndShow(desk, docno) {
  const { documents } = desk;
  desk.current = null;
  desk.wanted = docno;
  draw(desk);
  while (desk.wanted === docno) {
    try {
      await documents.fetch([docno]);
    } catch (error) {
      if (desk.wanted !== docno) return;
      if (error.message === "401") desk.saving.askToSignIn();
      else if (/^4\d\d$/.test(error.message)) {
        showGone("document", desk.addresses);
        return;
      } else showTriedAgain();
      await pause();
      continue;
    }
    if (desk.wanted !== docno) return;
    hideNotice("no-document");
    showDocument(desk, documents.get(docno), documents.article(docno));
  }
}

// To the neighbours in the order.
export function step(desk, by) {
  if (!desk.saving.isReady || desk.isBlocked) return;
  const { order, places } = desk.topic;
  const at = desk.current ? places.get(desk.docno) : order.length;
  const docno = order[at + by];
  if (docno !== undefined) go(desk, docno, { browsing: true });
}

// ---- the end of the topic --------------------------------------------------------------------------------

// What the page says at the end, and what Enter does.
function ending(article) {
  const { heading, counts, round } = Object.fromEntries(
    [...article.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]),
  );
  const enter = round.hidden ? "" : ` Press Enter: ${round.textContent.replace(/ ?Enter$/, "")}.`;
  return `${heading.textContent}. ${counts.textContent}${enter}`;
}

function showEnd(desk) {
  const { topic } = desk;
  desk.current = null;
  desk.wanted = null;
  if (desk.round === "now") desk.round = "after";
  const article = finishedArticle(topic, { round: desk.round, onRound: () => secondLook(desk) });
  show.showFinished(article);
  byId("training").hidden = true;
  show.showPlace(topic.total, topic.total);
  draw(desk);
  desk.sayArrival(ending(article), { isEnd: true });
  show.arrive();
  offerNextTopic(desk, article);
}

async function offerNextTopic({ addresses }, article) {
  try {
    const response = await fetch(addresses.next, { headers: { Accept: "application/json" } });
    if (response.ok) offerTopic(article, (await response.json()).topic);
  } catch {
    // Without the network there is the list of topics.
  }
}

function secondLook(desk) {
  desk.round = "now";
  desk.topic.beginRound();
  go(desk, desk.topic.next());
}

// ---- more of the work ------------------------------------------------------------------------------------

// A queue hands out a few ahead; more is asked for before they run out. At the end the answers go first, and only
// there a training knows what comes after it.
export async function askForMore(desk) {
  const { topic, saving } = desk;
  const enough = !topic.inBatches || topic.ahead(AHEAD, desk.docno).length === AHEAD;
  if (!topic.mayGrow || desk.asking || (desk.atEnd ? saving.unsent > 0 : enough)) return;
  desk.asking = true;
  const asAtEnd = desk.atEnd;
  const isFetched = await fetchMore(desk);
  desk.asking = false;
  if (!desk.atEnd) {
    draw(desk);
    expectNext(desk);
  } else if (saving.unsent) return;
  else if (!asAtEnd) askForMore(desk); // what came is from before the last answers
  else if (!isFetched) pause().then(() => askForMore(desk));
  else if (topic.next() !== null) go(desk, topic.next());
  else {
    desk.atEnd = false;
    showEnd(desk);
  }
}

async function fetchMore(desk) {
  const { topic } = desk;
  try {
    const work = await askForWork(desk);
    if (work === "gone") desk.atEnd = false;
    if (work === "gone" || work === null) return false;
    topic.extend(work, desk.docno ?? desk.wanted);
    show.showGoal(topic.goal);
    hideNotice("no-document");
    return true;
  } catch {
    if (desk.atEnd) showTriedAgain();
    return false;
  }
}

// Where documents come one by one the answer has arrived: what comes next is known now.
export async function showAwaited(desk) {
  const awaited = desk.waitsFor;
  while (desk.waitsFor === awaited) {
    let work = null;
    try {
      work = await askForWork(desk);
    } catch {
      showTriedAgain();
    }
    // Its receipt may come twice, by this tab's sender and by another's: then the first has gone on already.
    if (desk.waitsFor !== awaited) return;
    if (work === null) await pause();
    else desk.waitsFor = null;
    if (work === "gone") drawLight(desk);
    else if (work !== null) {
      desk.topic.replace(work);
      for (const one of work.documents) desk.documents.put(one);
      go(desk, desk.topic.next());
    }
  }
}
