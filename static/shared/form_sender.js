// Sends a form until the server has answered for good, and shows meanwhile the state of sending. One form at a time: what
// is decided next may depend on the answer.
import { light } from "./light.js";
import { hideNotice, showSignedOut } from "./notices.js";
import { Backoff, onWake, post } from "./sending.js";

export const AS_FRAGMENT = { "HX-Request": "true" }; // the server answers with the part of the page that changes

export class FormSender {
  isBusy = false;
  #backoff = new Backoff();

  constructor() {
    onWake(() => this.#backoff.wake());
    window.addEventListener("beforeunload", (event) => {
      if (this.isBusy) event.preventDefault();
    });
  }

  // Resolves to {outcome: "sent", result} with what `read(response)` gives, or to {outcome, reason} where the server
  // refuses. Each try sends the same body, whose id of the answer lets the server record it once.
  async send(address, body, read) {
    this.isBusy = true;
    light("sending");
    const answer = await this.#untilAnswered(address, { body, headers: AS_FRAGMENT, read });
    this.isBusy = false;
    hideNotice("signed-out");
    return answer;
  }

  async #untilAnswered(address, request) {
    for (;;) {
      const woken = this.#backoff.asleep(); // by what comes while it is being sent, such as the network
      const answer = await post(address, request);
      if (["sent", "refused", "conflict"].includes(answer.outcome)) {
        this.#backoff.reset();
        return answer;
      }
      light(answer.outcome);
      if (answer.outcome === "signed-out") showSignedOut();
      await Promise.race([woken, this.#backoff.failed()]);
    }
  }
}
