// Forms with data-upload="Checking" upload their files one after another, each with a progress bar: a lost
// connection loses one file only, which can be uploaded again. Without this module the form uploads all at once.
import { make } from "./shared/dom.js";

const SPARE_MS = 250;

for (const form of document.querySelectorAll("form[data-upload]")) {
  form.addEventListener("submit", (event) => {
    const files = [...form.querySelector("input[type=file]").files];
    if (!files.length) return;
    event.preventDefault();
    // Topics are smaller than the runs that are checked against them, and documents larger than both.
    if ("atOnce" in form.dataset) files.sort((one, other) => one.size - other.size);
    start(form, files);
  });
  // Files that are chosen or dropped here need no further click.
  if ("atOnce" in form.dataset) {
    form.querySelector("input[type=file]").addEventListener("change", () => form.requestSubmit());
    form.querySelector("button").hidden = true;
  }
}

async function start(form, files) {
  const controls = [form.querySelector("button"), form.querySelector("input[type=file]")];
  const label = controls[0].textContent;
  const board = makeBoard(form, files);
  const setBusy = (isBusy) => {
    for (const control of controls) control.disabled = isBusy;
    form.setAttribute("aria-busy", String(isBusy));
  };
  // Leaving now would lose the current upload.
  const stay = (event) => event.preventDefault();
  addEventListener("beforeunload", stay);
  setBusy(true);
  const failed = [];
  let address = null;
  for (const [at, file] of files.entries()) {
    controls[0].textContent = `${form.dataset.upload} ${at + 1} of ${files.length}…`;
    board.show(file, at, 0, file.size);
    try {
      ({ address } = await send(form, file, (loaded, total) => board.show(file, at, loaded, total)));
    } catch (error) {
      failed.push({ file, why: error.message });
      if (!error.final) continue;
      failed.push(...files.slice(at + 1).map((rest) => ({ file: rest, why: "not uploaded" })));
      break;
    }
  }
  removeEventListener("beforeunload", stay);
  setBusy(false);
  controls[0].textContent = label;
  if (!failed.length) location.assign(address);
  else board.ask(failed, address, () => start(form, failed.map((one) => one.file)));
}

function send(form, file, progress) {
  const body = new FormData();
  for (const field of form.querySelectorAll("input[type=hidden], select")) body.append(field.name, field.value);
  body.append("files", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "text";
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) progress(event.loaded, event.total);
    });
    request.addEventListener("load", () => {
      const answer = read(request);
      if (answer && request.status < 300) return resolve(answer);
      reject(refusal(request, answer));
    });
    request.addEventListener("error", () => reject(new Error("the connection was lost")));
    request.addEventListener("abort", () => reject(new Error("the upload was cancelled")));
    request.send(body);
  });
}

function read(request) {
  if (!(request.getResponseHeader("Content-Type") ?? "").startsWith("application/json")) return null;
  try {
    return JSON.parse(request.responseText);
  } catch {
    return null;
  }
}

function refusal(request, answer) {
  const error = new Error(answer?.error ?? inWords(request.status));
  // An error about the sender concerns every file.
  error.final = request.status !== 413 && (request.status < 400 || [401, 403, 404].includes(request.status));
  return error;
}

function inWords(status) {
  if (status === 413) return "the file is too large for this server: compress it with gzip";
  if (status < 400 || status === 401) return "you are signed out: sign in again, then upload the files again";
  return `the server answered ${status}`;
}

// The board under the form: the current file and a bar for all, then what failed.
function makeBoard(form, files) {
  form.querySelector(".sending")?.remove();
  const line = make("p", { className: "small", role: "status" });
  const bar = make("progress", { max: files.length, value: 0, ariaLabel: "All files" });
  const root = make("div", { className: "sending" }, line, bar);
  form.append(root);
  let shownAt = 0;
  return {
    show(file, at, loaded, total) {
      bar.value = at + (total ? loaded / total : 1);
      const now = performance.now();
      if (loaded && loaded < total && now - shownAt < SPARE_MS) return;
      shownAt = now;
      const done = loaded < total ? `${mebibytes(loaded)} of ${mebibytes(total)} MiB` : "sent, being checked";
      line.textContent = `File ${at + 1} of ${files.length}: ${file.name}, ${done}`;
    },
    ask(failed, address, again) {
      root.classList.add("failed");
      line.textContent = `Not uploaded: ${failed.length}. The other files were checked.`;
      const label = failed.length === 1 ? "Upload it again" : `Upload these ${failed.length} again`;
      const retry = make("button", { type: "button", className: "button primary", onclick: again }, label);
      const ways = make("p", { className: "ways" }, retry);
      if (address) ways.append(make("a", { className: "button", href: address }, "Review the other files"));
      bar.replaceWith(make("ul", { className: "notes small" }, ...failed.map(({ file, why }) => make("li", {}, `${file.name}: ${why}`))), ways);
      retry.focus();
    },
  };
}

const mebibytes = (bytes) => (bytes / 2 ** 20).toFixed(1);
