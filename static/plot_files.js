// Saves a plot as SVG or PNG: as drawn on white, with its caption and legend, whatever the colours and the width of
// the page. Nothing of the page is needed to show the file: every colour and font is written into it.
const WIDTH = 960;
const MARGIN = 24;
const PNG_SCALE = 3; // dots a pixel: 288 dots an inch, enough for print
const ROW = 20;
const SVG = "http://www.w3.org/2000/svg";
const WRITTEN = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity",
  "font-size", "font-weight", "text-anchor",
];

export function saveButtons(figure, drawn) {
  const line = document.createElement("p");
  line.className = "plot-files small muted";
  const button = (label, save) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "link";
    made.textContent = label;
    made.addEventListener("click", () => save(figure, drawn));
    return made;
  };
  line.append("Save this plot: ", button("SVG", saveSvg), " ", button("PNG", savePng));
  return line;
}

async function saveSvg(figure, drawn) {
  save(new Blob([picture(figure, drawn).text], { type: "image/svg+xml" }), fileName(figure, "svg"));
}

async function savePng(figure, drawn) {
  const { text, width, height } = picture(figure, drawn);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: width * PNG_SCALE, height: height * PNG_SCALE });
  const pen = canvas.getContext("2d");
  pen.scale(PNG_SCALE, PNG_SCALE);
  pen.drawImage(image, 0, 0, width, height);
  canvas.toBlob((blob) => save(blob, fileName(figure, "png")), "image/png");
}

function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// "Pairs by depth of the pool, and the maximum" -> pairs-by-depth-of-the-pool.svg
function fileName(figure, ending) {
  const words = figure.querySelector("figcaption").textContent.split(/[,;:]/)[0].toLowerCase();
  return `${words.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "").slice(0, 60)}.${ending}`;
}

function picture(figure, drawn) {
  // Styles are computed for what is in the page; out of sight, and in light colours.
  const stage = document.createElement("div");
  stage.className = "plot unseen";
  stage.dataset.plot = figure.dataset.plot;
  stage.style.colorScheme = "light";
  document.body.append(stage);
  try {
    const [plot, legend] = drawn(figure, WIDTH);
    stage.append(...legend, plot);
    plot.querySelector("[aria-label=tip]")?.remove();
    write(plot);
    const [plotWidth, plotHeight] = [Number(plot.getAttribute("width")), Number(plot.getAttribute("height"))];
    const width = plotWidth + 2 * MARGIN;
    const { family, ink } = typeOf(stage);
    const outer = element("svg", { "font-family": family, fill: ink });
    outer.append(element("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
    let top = MARGIN;
    for (const line of wrapped(figure.querySelector("figcaption").textContent, Math.floor((width - 2 * MARGIN) / 7.6))) {
      outer.append(element("text", { x: MARGIN, y: top + 12, "font-size": 15, "font-weight": 600 }, line));
      top += ROW;
    }
    top = entries(outer, legend, top, width) + 8;
    plot.setAttribute("x", MARGIN);
    plot.setAttribute("y", top);
    outer.append(plot);
    const height = top + plotHeight + MARGIN;
    for (const [key, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`]]) outer.setAttribute(key, value);
    return { text: new XMLSerializer().serializeToString(outer), width, height };
  } finally {
    stage.remove();
  }
}

// Writes what the stylesheet says into attributes. All is read first: a style may come from a parent's class.
function write(plot) {
  const parts = [plot, ...plot.querySelectorAll("*")];
  const styles = parts.map((part) => WRITTEN.map((property) => getComputedStyle(part).getPropertyValue(property)));
  for (const [place, part] of parts.entries()) {
    for (const [number, property] of WRITTEN.entries()) part.setAttribute(property, styles[place][number]);
    part.removeAttribute("class");
  }
  // A drawing within a drawing is cut at its edge unless it says otherwise.
  plot.setAttribute("overflow", "visible");
}

function typeOf(stage) {
  const style = getComputedStyle(stage);
  return { family: style.fontFamily, ink: style.color };
}

// The legend as squares and words, in as many rows as it needs; returns where it ends.
function entries(outer, legend, top, width) {
  let left = MARGIN;
  for (const entry of legend.flatMap((line) => [...line.children])) {
    const { backgroundColor: fill } = getComputedStyle(entry.querySelector("i"));
    const words = entry.textContent;
    const size = 12 + 6 + words.length * 6.5 + 18;
    if (left + size > width - MARGIN && left > MARGIN) [left, top] = [MARGIN, top + ROW];
    outer.append(element("rect", { x: left, y: top + 1, width: 12, height: 12, fill }));
    outer.append(element("text", { x: left + 18, y: top + 11, "font-size": 12 }, words));
    left += size;
  }
  return left > MARGIN ? top + ROW : top;
}

function wrapped(text, letters) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    if (lines.at(-1) && lines.at(-1).length + word.length >= letters) lines.push("");
    lines[lines.length - 1] = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
  }
  return lines;
}

function element(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}
