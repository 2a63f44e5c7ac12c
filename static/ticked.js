// A button with data-ticked="name" says how many check boxes of that name are ticked, and waits for the first.
for (const button of document.querySelectorAll("button[data-ticked]")) {
  const boxes = [...button.form.querySelectorAll(`input[type=checkbox][name="${button.dataset.ticked}"]`)];
  const tell = () => {
    const count = boxes.filter((box) => box.checked).length;
    const { none, one, many } = button.dataset;
    button.textContent = count > 1 ? many.replace("%s", count.toLocaleString("en")) : count ? one : none;
    button.disabled = !count;
  };
  button.form.addEventListener("change", tell);
  // The page may come back from the browser's memory as it was left.
  addEventListener("pageshow", tell);
  tell();
}
