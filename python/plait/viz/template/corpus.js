// --- the corpus: what the page was given, and what can be asked of a pair

// Pairs are strings: words parted by spaces, links as "source-target". A pair is taken apart when it is needed.
const data = JSON.parse(document.getElementById("data").textContent);
const size = data.source.length;
const has = { gold: data.sure !== null, other: data.other !== null, probabilities: data.probabilities !== null };

const words = (line) => (line === "" ? [] : line.split(" "));
const keySet = (layer, n) => new Set(layer === null ? [] : words(layer[n]));

// A map from "i-j" to what stands there: {i, j, link, p, sure, possible, other}; p in percent.
const marksOf = (n) => {
  const marks = new Map();
  const add = (layer, name) => {
    for (const key of words(layer[n])) {
      let mark = marks.get(key);
      if (mark === undefined) {
        const cut = key.indexOf("-");
        mark = { i: Number(key.slice(0, cut)), j: Number(key.slice(cut + 1)) };
        marks.set(key, mark);
      }
      mark[name] = true;
    }
  };
  add(data.links, "link");
  if (has.probabilities) {
    const percents = words(data.probabilities[n]);
    words(data.links[n]).forEach((key, index) => { marks.get(key).p = Number(percents[index]); });
  }
  if (has.gold) {
    add(data.sure, "sure");
    add(data.possible, "possible");
    for (const mark of marks.values()) if (mark.sure) mark.possible = false;
  }
  if (has.other) add(data.other, "other");
  return marks;
};

// What is wrong with a mark: "extra", "missing", or "" when nothing is, or nothing is known.
const verdict = (mark) => {
  if (!has.gold) return "";
  if (mark.link) return mark.sure || mark.possible ? "" : "extra";
  return mark.sure ? "missing" : "";
};

// Counts over one pair. They are kept once made: filters, orders and the list ask again and again.
const kept = new Map();
const countsOf = (n) => {
  if (!kept.has(n)) {
    const counts = { missing: 0, extra: 0, differing: 0 };
    if (has.gold || has.other) {
      for (const mark of marksOf(n).values()) {
        const wrong = verdict(mark);
        if (wrong !== "") counts[wrong] += 1;
        if (has.other && Boolean(mark.link) !== Boolean(mark.other)) counts.differing += 1;
      }
    }
    kept.set(n, counts);
  }
  return kept.get(n);
};
const errorsOf = (n) => countsOf(n).missing + countsOf(n).extra;
const percentsOf = (n) => words(data.probabilities[n]).map(Number);
const leastOf = (n) => Math.min(101, ...percentsOf(n));
const lengthOf = (n) => words(data.source[n]).length + words(data.target[n]).length;
const unlinkedOf = (n) => {
  const sides = [new Set(), new Set()];
  for (const key of words(data.links[n])) key.split("-").forEach((place, side) => sides[side].add(place));
  return lengthOf(n) - sides[0].size - sides[1].size;
};

// Filters: value, label, whether pair n passes.
const filters = [["all", "All pairs", () => true]];
if (has.gold) {
  filters.push(
    ["errors", "Pairs with an error", (n) => errorsOf(n) > 0],
    ["missing", "Pairs that miss a sure link", (n) => countsOf(n).missing > 0],
    ["extra", "Pairs with a link outside the gold", (n) => countsOf(n).extra > 0],
    ["right", "Pairs without an error", (n) => errorsOf(n) === 0],
  );
}
if (has.other) filters.push(["differs", `Pairs where ${data.names.other} differs`, (n) => countsOf(n).differing > 0]);
if (has.probabilities) filters.push(["unsure", "Pairs with a link below 50 %", (n) => leastOf(n) < 50]);
filters.push(["unlinked", "Pairs with unlinked words", (n) => unlinkedOf(n) > 0]);

// Orders: value, label, rank of pair n (larger first); ties stay in the order of the text.
const orders = [["text", "In text order", null]];
if (has.gold) orders.push(["errors", "Most errors first", errorsOf]);
if (has.other) orders.push(["differs", "Most differences first", (n) => countsOf(n).differing]);
if (has.probabilities) orders.push(["unsure", "Least certain link first", (n) => -leastOf(n)]);
orders.push(["long", "Longest first", lengthOf], ["short", "Shortest first", (n) => -lengthOf(n)]);

// A query is terms parted by spaces, all of which must hold: text on either side, "a phrase", or source=target for a
// link between these words (one of the two may be left out).
const parse = (query) => {
  const terms = [];
  for (const [, phrase, term] of query.toLowerCase().matchAll(/"([^"]+)"?|(\S+)/g)) {
    const cut = phrase === undefined ? term.indexOf("=") : -1;
    if (cut >= 0 && term.length > 1) terms.push({ source: term.slice(0, cut), target: term.slice(cut + 1) });
    else terms.push({ text: phrase ?? term });
  }
  return terms;
};
const matches = (terms, n) => {
  const source = data.source[n].toLowerCase();
  const target = data.target[n].toLowerCase();
  return terms.every((term) => {
    if (term.text !== undefined) return source.includes(term.text) || target.includes(term.text);
    if (!source.includes(term.source) || !target.includes(term.target)) return false;
    const from = words(source);
    const to = words(target);
    return words(data.links[n]).some((key) => {
      const [i, j] = key.split("-");
      return (term.source === "" || from[i] === term.source) && (term.target === "" || to[j] === term.target);
    });
  });
};
const isFound = (terms, side, token) => {
  const lower = token.toLowerCase();
  return terms.some((term) => (term.text === undefined ? term[side] === lower : lower.includes(term.text)));
};
