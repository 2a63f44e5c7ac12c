// On every page: what the desk left unsent goes on being sent, and nobody signs out before it has arrived
// without being told.
import { openChannel } from "./channel.js";
import { hasOutbox, openOutbox } from "./outbox.js";
import { startSender } from "./sender.js";

const { account, address } = document.getElementById("leaving").dataset;
const atDesk = document.getElementById("desk") !== null;

function tell(form, unsent) {
  document.getElementById("unsent")?.remove();
  const box = document.createElement("p");
  Object.assign(box, { id: "unsent", className: "notice fair" });
  box.setAttribute("role", "alert");
  if (unsent) {
    const what = unsent === 1 ? "1 answer is" : `${unsent.toLocaleString("en")} answers are`;
    box.append(`${what} kept in this browser and not sent yet, so you are not signed out. They are being sent; `
      + "this says when they have arrived. ");
    const anyway = Object.assign(document.createElement("button"), { type: "button", className: "link" });
    anyway.textContent = "Sign out all the same: they are sent when you sign in here again";
    anyway.onclick = () => form.submit();
    box.append(anyway);
  } else {
    box.className = "notice good";
    box.textContent = "Everything has arrived: you can sign out now.";
  }
  document.getElementById("content")?.prepend(box);
}

async function begin() {
  let asked = null; // the form that waits until everything has arrived
  let isSending = false;
  const hear = (state) => {
    if (state !== "saved" || !asked) return;
    tell(asked, 0);
    asked = null;
  };
  const outbox = (await hasOutbox(account)) ? await openOutbox(account) : null;
  // Another tab may be the one that sends.
  const channel = openChannel(account, (message) => {
    if (message.type === "state") hear(message.state);
  });
  channel.tell({ type: "signed-in" });
  const sendWhatIsLeft = () => {
    if (isSending) return;
    isSending = true;
    startSender({
      outbox,
      account,
      address,
      onState(state) {
        channel.tell({ type: "state", state });
        hear(state);
      },
      onReceipts: (receipts) => channel.tell({ type: "receipts", receipts }),
    });
  };
  if (outbox && (await outbox.count())) sendWhatIsLeft();
  for (const form of document.querySelectorAll("form.leave, form.leaves")) {
    form.addEventListener("submit", async (event) => {
      if (!outbox) {
        channel.tell({ type: "signed-out" });
        return;
      }
      event.preventDefault();
      const unsent = await outbox.count();
      if (unsent) {
        asked = form;
        tell(form, unsent);
        sendWhatIsLeft(); // said at a desk since this page was opened
        return;
      }
      channel.tell({ type: "signed-out" });
      form.submit();
    });
  }
}

if (!atDesk) begin();
