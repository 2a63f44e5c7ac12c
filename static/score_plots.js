// The kinds of plots that the pages of scores and trust add to those of plots.js, which draws them.
import { colour, kinds, shorten, tip } from "./plots.js";

const { d3, Plot } = window;

const three = (value) => value.toFixed(3).replace("-", "−");
const two = d3.format(".2~f");
const both = ([low, high]) => low !== null && high !== null;

// A dot for every row, with a line and perhaps a band behind it; `words` say what these are.
kinds.ranges = ({ x, rows, words }, width) => {
  const step = rows.length > 60 ? 13 : rows.length > 25 ? 17 : 24;
  const longest = Math.max(4, Math.min(width < 600 ? 12 : 28, d3.max(rows, (row) => row.name.length) ?? 0));
  const values = rows.flatMap((row) => [row.value, ...row.line, ...(row.band ?? [])]).filter((value) => value !== null);
  const placed = rows.map((row, place) => ({ ...row, place }));
  const span = (part) => (row) => (both(row[part]) ? [`${words[part]}: ${three(row[part][0])} to ${three(row[part][1])}`] : []);
  return {
    width,
    height: rows.length * step + 88,
    marginLeft: Math.ceil(longest * (step < 16 ? 6.7 : 7.2)) + 10,
    marginRight: 16,
    marginTop: 40,
    marginBottom: 44,
    dense: step < 16,
    x: { label: x, labelOffset: 40, domain: [Math.min(0, d3.min(values) ?? 0), d3.max(values) || 1], axis: "both", grid: true, tickFormat: two, ticks: Math.max(3, Math.floor(width / 110)) },
    y: { type: "band", domain: d3.range(rows.length), label: null, tickSize: 0, tickPadding: 6, tickFormat: (place) => shorten(rows[place].name, longest) },
    marks: [
      Plot.ruleX([0], { stroke: "var(--edge)" }),
      Plot.ruleY(placed.filter((row) => row.band), { y: "place", x1: (row) => row.band[0], x2: (row) => row.band[1], stroke: colour(3), strokeWidth: Math.min(9, step - 6) }),
      Plot.ruleY(placed.filter((row) => both(row.line)), { y: "place", x1: (row) => row.line[0], x2: (row) => row.line[1], stroke: colour(1), strokeWidth: 2, strokeOpacity: 0.6 }),
      Plot.dot(placed, { y: "place", x: "value", r: step < 16 ? 3 : 4, fill: colour(1) }),
      tip(placed, Plot.pointerY({
        y: "place",
        x: "value",
        title: (row) => [
          row.name + (row.note ? ` · ${shorten(row.note, 60)}` : ""),
          `${words.value}: ${three(row.value)}`,
          ...span("line")(row),
          ...(row.band ? span("band")(row) : []),
          `${words.n}: ${row.n}`,
        ].join("\n"),
      })),
    ],
  };
};

// A column for every row, above or below zero; `parts` are named scores that make up the difference.
kinds.columns = ({ y, rows }, width) => {
  const longest = Math.min(10, d3.max(rows, (row) => row.name.length) ?? 0);
  // Names need eleven pixels each; of more rows only every second or third is named.
  const every = Math.max(1, Math.ceil((11 * rows.length) / Math.max(1, width - 80)));
  const extent = d3.max(rows, (row) => Math.abs(row.value)) || 1;
  return {
    width,
    height: Math.min(340, Math.max(230, width * 0.3)),
    marginLeft: 50,
    marginRight: 10,
    marginTop: 26,
    marginBottom: 18 + Math.ceil(longest * 6.7),
    dense: rows.length > 40,
    x: { type: "band", domain: d3.range(rows.length), label: null, tickSize: 0, tickRotate: -90, padding: 0.2, ticks: d3.range(0, rows.length, every), tickFormat: (place) => shorten(rows[place].name, longest) },
    y: { label: y, grid: true, domain: [-extent, extent], tickFormat: (value) => d3.format(".2~f")(value), ticks: 6 },
    marks: [
      Plot.barY(rows, { x: (_, place) => place, y1: 0, y2: "value", fill: (row) => colour(row.value < 0 ? 2 : 1) }),
      Plot.ruleY([0], { stroke: "var(--edge)" }),
      tip(rows, Plot.pointerX({
        x: (_, place) => place,
        y: "value",
        title: (row) => [
          row.name + (row.note ? ` · ${shorten(row.note, 60)}` : ""),
          ...row.parts.map(([name, value]) => `${shorten(name, 30)}: ${three(value)}`),
          `difference: ${three(row.value)}`,
        ].join("\n"),
      })),
    ],
  };
};
