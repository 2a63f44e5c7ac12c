// On every page: what a desk left unsent goes on being sent, and whoever signs out before it has arrived is warned. A
// page that sends by itself is marked by `data-sends`.
import { byId, make } from "./dom.js";
import { openChannel } from "./channel.js";
import { hasOutbox, openOutbox } from "./outbox.js";
import { startSender } from "./sender.js";

const { account, address } = byId("leaving").dataset;
const pageSends = document.querySelector("[data-sends]") !== null;

function showUnsent(form, unsent) {
  byId("unsent")?.remove();
  const box = make("p", { id: "unsent", className: unsent ? "notice fair" : "notice good" });
  box.setAttribute("role", "alert");
  if (unsent) {
    const what = unsent === 1 ? "1 answer is" : `${unsent.toLocaleString("en")} answers are`;
    box.append(`${what} kept in this browser and not sent yet, so you are not signed out. They are being sent; `
      + "this says when they have arrived. ");
    box.append(make("button", { type: "button", className: "link", onclick: () => form.submit() },
      "Sign out all the same: they are sent when you sign in here again"));
  } else box.append("Everything has arrived: you can sign out now.");
  byId("content")?.prepend(box);
}

async function begin() {
  const forms = document.querySelectorAll("form.leave, form.leaves");
  if (pageSends && !forms.length) return;
  let asked = null; // the form that waits until everything has arrived
  let isSending = false;
  const takeState = (state) => {
    if (state !== "saved" || !asked) return;
    showUnsent(asked, 0);
    asked = null;
  };
  const outbox = pageSends || (await hasOutbox(account)) ? await openOutbox(account) : null;
  // Another tab may be the one that sends.
  const channel = openChannel(account, (message) => {
    if (message.type === "state") takeState(message.state);
  });
  channel.send({ type: "signed-in" });
  const sendWhatIsLeft = () => {
    if (isSending || pageSends) return;
    isSending = true;
    startSender({
      outbox,
      account,
      address,
      onState(state) {
        channel.send({ type: "state", state });
        takeState(state);
      },
      onReceipts: (receipts) => channel.send({ type: "receipts", receipts }),
    });
  };
  if (outbox && (await outbox.count())) sendWhatIsLeft();
  for (const form of forms) {
    form.addEventListener("submit", async (event) => {
      if (!outbox) {
        channel.send({ type: "signed-out" });
        return;
      }
      event.preventDefault();
      const unsent = await outbox.count();
      if (unsent) {
        asked = form;
        showUnsent(form, unsent);
        sendWhatIsLeft(); // answered at a desk since this page was opened
        return;
      }
      channel.send({ type: "signed-out" });
      form.submit();
    });
  }
}

begin();
