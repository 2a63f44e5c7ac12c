// Whatever a reader has opened in the report stays open when it refreshes.
let opened = [];
const named = (summary) => summary.textContent.trim();

document.addEventListener("htmx:before:swap", () => {
  opened = [...document.querySelectorAll("#report details.more[open] > summary")].map(named);
});
document.addEventListener("htmx:after:swap", () => {
  for (const summary of document.querySelectorAll("#report details.more > summary")) {
    if (opened.includes(named(summary))) summary.parentElement.open = true;
  }
});
