"use strict";
(() => {
  // The pairs are strings: words parted by spaces, links as "source-target". Only the shown pair is taken apart.
  const data = JSON.parse(document.getElementById("data").textContent);
  const size = data.source.length;
  const has = { gold: data.sure !== null, other: data.other !== null, probabilities: data.probabilities !== null };
  const at = (id) => document.getElementById(id);
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const words = (line) => (line === "" ? [] : line.split(" "));
  const keys = (line) => new Set(words(line));
  const links = (layer, n) => (layer === null ? new Set() : keys(layer[n]));

  let shown = []; // indices of the pairs that pass search and filter
  let place = 0; // place in `shown`
  let query = "";

  // --- filters: each says whether pair n is shown

  const misses = (n) => {
    const found = links(data.links, n);
    return words(data.sure[n]).some((key) => !found.has(key));
  };
  const invents = (n) => {
    const allowed = new Set([...links(data.sure, n), ...links(data.possible, n)]);
    return words(data.links[n]).some((key) => !allowed.has(key));
  };
  const differs = (n) => {
    const one = links(data.links, n);
    const two = links(data.other, n);
    return one.size !== two.size || [...one].some((key) => !two.has(key));
  };
  const filters = [["all", "all pairs", () => true]];
  if (has.gold) {
    filters.push(
      ["errors", "pairs with any error", (n) => misses(n) || invents(n)],
      ["missing", "pairs that miss a sure link", misses],
      ["extra", "pairs with a link outside the gold", invents],
    );
  }
  if (has.other) filters.push(["differs", `pairs where ${data.names.other} differs`, differs]);
  for (const [value, label] of filters) at("filter").append(new Option(label, value));

  // --- one pair

  const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFD\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
  const ideographic = /[\u1100-\u11FF\u2E80-\u9FFF\uA960-\uA97F\uAC00-\uD7FF\uF900-\uFAFF\u{20000}-\u{3FFFF}]/u;
  const strong = /\p{L}/u;
  const direction = (line) => {
    const letter = line.match(strong);
    return letter && rightToLeft.test(letter[0]) ? "rtl" : "ltr";
  };

  const sentence = (element, tokens, side, needle) => {
    element.replaceChildren();
    tokens.forEach((token, index) => {
      const word = make("span", "word", token);
      word.dataset[side] = index;
      if (needle && token.toLowerCase().includes(needle)) word.classList.add("found");
      element.append(word, " ");
    });
    if (tokens.length === 0) element.append(make("span", "quiet", "(empty)"));
  };

  const describe = (source, target, marks) => {
    const parts = [];
    if (marks.link) parts.push(has.probabilities ? `linked, probability ${marks.p}%` : "linked");
    if (marks.sure) parts.push("sure in the gold");
    if (marks.possible) parts.push("possible in the gold");
    if (marks.other) parts.push(`linked by ${data.names.other}`);
    return `${source} \u2013 ${target}: ${parts.join(", ")}`;
  };

  const marker = (className) => {
    const element = make("i", className);
    element.setAttribute("aria-hidden", "true");
    return element;
  };

  const fill = (cell, marks) => {
    if (marks.link) {
      const square = marker("link");
      if (has.probabilities) {
        square.style.setProperty("--p", String(marks.p / 100));
        if (marks.p < 45) square.classList.add("faint");
      }
      cell.append(square);
    }
    if (marks.sure) cell.append(marker("sure"));
    else if (marks.possible) cell.append(marker("possible"));
    if (marks.other) cell.append(marker("other"));
  };

  const collect = (n) => {
    const marks = new Map();
    const add = (line, name) => {
      for (const key of words(line)) {
        if (!marks.has(key)) marks.set(key, {});
        marks.get(key)[name] = true;
      }
    };
    add(data.links[n], "link");
    if (has.probabilities) {
      const percents = words(data.probabilities[n]);
      words(data.links[n]).forEach((key, index) => { marks.get(key).p = Number(percents[index]); });
    }
    if (has.gold) {
      add(data.sure[n], "sure");
      add(data.possible[n], "possible");
      for (const mark of marks.values()) if (mark.sure) mark.possible = false;
    }
    if (has.other) add(data.other[n], "other");
    return marks;
  };

  const drawGrid = (source, target, marks) => {
    const grid = at("grid");
    grid.replaceChildren();
    if (source.length === 0 || target.length === 0) return;
    const rtl = direction(target.join(" ")) === "rtl";
    grid.dir = rtl ? "rtl" : "ltr";
    const caption = "Rows: source words. Columns: target words.";
    grid.setAttribute("aria-label", caption);
    const longest = Math.min(20, Math.max(...target.map((token) => [...token].length)));
    grid.style.setProperty("--head", `${Math.max(2.5, longest * 0.56 + 1)}rem`);
    const head = grid.createTHead().insertRow();
    head.append(make("td"));
    target.forEach((token, j) => {
      const cell = make("th", ideographic.test(token) ? "upright" : "");
      cell.scope = "col";
      cell.dataset.target = j;
      const label = make("span", "", token);
      label.dir = "auto";
      label.title = token;
      cell.append(label);
      head.append(cell);
    });
    const body = grid.createTBody();
    source.forEach((token, i) => {
      const row = body.insertRow();
      const label = make("th", "", token);
      label.scope = "row";
      label.dir = "auto";
      label.title = token;
      label.dataset.source = i;
      row.append(label);
      for (let j = 0; j < target.length; j += 1) {
        const cell = row.insertCell();
        cell.dataset.source = i;
        cell.dataset.target = j;
        const mark = marks.get(`${i}-${j}`);
        if (mark === undefined) continue;
        fill(cell, mark);
        cell.title = describe(token, target[j], mark);
        cell.setAttribute("aria-label", cell.title);
      }
    });
  };

  const percent = (value) => `${(100 * value).toFixed(1)}%`;
  const figures = (marks) => {
    let linked = 0, sure = 0, right = 0, hit = 0, other = 0;
    for (const mark of marks.values()) {
      if (mark.link) linked += 1;
      if (mark.sure) sure += 1;
      if (mark.other) other += 1;
      if (mark.link && (mark.sure || mark.possible)) right += 1;
      if (mark.link && mark.sure) hit += 1;
    }
    const parts = [`${linked} links`];
    if (has.gold) {
      if (linked) parts.push(`precision ${percent(right / linked)}`);
      if (sure) parts.push(`recall ${percent(hit / sure)}`);
      if (linked + sure) parts.push(`AER ${percent(1 - (right + hit) / (linked + sure))}`);
    }
    if (has.other) parts.push(`${data.names.other}: ${other} links`);
    return parts.join(" \u00b7 ");
  };

  let current = null; // what the pointer highlights: links of the shown pair

  const draw = () => {
    const none = shown.length === 0;
    at("nothing").hidden = !none;
    for (const id of ["source", "target", "figures", "frame"]) at(id).hidden = none;
    at("previous").disabled = none || place === 0;
    at("next").disabled = none || place === shown.length - 1;
    const number = (value) => value.toLocaleString("en");
    if (none) at("count").textContent = "\u00b7 no match";
    else if (shown.length === size) at("count").textContent = `of ${number(data.first + size)}`;
    else at("count").textContent = `\u00b7 match ${number(place + 1)} of ${number(shown.length)}`;
    if (none) { current = null; return; }
    const n = shown[place];
    const source = words(data.source[n]);
    const target = words(data.target[n]);
    const marks = collect(n);
    sentence(at("source"), source, "source", query);
    sentence(at("target"), target, "target", query);
    drawGrid(source, target, marks);
    at("figures").textContent = figures(marks);
    at("position").value = String(data.first + n + 1);
    current = marks;
    try { history.replaceState(null, "", `#${data.first + n + 1}`); } catch { /* not allowed in some frames */ }
  };

  // --- highlights

  const clear = () => {
    for (const element of document.querySelectorAll(".on, .at")) element.classList.remove("on", "at");
  };
  const light = (source, target) => {
    clear();
    if (current === null) return;
    const is = (element, side, value) => element.dataset[side] === value;
    for (const cell of at("grid").querySelectorAll("[data-source], [data-target]")) {
      const here = (source !== undefined && is(cell, "source", source)) || (target !== undefined && is(cell, "target", target));
      if (here) cell.classList.add("on");
    }
    const touched = { source: new Set(), target: new Set() };
    for (const [key, mark] of current) {
      if (!mark.link && !mark.sure) continue;
      const [i, j] = key.split("-");
      if (i === source && (target === undefined || j === target)) touched.target.add(j);
      if (j === target && (source === undefined || i === source)) touched.source.add(i);
    }
    for (const side of ["source", "target"]) {
      const chosen = side === "source" ? source : target;
      for (const word of at(side).querySelectorAll(".word")) {
        if (is(word, side, chosen)) word.classList.add("at");
        else if (touched[side].has(word.dataset[side])) word.classList.add("on");
      }
    }
  };
  at("pair").addEventListener("pointerover", (event) => {
    const element = event.target.closest("[data-source], [data-target]");
    if (element === null) clear();
    else light(element.dataset.source, element.dataset.target);
  });
  at("pair").addEventListener("pointerleave", clear);

  // --- moving and finding

  const go = (to) => {
    const bounded = Math.max(0, Math.min(shown.length - 1, to));
    if (bounded !== place) { place = bounded; draw(); }
  };
  const select = () => {
    const keep = shown[place];
    const [, , passes] = filters[Math.max(0, at("filter").selectedIndex)];
    query = at("search").value.trim().toLowerCase();
    shown = [];
    for (let n = 0; n < size; n += 1) {
      if (query && !data.source[n].toLowerCase().includes(query) && !data.target[n].toLowerCase().includes(query)) continue;
      if (passes(n)) shown.push(n);
    }
    const same = shown.indexOf(keep);
    const after = shown.findIndex((n) => n > keep);
    place = Math.max(0, same >= 0 ? same : after);
    draw();
  };
  // The nearest shown pair at or after this line, counted from 1 in the file.
  const toLine = (line) => {
    if (!Number.isFinite(line)) return;
    const found = shown.findIndex((n) => n >= line - 1 - data.first);
    go(found >= 0 ? found : shown.length - 1);
  };
  let waiting = 0;
  at("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(select, 120);
  });
  at("filter").addEventListener("change", select);
  at("position").addEventListener("change", (event) => toLine(Number(event.target.value)));
  at("previous").addEventListener("click", () => go(place - 1));
  at("next").addEventListener("click", () => go(place + 1));
  addEventListener("hashchange", () => toLine(Number(location.hash.slice(1))));
  const moves = {
    ArrowLeft: () => go(place - 1),
    ArrowRight: () => go(place + 1),
    k: () => go(place - 1),
    j: () => go(place + 1),
    Home: () => go(0),
    End: () => go(shown.length - 1),
    "/": () => at("search").focus(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { document.activeElement.blur(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName ?? "")) return;
    // A wide grid scrolls with the arrow keys while it has the focus.
    if (event.target.id === "frame" && event.key.startsWith("Arrow")) return;
    const move = moves[event.key];
    if (move) { event.preventDefault(); move(); }
  });

  // --- legend

  const legend = make("ul");
  const explain = (marks, text) => {
    const item = make("li");
    const table = make("table");
    const cell = table.insertRow().insertCell();
    fill(cell, { p: 100, ...marks });
    table.setAttribute("role", "presentation");
    item.append(table, make("span", "", text));
    legend.append(item);
  };
  explain({ link: true }, has.probabilities ? `${data.names.links}; paler: less probable` : data.names.links);
  if (has.gold) {
    explain({ sure: true }, "sure in the gold");
    explain({ possible: true }, "possible in the gold");
  }
  if (has.other) explain({ other: true }, data.names.other);
  at("legend").append(legend);

  at("position").min = String(data.first + 1);
  at("position").max = String(data.first + size);
  const start = Number(location.hash.slice(1));
  select();
  if (start > 0) toLine(start);
})();
