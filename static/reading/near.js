// Shows below the title the answer to a nearly identical document, and marks that grade; nothing is answered.

export class Near {
  put(article, near) {
    if (article.querySelector(".near")) return;
    const line = document.createElement("p");
    line.className = "near";
    line.dir = "ltr";
    const label = document.createElement("bdi");
    const strong = document.createElement("b");
    strong.append(label);
    label.textContent = near.label;
    const link = document.createElement("a");
    link.href = near.compare;
    link.textContent = "Compare";
    const others = near.agreed ? "" : " You gave others like it another grade.";
    line.append("You said ", strong, " of a nearly identical document.", others, " ", link);
    article.querySelector(":scope > h2")?.after(line);
    for (const button of document.querySelectorAll("#verdicts .grade")) {
      if ((button.dataset.grade ?? button.value) !== String(near.grade) || !near.agreed) continue;
      button.dataset.near = "";
      button.setAttribute("aria-description", "You said this of a nearly identical document");
    }
  }

  clear() {
    for (const button of document.querySelectorAll("#verdicts [data-near]")) {
      delete button.dataset.near;
      button.removeAttribute("aria-description");
    }
  }
}
