// How the text looks: what is chosen applies at once and is kept with the account.

const KEPT_AFTER_MS = 400;

export function listen(form, chosen) {
  let timer = null;
  const keep = () => {
    clearTimeout(timer);
    timer = null;
    const output = form.querySelector("output");
    fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { "HX-Request": "true" }, keepalive: true })
      .then((answer) => {
        output.value = answer.ok ? "" : "This could not be saved; it applies until you leave the page.";
      })
      .catch(() => {
        output.value = "This could not be saved; it applies until you leave the page.";
      });
  };
  form.addEventListener("change", () => {
    const values = Object.fromEntries(new FormData(form));
    for (const [name, value] of Object.entries(values)) document.documentElement.dataset[`text${name[0].toUpperCase()}${name.slice(1)}`] = value;
    chosen(values);
    clearTimeout(timer);
    timer = setTimeout(keep, KEPT_AFTER_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    keep();
  });
  addEventListener("pagehide", () => {
    if (timer !== null) keep();
  });
}
