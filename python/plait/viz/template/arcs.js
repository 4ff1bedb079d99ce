// --- arcs: both sentences as lines of words, joined by curves
//
// Words of a right-to-left side run from the right. As in the grid, only what is in the window is drawn.

const GAP = 16;
const WIDEST_GAP = 44;
const ROOM = 12;

const lineOfWords = (tokens, span, direction) => {
  const labels = tokens.map((token) => fitted(token, 260));
  const least = labels.reduce((sum, label) => sum + label.width, 0);
  const gaps = Math.max(1, tokens.length - 1);
  const gap = Math.max(GAP, Math.min(WIDEST_GAP, (span - least) / gaps));
  let x = 0;
  const places = labels.map((label) => {
    const place = { ...label, x };
    x += label.width + gap;
    return place;
  });
  const length = tokens.length === 0 ? 0 : x - gap;
  return { places, length, direction };
};

// Every line starts where its script starts: at the left, or at the right.
const placed = (line, width) =>
  line.places.map((place) => ({
    ...place,
    x: line.direction === "rtl" ? width - ROOM - place.x - place.width : ROOM + place.x,
  }));

const arcsLayout = (pair, room) => {
  const { source, target } = pair;
  const natural = (tokens) => lineOfWords(tokens, 0, "ltr").length;
  const span = Math.max(natural(source), natural(target), Math.min(room - 2 * ROOM, 520));
  const lines = {
    source: lineOfWords(source, span, data.directions.source),
    target: lineOfWords(target, span, data.directions.target),
  };
  const width = Math.ceil(Math.max(lines.source.length, lines.target.length) + 2 * ROOM);
  const at1 = placed(lines.source, width);
  const at2 = placed(lines.target, width);
  const centre = (place) => place.x + place.width / 2;
  let reach = 0;
  for (const mark of pair.marks.values()) reach = Math.max(reach, Math.abs(centre(at1[mark.i]) - centre(at2[mark.j])));
  const drop = Math.round(Math.max(110, Math.min(230, 90 + reach * 0.22)));
  const upper = 30;
  const lower = upper + drop + 34;
  const height = lower + 20;
  const [from, to] = [upper + 10, lower - FONT_SIZE - 8];

  const curve = (mark, shift = 0) => {
    const [x1, x2] = [centre(at1[mark.i]) + shift, centre(at2[mark.j]) + shift];
    const bend = (to - from) * 0.48;
    return `M${x1.toFixed(1)} ${from}C${x1.toFixed(1)} ${from + bend} ${x2.toFixed(1)} ${to - bend} ${x2.toFixed(1)} ${to}`;
  };

  const paint = (root, view, at) => {
    const part = svg("svg", { x: 0, y: 0, width: Math.min(view.width, width), height });
    const moved = svg("g", { transform: `translate(${-view.x} ${-view.y})` });
    part.append(moved);
    root.append(part);
    const inWindow = (low, high) => high > view.x - 20 && low < view.x + view.width + 20;
    const bright = { source: new Set(), target: new Set() };
    const arcs = svg("g", { class: at === null ? "arcs" : "arcs chosen" });
    moved.append(arcs);
    for (const [key, mark] of pair.marks) {
      const near = touches(at, mark);
      if (near) {
        bright.source.add(mark.i);
        bright.target.add(mark.j);
      }
      const [x1, x2] = [centre(at1[mark.i]), centre(at2[mark.j])];
      if (!inWindow(Math.min(x1, x2), Math.max(x1, x2))) continue;
      const group = svg("g", { class: near ? "mark near" : "mark", "data-key": key });
      if (mark.sure || mark.possible) group.append(svg("path", { class: mark.sure ? "sure" : "possible", d: curve(mark) }));
      if (mark.link) {
        group.append(svg("path", { class: `link ${verdict(mark)}`, d: curve(mark), "stroke-opacity": strength(mark).toFixed(3) }));
      }
      if (mark.other) group.append(svg("path", { class: "other", d: curve(mark, mark.link || mark.sure ? 5 : 0) }));
      // A wide invisible stroke, so that a curve can be pointed at.
      group.append(svg("path", { class: "reach", d: curve(mark) }));
      arcs.append(group);
    }
    const row = (side, places, y) => {
      places.forEach((place, index) => {
        if (!inWindow(place.x, place.x + place.width)) return;
        const index2 = side === "source" ? at?.i : at?.j;
        const state = index2 === index ? "at" : bright[side].has(index) ? "on" : "";
        if (state) {
          const box = { x: place.x - 5, y: y - FONT_SIZE - 3, width: place.width + 10, height: FONT_SIZE + 11, rx: 5 };
          moved.append(svg("rect", { class: `plate ${state}`, ...box }));
        }
        const label = { class: wordClass(pair, side, index, state), [`data-${side}`]: index, x: place.x, y };
        moved.append(svg("text", label, isolated(place.text)));
      });
    };
    row("source", at1, upper);
    row("target", at2, lower);
  };

  const nearest = (places, x) => places.findIndex((place) => x >= place.x - 8 && x <= place.x + place.width + 8);
  const hit = (x, y, view) => {
    const across = x + view.x;
    if (y < from) {
      const i = nearest(at1, across);
      return i < 0 ? null : { i };
    }
    if (y > to) {
      const j = nearest(at2, across);
      return j < 0 ? null : { j };
    }
    return null;
  };

  const box = (at) => {
    const place = at.i === undefined ? at2[at.j] : at1[at.i];
    return { x: place.x, y: null, width: place.width, height, margins: { left: 0, right: 0, top: 0 } };
  };

  // Left and right go along a sentence, up and down to the other one: to the linked word, or the one nearest by.
  const step = (at, key) => {
    const side = at === null || at.i !== undefined ? "source" : "target";
    const index = at === null ? -1 : (side === "source" ? at.i : at.j);
    if (index < 0) return source.length > 0 ? { i: 0 } : { j: 0 };
    const name = (where, value) => (where === "source" ? { i: value } : { j: value });
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const on = (key === "ArrowRight") === (data.directions[side] === "ltr") ? 1 : -1;
      return name(side, Math.max(0, Math.min(pair[side].length - 1, index + on)));
    }
    if ((key === "ArrowDown") !== (side === "source")) return at.i !== undefined && at.j !== undefined ? { i: at.i } : at;
    let best = null;
    for (const mark of pair.marks.values()) {
      if (touches(name(side, index), mark) && mark.link && (best === null || (mark.p ?? 100) > (best.p ?? 100))) best = mark;
    }
    if (best !== null) return side === "source" ? { j: best.j } : { i: best.i };
    const here = centre((side === "source" ? at1 : at2)[index]);
    const there = side === "source" ? at2 : at1;
    let closest = -1;
    there.forEach((place, other) => {
      if (closest < 0 || Math.abs(centre(place) - here) < Math.abs(centre(there[closest]) - here)) closest = other;
    });
    return closest < 0 ? at : name(side === "source" ? "target" : "source", closest);
  };

  return { width, height, paint, hit, box, step, startsRight: data.directions.source === "rtl" };
};
