// --- what both drawings share

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
const at = (id) => document.getElementById(id);
const drawing = at("drawing");
const svg = (tag, attributes = {}, text) => {
  const element = document.createElementNS(drawing.namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

// A word keeps its own direction in a drawing: isolated, so that marks at its ends stay where they belong.
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFD\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const isolated = (token) => (rightToLeft.test(token) ? `\u2068${token}\u2069` : token);
const ideographic = /^[\u1100-\u11FF\u2E80-\u9FFF\uA960-\uA97F\uAC00-\uD7FF\uF900-\uFAFF\u{20000}-\u{3FFFF}]+$/u;

const FONT_SIZE = 15;
const pen = document.createElement("canvas").getContext("2d");
pen.font = `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
const widths = new Map();
const widthOf = (token) => {
  if (widths.size > 50000) widths.clear();
  if (!widths.has(token)) widths.set(token, pen.measureText(token).width);
  return widths.get(token);
};
// The word, or as many of its characters as fit, and how wide that is.
const fitted = (token, limit) => {
  const width = widthOf(token);
  if (width <= limit) return { text: token, width };
  const characters = [...token];
  let [low, high] = [0, characters.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(`${characters.slice(0, middle).join("")}\u2026`).width <= limit) low = middle;
    else high = middle - 1;
  }
  return { text: `${characters.slice(0, low).join("")}\u2026`, width: limit };
};

// A link pales with its probability but never vanishes.
const strength = (mark) => (mark.p === undefined ? 1 : 0.12 + 0.88 * (mark.p / 100));

// The marks of one cell of the grid with its left upper corner at x, y; the legend uses them, too.
const CELL = 28;
const cellMarks = (mark, x, y) => {
  const parts = [];
  const wrong = verdict(mark);
  if (wrong !== "") parts.push(svg("rect", { class: `wrong ${wrong}`, x, y, width: CELL, height: CELL }));
  if (mark.link) {
    const square = { x: x + 6, y: y + 6, width: CELL - 12, height: CELL - 12, rx: 2.5 };
    parts.push(svg("rect", { class: "link", ...square, "fill-opacity": strength(mark).toFixed(3) }));
  }
  if (mark.sure || mark.possible) {
    const box = { x: x + 2.5, y: y + 2.5, width: CELL - 5, height: CELL - 5, rx: 5 };
    parts.push(svg("rect", { class: mark.sure ? "sure" : "possible", ...box }));
  }
  if (mark.other) parts.push(svg("circle", { class: "other", cx: x + CELL - 6.5, cy: y + CELL - 6.5, r: 4.5 }));
  return parts;
};

// Words with a link of the first system: the others are drawn paler.
const linkedWords = (marks) => {
  const linked = { source: new Set(), target: new Set() };
  for (const mark of marks.values()) {
    if (!mark.link) continue;
    linked.source.add(mark.i);
    linked.target.add(mark.j);
  }
  return linked;
};

const wordClass = (pair, side, index, extra = "") => {
  const names = ["word"];
  if (!pair.linked[side].has(index)) names.push("unlinked");
  if (isFound(pair.terms, side, pair[side][index])) names.push("found");
  if (extra) names.push(extra);
  return names.join(" ");
};

// Whether a mark belongs to the place that is pointed at: a cell, a row, a column or a word.
const touches = (at, mark) =>
  at !== null && (at.i === undefined || at.i === mark.i) && (at.j === undefined || at.j === mark.j);
