// --- the list: every pair that passes, of which only those in its window are in the page

const list = at("list");
const rows = at("rows");
const ROW = 66; // as in the style sheet

let shown = []; // indices of the pairs that pass search and filter, in the chosen order
let place = 0; // place in `shown`
let terms = []; // of the query

const count = (value, one) => `${value} ${one}${value === 1 ? "" : "s"}`;
const badge = (n) => {
  if (has.gold) {
    const errors = errorsOf(n);
    return errors === 0 ? make("span", "badge fine", "right") : make("span", "badge", count(errors, "error"));
  }
  if (has.other) {
    const { differing } = countsOf(n);
    return differing === 0 ? make("span", "badge fine", "same") : make("span", "badge", `${differing} differ`);
  }
  if (has.probabilities && data.probabilities[n] !== "") return make("span", "badge fine", `least ${leastOf(n)} %`);
  return make("span", "badge fine", "");
};

const LONGEST_SHOWN = 160; // characters of a sentence; more do not fit
const listRow = (index) => {
  const n = shown[index];
  const row = make("div", index === place ? "row chosen" : "row");
  row.id = `row-${index}`;
  row.dataset.index = index;
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", String(index === place));
  row.setAttribute("aria-posinset", String(index + 1));
  row.setAttribute("aria-setsize", String(shown.length));
  row.style.top = `${index * ROW}px`;
  const top = make("div", "top");
  top.append(make("span", "line", (data.first + n + 1).toLocaleString("en")), badge(n));
  row.append(top);
  for (const side of ["source", "target"]) {
    const line = make("div", "text", data[side][n].slice(0, LONGEST_SHOWN));
    line.dir = data.directions[side];
    row.append(line);
  }
  return row;
};

const drawList = () => {
  rows.style.height = `${shown.length * ROW}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 3);
  const last = Math.min(shown.length - 1, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 3);
  const found = [];
  for (let index = first; index <= last; index += 1) found.push(listRow(index));
  rows.replaceChildren(...found);
  if (place >= first && place <= last) list.setAttribute("aria-activedescendant", `row-${place}`);
  else list.removeAttribute("aria-activedescendant");
};

const showInList = () => {
  const [low, high] = [place * ROW, (place + 1) * ROW];
  if (low < list.scrollTop) list.scrollTop = low;
  else if (high > list.scrollTop + list.clientHeight) list.scrollTop = high - list.clientHeight;
  drawList();
};
let listing = 0;
const redrawList = () => {
  if (listing === 0) listing = requestAnimationFrame(() => { listing = 0; drawList(); });
};
list.addEventListener("scroll", redrawList, { passive: true });
addEventListener("resize", redrawList);
