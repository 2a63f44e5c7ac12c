// The kinds of plots that the pages about agreement add to those of plots.js, which draws them.
import { colour, kinds, shorten, tip, whole } from "./plots.js";

const { d3, Plot } = window;

const three = (value) => value.toFixed(3).replace("-", "−");
const two = d3.format(".2~f");
const within = ({ low, high }) => low !== null && high !== null;
const interval = (row) => (within(row) ? `interval ${three(row.low)} to ${three(row.high)}` : "no interval");

// A dot for every row, with its interval; a line at `mark`, called `marked`.
kinds.dots = ({ x, rows, mark, marked }, width) => {
  const step = rows.length > 60 ? 13 : rows.length > 25 ? 17 : 24;
  const longest = Math.max(4, Math.min(width < 600 ? 12 : 24, d3.max(rows, (row) => row.name.length) ?? 0));
  const values = rows.flatMap((row) => (within(row) ? [row.value, row.low, row.high] : [row.value]));
  const low = Math.min(0, d3.min(values) ?? 0);
  const placed = rows.map((row, place) => ({ ...row, place }));
  return {
    width,
    height: rows.length * step + 88,
    marginLeft: Math.ceil(longest * (step < 16 ? 6.7 : 7.2)) + 10,
    marginRight: 16,
    marginTop: 44,
    marginBottom: 44,
    dense: step < 16,
    x: { label: x, labelOffset: 40, domain: [low, Math.max(1, d3.max(values) ?? 1)], axis: "both", grid: true, tickFormat: two, ticks: Math.max(3, Math.floor(width / 110)) },
    y: {
      type: "band", domain: d3.range(rows.length), label: null, tickSize: 0, tickPadding: 6,
      tickFormat: (place) => shorten(rows[place].name, longest),
    },
    marks: [
      Plot.ruleX([0], { stroke: "var(--edge)" }),
      mark === null || mark === undefined ? null : Plot.ruleX([mark], { stroke: "var(--ink)", strokeDasharray: "4 3" }),
      mark === null || mark === undefined ? null : Plot.text([mark], {
        x: (value) => value, text: (value) => `${marked} ${three(value)}`, frameAnchor: "top", dy: -30,
        fill: "var(--ink)",
      }),
      Plot.ruleY(placed.filter(within), { y: "place", x1: "low", x2: "high", stroke: colour(1), strokeWidth: 2, strokeOpacity: 0.5 }),
      Plot.dot(placed, { y: "place", x: "value", r: 4, fill: colour(1) }),
      tip(placed, Plot.pointerY({
        y: "place",
        x: "value",
        title: (row) => [
          row.name + (row.note ? ` · ${shorten(row.note, 60)}` : ""),
          `${x.toLowerCase()}: ${three(row.value)}`,
          interval(row),
          `pairs: ${whole(row.n)}`,
        ].join("\n"),
      })),
    ],
  };
};

// How wide an interval is by the number of pairs, one line for every way of drawing them.
kinds.reach = ({ x, y, lines, wished }, width) => {
  // The first is drawn last, lest one that is the same hides it.
  const points = lines
    .flatMap((line, place) => line.points.map(([at, value]) => ({ at, value, name: line.name, place })))
    .reverse();
  return {
    width,
    height: Math.min(320, Math.max(220, width * 0.42)),
    marginLeft: 56,
    marginRight: 14,
    marginBottom: 44,
    x: { label: x, labelOffset: 40, tickFormat: whole, ticks: Math.max(3, Math.floor(width / 110)) },
    y: { label: y, grid: true, zero: true, tickFormat: two },
    marks: [
      Plot.ruleY([0], { stroke: "var(--line)" }),
      Plot.ruleY([wished], { stroke: "var(--ink-3)", strokeDasharray: "3 3" }),
      Plot.line(points, { x: "at", y: "value", z: "place", stroke: (point) => colour(point.place + 1), strokeWidth: 2 }),
      Plot.dot(lines.filter((line) => line.needed !== null), {
        x: "needed", y: wished, r: 4, fill: (line) => colour(lines.indexOf(line) + 1),
      }),
      tip(points, Plot.pointerX({
        x: "at", y: "value", title: (point) => `${point.name}\n${whole(point.at)} pairs: ± ${three(point.value)}`,
      })),
    ],
  };
};
