// Draws every <figure data-plot="KIND"> from the JSON in it, with Observable Plot. The table beside a figure says
// the same without JavaScript. Colours are custom properties of the stylesheet, so that a change of theme needs
// no new drawing.
import { saveButtons } from "./plot_files.js";

const { d3, Plot } = window;

export const whole = d3.format(",");
export const shorten = (name, length) => (name.length > length ? `${name.slice(0, length - 1)}…` : name);
export const colour = (tone) => `var(--plot-${tone})`;
export const tip = (data, options) => Plot.tip(data, { ...options, fontSize: 12, lineHeight: 1.35, lineWidth: 40 });
const ruler = document.createElement("canvas").getContext("2d");
// The pixels of the longest of these names: capitals and underscores are half as wide again as other letters.
const widest = (names, size) => {
  ruler.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(d3.max(names, (name) => ruler.measureText(name).width) ?? 0);
};
const total = (row) => d3.sum(row.values);

// Up to six lines that neither colour nor dash alone tells apart: the drawing has its own legend.
const TONES = [1, 2, 4];
const tone = (place) => colour(TONES[place % TONES.length]);
const dash = (place) => (place < TONES.length ? "0" : "6 4");
const legendOf = (lines, room) => lines.flatMap(({ name }, place) => {
  const at = { frameAnchor: "top-left", textAnchor: "start", dy: -14 - 17 * (lines.length - 1 - place) };
  return [
    Plot.text([place < TONES.length ? "━━" : "╍╍"], { ...at, dx: 2, text: (mark) => mark, fill: tone(place), fontWeight: 700 }),
    Plot.text([shorten(name, room)], { ...at, dx: 34, text: (label) => label, fill: "var(--ink)" }),
  ];
});

// Other modules add their own kinds to these.
export const kinds = {
  // Lines of counts, or of `shares` from 0 to 1, over `x`, whose whole numbers begin at `first`; `mark` is a place there.
  lines({ x, y, lines, mark, shares = false, first = 0 }, width) {
    const points = lines.flatMap((line, place) => line.points.map(([at, value]) => ({ at, value, line, place })));
    const last = d3.max(points, (point) => point.at);
    const byPlace = d3.rollups(points, (same) => same, (point) => point.at);
    const legend = lines.length > 1 ? 17 * lines.length + 8 : 0;
    const isShare = shares && first === 0;
    const across = isShare ? d3.format(".2~f") : whole;
    const up = shares ? d3.format(".3f") : whole;
    return {
      width,
      height: Math.min(360, Math.max(230, width * 0.42)) + legend,
      marginLeft: shares ? 46 : 62,
      marginRight: 14,
      marginTop: 24 + legend,
      marginBottom: 44,
      x: { label: x, labelOffset: 38, domain: [first, Math.max(first + 1, last)], tickFormat: across, ticks: Math.min(10, isShare ? 10 : last) },
      y: { label: y, grid: true, zero: true, tickFormat: shares ? d3.format(".2~f") : whole, ticks: 5, ...(shares && { domain: [0, 1] }) },
      marks: [
        ...(legend ? legendOf(lines, Math.max(16, Math.floor((width - 100) / 8))) : []),
        Plot.ruleY([0], { stroke: "var(--line)" }),
        mark === undefined ? null : Plot.ruleX([mark], { stroke: "var(--ink-3)", strokeDasharray: "3 3" }),
        ...lines.map((line, place) => Plot.line(line.points, { stroke: tone(place), strokeWidth: 2, strokeDasharray: dash(place) })),
        Plot.dot(points, { x: "at", y: "value", r: last > 40 ? 0 : 3, fill: (point) => tone(point.place) }),
        tip(byPlace, Plot.pointerX({
          x: ([at]) => at,
          y: ([, same]) => d3.max(same, (point) => point.value),
          title: ([at, same]) => [`${x} ${across(at)}`, ...same.map(({ line, value }) => `${shorten(line.name, 30)}: ${up(value)}`)].join("\n"),
        })),
      ],
    };
  },

  bars({ x, parts, tones, rows, median }, width) {
    const step = rows.length > 60 ? 13 : rows.length > 25 ? 17 : 24;
    const longest = Math.max(6, Math.min(width < 600 ? 14 : 28, d3.max(rows, (row) => row.name.length) ?? 0));
    const bars = rows.flatMap((row, place) => {
      const ends = Array.from(d3.cumsum(row.values));
      return row.values.map((value, part) => ({ place, part, from: ends[part] - value, to: ends[part] }));
    });
    return {
      width,
      height: rows.length * step + 80,
      marginLeft: widest(rows.map((row) => shorten(row.name, longest)), step < 16 ? 10 : 12) + 10,
      marginRight: 16,
      marginTop: 36,
      marginBottom: 44,
      dense: step < 16,
      x: { label: x, labelOffset: 40, axis: "both", grid: true, tickFormat: whole, ticks: Math.max(3, Math.floor(width / 110)) },
      y: {
        domain: d3.range(rows.length), label: null, tickSize: 0, tickPadding: 6, padding: step < 16 ? 0.16 : 0.24,
        tickFormat: (place) => shorten(rows[place].name, longest),
      },
      marks: [
        Plot.barX(bars, { y: "place", x1: "from", x2: "to", fill: (bar) => colour(tones[bar.part]) }),
        Plot.ruleX([0], { stroke: "var(--edge)" }),
        median === undefined ? null : Plot.ruleX([median], { stroke: "var(--ink)", strokeDasharray: "4 3" }),
        tip(rows, Plot.pointerY({
          y: (_, place) => place,
          x: total,
          title: (row) => [
            row.name + (row.note ? ` · ${shorten(row.note, 60)}` : ""),
            ...(parts.length > 1 ? [`${x.toLowerCase()}: ${whole(total(row))}`] : []),
            ...parts.map((part, place) => `${part}: ${whole(row.values[place])}`),
          ].join("\n"),
        })),
      ],
    };
  },

};

