// Forms with data-upload="Checking" upload their files one after another, each with a progress bar: a lost
// connection loses one file only, which can be uploaded again. Without this module the form uploads all at once.
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
  }
}

function start(form, files) {
  const button = form.querySelector("button");
  const input = form.querySelector("input[type=file]");
  const label = button.textContent;
  const board = makeBoard(form);
  button.disabled = true;
  input.disabled = true;
  form.setAttribute("aria-busy", "true");
  // Leaving now would lose the current upload.
  const stay = (event) => event.preventDefault();
  addEventListener("beforeunload", stay);

  const finish = () => {
    removeEventListener("beforeunload", stay);
    form.removeAttribute("aria-busy");
    button.disabled = false;
    input.disabled = false;
    button.textContent = label;
  };
  run(form, files, board, button).then(({ address, failed }) => {
    finish();
    if (!failed.length) return location.assign(address);
    board.ask(failed, address, () => start(form, failed.map((one) => one.file)));
  });
}

async function run(form, files, board, button) {
  const failed = [];
  let address = null;
  for (const [at, file] of files.entries()) {
    button.textContent = `${form.dataset.upload} ${at + 1} of ${files.length}…`;
    board.begin(file, at, files.length);
    try {
      const answer = await send(form, file, board.progress);
      address = answer.address;
    } catch (error) {
      failed.push({ file, why: error.message });
      if (error.final) {
        failed.push(...files.slice(at + 1).map((rest) => ({ file: rest, why: "not uploaded" })));
        break;
      }
    }
  }
  board.end();
  return { address, failed };
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

// The board under the form: the current file, a bar for it, a bar for all.
function makeBoard(form) {
  form.querySelector(".sending")?.remove();
  const root = add(form, "div", "sending");
  const line = add(root, "p", "small");
  line.setAttribute("role", "status");
  const one = add(root, "progress", "");
  one.setAttribute("aria-label", "This file");
  one.max = 1;
  const all = add(root, "progress", "");
  all.setAttribute("aria-label", "All files");
  let shownAt = 0;
  const board = {
    begin(file, at, count) {
      board.file = file;
      board.at = at;
      board.count = count;
      all.max = count;
      all.value = at;
      one.value = 0;
      all.hidden = count < 2;
      line.textContent = `File ${at + 1} of ${count}: ${file.name}`;
    },
    progress(loaded, total) {
      one.value = total ? loaded / total : 1;
      all.value = board.at + one.value;
      const now = performance.now();
      if (loaded < total && now - shownAt < SPARE_MS) return;
      shownAt = now;
      const done = loaded < total ? `${mebibytes(loaded)} of ${mebibytes(total)} MiB` : "sent, being checked";
      line.textContent = `File ${board.at + 1} of ${board.count}: ${board.file.name}, ${done}`;
    },
    end() {
      one.hidden = true;
      all.hidden = true;
      line.textContent = "";
    },
    ask(failed, address, again) {
      root.classList.add("failed");
      line.textContent = `Not uploaded: ${failed.length}. The other files were checked.`;
      const list = add(root, "ul", "notes small");
      for (const { file, why } of failed) add(list, "li", "").textContent = `${file.name}: ${why}`;
      const ways = add(root, "p", "ways");
      const retry = add(ways, "button", "button primary");
      retry.type = "button";
      retry.textContent = failed.length === 1 ? "Upload it again" : `Upload these ${failed.length} again`;
      retry.addEventListener("click", again);
      retry.focus();
      if (!address) return;
      const link = add(ways, "a", "button");
      link.href = address;
      link.textContent = "Review the other files";
    },
  };
  return board;
}

function add(parent, kind, classes) {
  const element = document.createElement(kind);
  element.className = classes;
  parent.append(element);
  return element;
}

function mebibytes(bytes) {
  return (bytes / 2 ** 20).toFixed(1);
}
