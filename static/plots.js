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
// Shares of one half are rare: the root lets small ones be told apart. The legend's classes have the same.
const darkness = ({ share }) => Math.sqrt(share);
const total = (row) => d3.sum(row.values);

// Other modules add their own kinds to these.
export const kinds = {
  lines({ x, y, lines, mark }, width) {
    const points = lines.flatMap((line, place) => line.points.map(([at, value]) => ({ at, value, line, place })));
    const byDepth = d3.rollups(points, (same) => same, (point) => point.at);
    return {
      width,
      height: Math.min(340, Math.max(240, width * 0.4)),
      marginLeft: 62,
      marginRight: 12,
      marginBottom: 44,
      x: { label: x, labelOffset: 40, tickFormat: whole },
      y: { label: y, grid: true, zero: true, tickFormat: whole },
      marks: [
        Plot.ruleY([0], { stroke: "var(--line)" }),
        Plot.ruleX([mark], { stroke: "var(--ink-3)", strokeDasharray: "3 3" }),
        Plot.line(points, {
          x: "at", y: "value", z: "place", stroke: (point) => colour(point.place + 1), strokeWidth: 2,
        }),
        Plot.text(lines, {
          x: (line) => line.points.at(-1)[0], y: (line) => line.points.at(-1)[1], text: "name",
          textAnchor: "end", dy: -9, fill: "var(--ink)", stroke: "var(--surface)", strokeWidth: 4,
        }),
        tip(byDepth, Plot.pointerX({
          x: ([at]) => at,
          y: ([, same]) => d3.max(same, (point) => point.value),
          title: ([at, same]) =>
            [`${x} ${whole(at)}`, ...same.map((point) => `${point.line.name}: ${whole(point.value)}`)].join("\n"),
        })),
      ],
    };
  },

  panels({ panels, mark }, width) {
    const columns = Math.max(2, Math.floor(width / 150));
    const rows = Math.ceil(panels.length / columns);
    const points = panels.flatMap((panel, place) =>
      panel.points.map(([at, value]) => ({ at, value, panel, column: place % columns, row: Math.floor(place / columns) })));
    const places = panels.map((panel, place) => ({ panel, column: place % columns, row: Math.floor(place / columns) }));
    const facet = { fx: "column", fy: "row" };
    return {
      width,
      height: rows * 92 + 40,
      marginLeft: 46,
      fx: { axis: null, padding: 0.12 },
      fy: { axis: null, padding: 0.22 },
      x: { ticks: 3, label: null, tickFormat: whole },
      y: { ticks: 2, label: null, grid: true, tickFormat: whole, zero: true },
      marks: [
        Plot.ruleX(places, { ...facet, x: () => mark, stroke: "var(--ink-3)", strokeDasharray: "2 2" }),
        Plot.areaY(points, { ...facet, x: "at", y: "value", fill: "var(--plot-1)", fillOpacity: 0.15 }),
        Plot.lineY(points, { ...facet, x: "at", y: "value", stroke: "var(--plot-1)", strokeWidth: 1.5 }),
        Plot.text(places, {
          ...facet, text: ({ panel }) => shorten(panel.name, 16), frameAnchor: "top-left", dx: 3, dy: -3,
          fontWeight: 600, fill: "var(--ink)",
        }),
        tip(points, Plot.pointer({
          ...facet, x: "at", y: "value",
          title: ({ panel, at, value }) => `${panel.name} ${shorten(panel.note, 60)}\ndepth ${whole(at)}: ${whole(value)}`,
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

  matrix({ names, shared }, width) {
    const runs = names.length;
    const longest = Math.max(4, Math.min(width < 600 ? 12 : 24, d3.max(names, (name) => name.length)));
    const margin = Math.ceil(longest * 6.7) + 10;
    const side = Math.max(6, Math.min(30, Math.floor((width - margin - 8) / runs)));
    // Names need eleven pixels each; of more runs only every second or third is named.
    const every = Math.ceil(11 / side);
    const ticks = d3.range(0, runs, every);
    const cells = d3.cross(d3.range(runs), d3.range(runs)).map(([row, column]) => {
      const both = shared[row][column];
      const either = shared[row][row] + shared[column][column] - both;
      return { row, column, both, either, share: either ? both / either : 0 };
    });
    const near = cells.filter((cell) => cell.row !== cell.column && cell.share >= 0.95);
    const inset = side > 12 ? 0.5 : 0;
    const scale = { domain: d3.range(runs), label: null, tickSize: 0, ticks, padding: 0, tickFormat: (place) => shorten(names[place], longest) };
    return {
      width: margin + side * runs + 8,
      height: margin + side * runs + 8,
      marginLeft: margin,
      marginRight: 8,
      marginTop: 8,
      marginBottom: margin,
      dense: true,
      x: { ...scale, tickRotate: -90 },
      y: scale,
      marks: [
        Plot.cell(cells, { x: "column", y: "row", fill: "var(--plot-heat)", fillOpacity: darkness, inset }),
        Plot.cell(near, { x: "column", y: "row", stroke: "var(--plot-2)", strokeWidth: side > 12 ? 2 : 1, fill: "none", inset: inset + 0.5 }),
        tip(cells, Plot.pointer({
          x: "column", y: "row", maxRadius: side,
          title: ({ row, column, both, either, share }) => row === column
            ? `${names[row]}\n${whole(both)} pairs`
            : `${names[row]}\n${names[column]}\nshare ${share.toFixed(3)}: ${whole(both)} of ${whole(either)} pairs`,
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
  const words = kind === "matrix" ? ["0", ".25", ".5", ".75", "1", ".95 and more, near-duplicates"] : kind === "bars" && parts.length > 1 ? parts : [];
  if (!words.length) return [];
  const swatches = kind === "matrix" ? ["heat-0", "heat-1", "heat-2", "heat-3", "heat-4", "near"] : tones.map((tone) => `plot-${tone}`);
  const line = document.createElement("p");
  line.className = "legend small muted";
  line.append(...words.map((word, place) => {
    const entry = document.createElement("span");
    const swatch = document.createElement("i");
    swatch.className = `swatch ${swatches[place]}`;
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