// The drawing of a figure at a width, as an SVG element and the entries of its legend.
export function drawn(figure, width) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  const { dense, ...options } = kinds[figure.dataset.plot](data, width);
  const svg = Plot.plot(options);
  if (dense) svg.classList.add("dense");
  // The content-security policy refuses these; their rules stand in workbench.css.
  for (const style of svg.querySelectorAll("style")) style.remove();
  // A drawing is one picture with one name. Its parts have names too, which only a part with a role may have.
  for (const part of svg.querySelectorAll("g[aria-label]")) part.setAttribute("role", "group");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", figure.querySelector("figcaption").textContent);
  return [svg, legend(figure.dataset.plot, data)];
}

function draw(figure) {
  const width = Math.floor(figure.clientWidth);
  if (!width || figure.dataset.width === String(width)) return;
  figure.dataset.width = width;
  const [svg, entries] = drawn(figure, width);
  const drawing = figure.querySelector(".drawing") ?? figure.appendChild(document.createElement("div"));
  drawing.className = "drawing";
  drawing.replaceChildren(...entries, svg);
  if (!figure.querySelector(".plot-files")) figure.append(saveButtons(figure, drawn));
  // What scrolls must be reached by the keyboard too.
  const name = svg.getAttribute("aria-label");
  if (drawing.scrollWidth > drawing.clientWidth || drawing.scrollHeight > drawing.clientHeight) {
    for (const [key, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", name]]) drawing.setAttribute(key, value);
  } else for (const key of ["tabindex", "role", "aria-label"]) drawing.removeAttribute(key);
}

function legend(kind, { parts, tones }) {
  if (kind !== "bars" || parts.length < 2) return [];
  const line = document.createElement("p");
  line.className = "legend small muted";
  line.append(...parts.map((word, place) => {
    const entry = document.createElement("span");
    const swatch = document.createElement("i");
    swatch.className = `swatch plot-${tones[place]}`;
    entry.append(swatch, word);
    return entry;
  }));
  return [line];
}

const seen = new ResizeObserver((entries) => {
  for (const { target } of entries) draw(target);
});

function find() {
  for (const figure of document.querySelectorAll("figure[data-plot]")) seen.observe(figure);
}

// A folded figure is drawn when it is unfolded: only then has it a width.
find();
document.addEventListener("htmx:after:swap", find);
