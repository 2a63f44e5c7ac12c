// The plot that the page of consensus rules adds to those of plots.js, which draws it.
import { colour, kinds, shorten, tip, whole } from "./plots.js";

const { d3, Plot } = window;

const STEP = 13; // pixels between two ranks: a line of text
const HIGHLIGHTED = 6;
const LETTER = 6; // pixels, of a small font

// A line for every run through its rank under every rule. At both ends every run is named, in the order of its
// rank; runs that share a rank stand below one another, each with the rank that they share.
kinds.slopes = ({ columns, lines }, width) => {
  const moved = (line) => d3.max(line.ranks) - d3.min(line.ranks);
  const far = new Set(d3.sort(lines, (line) => -moved(line)).filter(moved).slice(0, HIGHLIGHTED).map((line) => line.name));
  const stands = (line) => far.has(line.name);
  const points = lines.flatMap((line) => line.ranks.map((rank, place) => ({ line, rank, place })));
  const longest = Math.min(d3.max(lines, (line) => line.name.length) ?? 0, width < 600 ? 14 : 36);
  const margin = LETTER * (longest + 5) + 14;
  // Room for a column at least; the drawing scrolls where there is less.
  const wide = Math.max(width, 2 * margin + 64 * Math.max(1, columns.length - 1));
  const room = (wide - 2 * margin) / Math.max(1, columns.length - 1) - 8;
  const upright = columns.every((column) => column.length * 6.5 <= room);
  const longestColumn = Math.min(34, d3.max(columns, (column) => column.length) ?? 0);
  const names = (side) => d3.sort(lines, (line) => line.ranks.at(side), (line) => line.name)
    .map((line, place) => ({ line, place, rank: line.ranks.at(side) }));
  const track = { x: "place", y: "rank", z: (point) => point.line.name };
  return {
    width: wide,
    height: Math.max(2, lines.length) * STEP + (upright ? 60 : 40 + longestColumn * 5),
    marginLeft: margin,
    marginRight: margin,
    marginTop: upright ? 34 : 14 + longestColumn * 5,
    marginBottom: 16,
    dense: true,
    x: {
      type: "point", domain: d3.range(columns.length), label: null, tickSize: 0, padding: 0, axis: "top",
      tickFormat: (place) => shorten(columns[place], longestColumn), tickRotate: upright ? 0 : -50,
    },
    y: { reverse: true, domain: [1, Math.max(lines.length, 2)], axis: null },
    marks: [
      Plot.ruleX(d3.range(columns.length), { stroke: "var(--line)" }),
      Plot.line(points.filter(({ line }) => !stands(line)), { ...track, stroke: "var(--ink-3)", strokeOpacity: 0.55 }),
      Plot.line(points.filter(({ line }) => stands(line)), { ...track, stroke: colour(1), strokeWidth: 2 }),
      Plot.dot(points, { x: "place", y: "rank", r: 2.5, fill: ({ line }) => (stands(line) ? colour(1) : "var(--ink-3)") }),
      ...[[0, "end", -10], [-1, "start", 10]].map(([side, textAnchor, dx]) => Plot.text(names(side), {
        x: () => (side ? columns.length - 1 : 0), y: ({ place }) => place + 1, textAnchor, dx,
        text: ({ line, rank }) => (side ? `${rank}  ${shorten(line.name, longest)}` : `${shorten(line.name, longest)}  ${rank}`),
        title: ({ line }) => line.name,
        fill: "var(--ink)", fontWeight: ({ line }) => (stands(line) ? 600 : 400),
      })),
      tip(points, Plot.pointer({
        x: "place", y: "rank",
        title: ({ line, rank, place }) => `${line.name}\n${columns[place]}: rank ${whole(rank)}`,
      })),
    ],
  };
};
