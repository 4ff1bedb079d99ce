// --- the frame: a window onto the drawing of the shown pair
//
// The drawing is as large as the window and is made anew while it scrolls; an empty box gives the scrollbars their
// length. Browsers bound the size of a box, but 2,000 words are 56,000 pixels, far below any bound.

const frame = at("frame");
const canvas = at("canvas");
const EMPTY = { source: [], target: [], marks: new Map(), linked: { source: new Set(), target: new Set() }, terms: [] };

let pair = EMPTY; // the shown pair: {n, source, target, marks, linked, terms}
let view = "grid";
let layout = null; // of the shown pair, in the chosen view
let pointed = null; // the place that is pointed at: {i, j}, one of them, or null

const isTable = () => view === "table";
const windowOf = () => ({
  x: frame.scrollLeft,
  y: frame.scrollTop,
  width: frame.clientWidth,
  height: Math.max(frame.clientHeight, 40),
});

const paint = () => {
  drawing.replaceChildren();
  if (layout === null) return;
  const shown = windowOf();
  drawing.setAttribute("width", Math.min(shown.width, layout.width));
  drawing.setAttribute("height", Math.min(shown.height, layout.height));
  layout.paint(drawing, shown, pointed);
};

let painting = 0;
const repaint = () => {
  if (painting === 0) painting = requestAnimationFrame(() => { painting = 0; paint(); });
};

const layOut = () => {
  const layers = { grid: gridLayout, arcs: arcsLayout };
  const empty = pair.source.length === 0 || pair.target.length === 0;
  layout = isTable() || empty ? null : layers[view](pair, frame.clientWidth);
  canvas.style.width = layout === null ? "0" : `${layout.width}px`;
  canvas.style.height = layout === null ? "0" : `${layout.height}px`;
  frame.scrollTop = 0;
  frame.scrollLeft = layout !== null && layout.startsRight ? layout.width : 0;
  paint();
};

// The whole pair as a drawing of its own, for print and for files.
const wholeDrawing = () => {
  const { width, height } = layout;
  const whole = svg("svg", { class: "drawing", width, height, viewBox: `0 0 ${width} ${height}` });
  layout.paint(whole, { x: 0, y: 0, width, height }, null);
  return whole;
};

// --- what a place says

const percent = (value) => `${(100 * value).toFixed(1)} %`;
const says = (mark) => {
  const parts = [];
  if (mark.link) parts.push(mark.p === undefined ? "linked" : `linked, probability ${mark.p} %`);
  if (mark.sure) parts.push(mark.link ? "sure in the gold" : "missed: sure in the gold");
  if (mark.possible) parts.push("possible in the gold");
  if (verdict(mark) === "extra") parts.push("not in the gold");
  if (mark.other) parts.push(`linked by ${data.names.other}`);
  return parts.join(", ");
};
const describe = (place) => {
  const { source, target, marks } = pair;
  if (place.i !== undefined && place.j !== undefined) {
    const mark = marks.get(`${place.i}-${place.j}`);
    return [`${isolated(source[place.i])} \u2013 ${isolated(target[place.j])}`, mark === undefined ? "no link" : says(mark)];
  }
  const side = place.i === undefined ? "target" : "source";
  const index = place.i ?? place.j;
  const partners = [];
  for (const mark of marks.values()) {
    if (!mark.link || !touches(place, mark)) continue;
    const word = side === "source" ? target[mark.j] : source[mark.i];
    partners.push(isolated(word) + (mark.p === undefined ? "" : ` ${mark.p} %`));
  }
  return [isolated(pair[side][index]), partners.length === 0 ? "no link" : partners.join(", ")];
};

