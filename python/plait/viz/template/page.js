// --- the page: controls, keys, address

const number = (value) => value.toLocaleString("en");

const figures = () => {
  let [linked, sure, right, hit, other] = [0, 0, 0, 0, 0];
  for (const mark of pair.marks.values()) {
    if (mark.link) linked += 1;
    if (mark.sure) sure += 1;
    if (mark.other) other += 1;
    if (mark.link && (mark.sure || mark.possible)) right += 1;
    if (mark.link && mark.sure) hit += 1;
  }
  const parts = [`${pair.source.length} \u00d7 ${pair.target.length} words`, count(linked, "link")];
  if (has.gold) {
    if (linked) parts.push(`precision ${percent(right / linked)}`);
    if (sure) parts.push(`recall ${percent(hit / sure)}`);
    if (linked + sure) parts.push(`AER ${percent(1 - (right + hit) / (linked + sure))}`);
  }
  if (has.other) parts.push(`${data.names.other}: ${count(other, "link")}`);
  return parts.join(" \u00b7 ");
};

// The address keeps what is shown, so that it can be sent to somebody: #970&view=arcs&find=..&show=..&order=..
const writeAddress = () => {
  const parts = [String(data.first + (pair.n ?? 0) + 1)];
  if (view !== data.view) parts.push(`view=${view}`);
  if (at("search").value) parts.push(`find=${encodeURIComponent(at("search").value)}`);
  if (at("filter").selectedIndex > 0) parts.push(`show=${at("filter").value}`);
  if (at("order").selectedIndex > 0) parts.push(`order=${at("order").value}`);
  try { history.replaceState(null, "", `#${parts.join("&")}`); } catch { /* not allowed in some frames */ }
};

const draw = () => {
  const none = shown.length === 0;
  at("nothing").hidden = !none;
  for (const id of ["sentences", "figures", "legend"]) at(id).hidden = none;
  frame.hidden = none || isTable();
  at("table").hidden = none || !isTable();
  at("sentences").hidden = none || (view === "arcs" && pair !== EMPTY && pair.source.length > 0 && pair.target.length > 0);
  at("previous").disabled = none || place === 0;
  at("next").disabled = none || place === shown.length - 1;
  at("save").disabled = none || layout === null;
  if (none) at("count").textContent = "no match";
  else if (shown.length === size && at("order").selectedIndex <= 0) at("count").textContent = `of ${number(data.first + size)}`;
  else at("count").textContent = `\u00b7 ${number(place + 1)} of ${number(shown.length)}`;
};

const drawPair = () => {
  pointed = null;
  tip.hidden = true;
  if (shown.length === 0) pair = EMPTY;
  else {
    const n = shown[place];
    const marks = marksOf(n);
    pair = { n, source: words(data.source[n]), target: words(data.target[n]), marks, linked: linkedWords(marks), terms };
    at("position").value = String(data.first + n + 1);
  }
  sentence("source");
  sentence("target");
  lit = [];
  at("figures").textContent = figures();
  draw();
  layOut();
  drawTable();
  at("save").disabled = layout === null;
  showInList();
  writeAddress();
};

const setView = (name) => {
  view = name;
  for (const button of document.querySelectorAll("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === name));
  }
  drawLegend();
  drawPair();
};
const nextView = () => {
  const names = ["grid", "arcs", "table"];
  setView(names[(names.indexOf(view) + 1) % names.length]);
};

// --- moving and finding

const go = (to) => {
  const bounded = Math.max(0, Math.min(shown.length - 1, to));
  if (bounded !== place) { place = bounded; drawPair(); }
};
// The pair to stay at, or the next one that is left; null: the first.
const select = (keep = shown[place] ?? null) => {
  const [, , passes] = filters[Math.max(0, at("filter").selectedIndex)];
  const [, , rank] = orders[Math.max(0, at("order").selectedIndex)];
  terms = parse(at("search").value);
  shown = [];
  for (let n = 0; n < size; n += 1) if (passes(n) && matches(terms, n)) shown.push(n);
  if (rank !== null) {
    const ranks = new Map(shown.map((n) => [n, rank(n)]));
    shown.sort((one, two) => ranks.get(two) - ranks.get(one) || one - two);
  }
  const same = shown.indexOf(keep);
  const after = rank === null && keep !== null ? shown.findIndex((n) => n > keep) : 0;
  place = Math.max(0, same >= 0 ? same : after);
  drawPair();
};
// The nearest shown pair at or after this line, counted from 1 in the file.
const toLine = (line) => {
  if (!Number.isFinite(line) || shown.length === 0) return;
  const wanted = line - 1 - data.first;
  let [best, distance] = [0, Infinity];
  shown.forEach((n, index) => {
    const gap = n >= wanted ? n - wanted : size + wanted - n;
    if (gap < distance) [best, distance] = [index, gap];
  });
  go(best);
};

let waiting = 0;
at("search").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => select(), 120);
});
at("filter").addEventListener("change", () => select());
// A new order starts at its top: that is what it is for.
at("order").addEventListener("change", () => select(at("order").selectedIndex === 0 ? shown[place] : null));
at("position").addEventListener("change", (event) => toLine(Number(event.target.value)));
at("previous").addEventListener("click", () => go(place - 1));
at("next").addEventListener("click", () => go(place + 1));
for (const button of document.querySelectorAll("[data-view]")) {
  button.addEventListener("click", () => setView(button.dataset.view));
}
rows.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) go(Number(row.dataset.index));
});

// --- list, colours, files, paper

