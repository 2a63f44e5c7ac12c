// Forms with data-busy="Checking" say so on their button while their files travel and are read.
for (const form of document.querySelectorAll("form[data-busy]")) {
  const button = form.querySelector("button");
  const label = button.textContent;
  form.addEventListener("submit", () => {
    const count = form.querySelector("input[type=file]")?.files.length ?? 0;
    button.textContent = `${form.dataset.busy}${count > 1 ? ` ${count} files` : ""}…`;
    form.setAttribute("aria-busy", "true");
    // Disabled only when the form is on its way: a disabled button is not sent.
    setTimeout(() => { button.disabled = true; });
  });
  // The page may come back from the browser's memory as it was left.
  addEventListener("pageshow", () => {
    button.textContent = label;
    button.disabled = false;
    form.removeAttribute("aria-busy");
  });
}