const tip = at("tip");
const showTip = (x, y) => {
  if (pointed === null) { tip.hidden = true; return; }
  const [title, text] = describe(pointed);
  tip.replaceChildren(make("strong", "", title), make("span", "", text));
  tip.hidden = false;
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  tip.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, x + 14))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? y - height - 12 : y + 18}px`;
};

// --- sentences above the drawing

const spans = { source: [], target: [] };
const sentence = (side) => {
  const element = at(side);
  element.dir = data.directions[side];
  element.replaceChildren();
  spans[side] = pair[side].map((token, index) => {
    const word = make("span", wordClass(pair, side, index), token);
    word.dataset[side] = index;
    element.append(word, " ");
    return word;
  });
  if (pair[side].length === 0) element.append(make("span", "quiet", "(empty)"));
};

let lit = [];
const light = () => {
  for (const word of lit) word.classList.remove("on", "at");
  lit = [];
  const add = (word, name) => {
    if (word === undefined) return;
    word.classList.add(name);
    lit.push(word);
  };
  if (pointed === null) return;
  for (const mark of pair.marks.values()) {
    if (!(mark.link || mark.sure) || !touches(pointed, mark)) continue;
    add(spans.source[mark.i], "on");
    add(spans.target[mark.j], "on");
  }
  add(spans.source[pointed.i], "at");
  add(spans.target[pointed.j], "at");
};

const point = (place) => {
  const same = place === pointed || (place !== null && pointed !== null && place.i === pointed.i && place.j === pointed.j);
  if (same) return false;
  pointed = place;
  light();
  repaint();
  return true;
};

// --- pointer

const placeAt = (event) => {
  const key = event.target.closest?.("[data-key]")?.dataset.key;
  if (key !== undefined) {
    const [i, j] = key.split("-").map(Number);
    return { i, j };
  }
  const word = event.target.closest?.("[data-source], [data-target]");
  if (word) {
    const { source, target } = word.dataset;
    return source === undefined ? { j: Number(target) } : { i: Number(source) };
  }
  if (layout === null || !frame.contains(event.target)) return null;
  const corner = drawing.getBoundingClientRect();
  return layout.hit(event.clientX - corner.left, event.clientY - corner.top, windowOf());
};
at("pair").addEventListener("pointermove", (event) => {
  point(placeAt(event));
  showTip(event.clientX, event.clientY);
});
at("pair").addEventListener("pointerleave", () => {
  point(null);
  tip.hidden = true;
});
frame.addEventListener("scroll", repaint, { passive: true });
addEventListener("resize", () => { if (view === "arcs") layOut(); else repaint(); });

// --- keys inside of the drawing

const show = (place) => {
  const box = layout.box(place);
  const { left, right, top } = box.margins;
  const shown = windowOf();
  if (box.x !== null) {
    const room = shown.width - left - right;
    if (box.x < frame.scrollLeft) frame.scrollLeft = box.x - CELL;
    else if (box.x + box.width > frame.scrollLeft + room) frame.scrollLeft = box.x + box.width + CELL - room;
  }
  if (box.y !== null) {
    const room = shown.height - top;
    if (box.y < frame.scrollTop) frame.scrollTop = box.y - CELL;
    else if (box.y + box.height > frame.scrollTop + room) frame.scrollTop = box.y + box.height + CELL - room;
  }
};
const goTo = (place) => {
  point(place);
  show(place);
  at("say").textContent = describe(place).join(": ");
  paint();
  const mark = drawing.querySelector(".cursor, .plate.at")?.getBoundingClientRect();
  if (mark) showTip(mark.left, mark.bottom - 8);
};
const stepTo = (key) => goTo(layout.step(pointed, key));
const linkAfter = (forward) => {
  const found = [...pair.marks.values()].filter((mark) => mark.link || mark.sure);
  if (found.length === 0) return;
  found.sort((one, two) => one.i - two.i || one.j - two.j);
  const rank = (place) => (place.i ?? -1) * 1e6 + (place.j ?? -1);
  const here = pointed === null ? (forward ? -1 : Infinity) : rank(pointed);
  const next = forward ? found.find((mark) => rank(mark) > here) : found.findLast((mark) => rank(mark) < here);
  const { i, j } = next ?? (forward ? found[0] : found.at(-1));
  goTo({ i, j });
};