const narrow = matchMedia("(max-width: 60rem)");
const showSide = (wanted) => {
  document.body.classList.toggle("wide", !wanted);
  at("toggle").setAttribute("aria-expanded", String(wanted));
  if (wanted) showInList();
  layOut();
};
const toggleSide = () => showSide(document.body.classList.contains("wide"));
at("toggle").addEventListener("click", toggleSide);
narrow.addEventListener("change", () => showSide(!narrow.matches));

const recolour = () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme === "dark" || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = isDark ? "light" : "dark";
};
at("theme").addEventListener("click", recolour);

// A file that stands alone: with the style of the marks and the light colours.
const drawingFile = () => {
  const whole = wholeDrawing();
  const style = svg("style");
  style.textContent = `${at("marks").textContent}\ntext { font-family: sans-serif; }`;
  whole.prepend(style);
  return new XMLSerializer().serializeToString(whole);
};
const save = () => {
  if (layout === null) return;
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([drawingFile()], { type: "image/svg+xml" }));
  link.download = `line-${data.first + pair.n + 1}-${view}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
at("save").addEventListener("click", save);

// On paper the whole drawing is shown, scaled to the page.
addEventListener("beforeprint", () => {
  if (layout !== null) at("printed").replaceChildren(wholeDrawing());
});
addEventListener("afterprint", () => at("printed").replaceChildren());

const help = () => at("help").showModal();
at("keys").addEventListener("click", help);

// --- keys

const moves = {
  ArrowLeft: () => go(place - 1),
  ArrowRight: () => go(place + 1),
  k: () => go(place - 1),
  j: () => go(place + 1),
  Home: () => go(0),
  End: () => go(shown.length - 1),
  "/": () => { at("search").focus(); at("search").select(); },
  f: () => at("filter").focus(),
  o: () => at("order").focus(),
  g: () => setView("grid"),
  a: () => setView("arcs"),
  t: () => setView("table"),
  v: nextView,
  n: () => { if (layout !== null) linkAfter(true); },
  p: () => { if (layout !== null) linkAfter(false); },
  l: toggleSide,
  s: save,
  c: recolour,
  "?": help,
};
const listMoves = {
  ArrowUp: () => go(place - 1),
  ArrowDown: () => go(place + 1),
  PageUp: () => go(place - Math.max(1, Math.floor(list.clientHeight / ROW) - 1)),
  PageDown: () => go(place + Math.max(1, Math.floor(list.clientHeight / ROW) - 1)),
};
const moveFor = (event) => {
  if (event.target === frame && layout !== null && event.key.startsWith("Arrow")) return () => stepTo(event.key);
  if (event.target === list && listMoves[event.key]) return listMoves[event.key];
  if (event.key === "Enter" && (event.target === document.body || event.target === list)) return () => frame.focus();
  return moves[event.key];
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || at("help").open) return;
  if (event.key === "Escape") {
    document.activeElement.blur();
    point(null);
    tip.hidden = true;
    return;
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName ?? "")) return;
  const move = moveFor(event);
  if (move) {
    event.preventDefault();
    move();
  }
});

// --- legend

const drawLegend = () => {
  const items = make("ul");
  const explain = (mark, text) => {
    // A table says it all in words.
    if (view === "table") return;
    const item = make("li");
    const isArc = view === "arcs";
    const sample = svg("svg", { class: "drawing", width: isArc ? 34 : CELL, height: CELL, "aria-hidden": "true" });
    if (isArc) {
      for (const name of ["sure", "possible", "link", "other"]) {
        if (mark[name]) sample.append(svg("path", { class: `${name} ${name === "link" ? verdict(mark) : ""}`, d: `M2 ${CELL / 2}H32` }));
      }
    } else sample.append(...cellMarks(mark, 0, 0));
    item.append(sample, make("span", "", text));
    items.append(item);
  };
  const known = has.gold ? { link: true, sure: true } : { link: true };
  const names = data.names;
  const pale = has.probabilities ? "; the paler, the less probable" : "";
  explain(known, has.gold ? `${names.links}, sure in the gold${pale}` : `${names.links}${pale}`);
  if (has.gold) {
    explain({ link: true, possible: true }, "possible in the gold");
    explain({ link: true }, "not in the gold");
    explain({ sure: true }, "sure in the gold, missed");
  }
  if (has.other) explain({ other: true }, names.other);
  const item = make("li");
  item.append(make("span", "word unlinked", "word"), make("span", "", "has no link"));
  items.append(item);
  at("legend").replaceChildren(items);
};

// --- start

for (const [id, choices] of [["filter", filters], ["order", orders]]) {
  for (const [value, label] of choices) at(id).append(new Option(label, value));
}
at("position").min = String(data.first + 1);
at("position").max = String(data.first + size);

const readAddress = () => {
  const [line, ...rest] = location.hash.slice(1).split("&");
  const given = new Map(rest.map((part) => part.split("=").map((text) => { try { return decodeURIComponent(text); } catch { return text; } })));
  at("search").value = given.get("find") ?? "";
  for (const [id, name] of [["filter", "show"], ["order", "order"]]) {
    at(id).value = given.get(name) ?? at(id).options[0].value;
    if (at(id).selectedIndex < 0) at(id).selectedIndex = 0;
  }
  const wanted = given.get("view");
  view = ["grid", "arcs", "table"].includes(wanted) ? wanted : data.view;
  select(null);
  if (Number(line) > 0) toLine(Number(line));
  setView(view);
};
addEventListener("hashchange", readAddress);
if (narrow.matches || size <= 1) document.body.classList.add("wide");
at("toggle").setAttribute("aria-expanded", String(!document.body.classList.contains("wide")));
readAddress();
