// --- the grid: source words are rows, target words are columns
//
// Only what is in the window is drawn: labels stay at the edges and cells without marks cost nothing, so that a pair
// of 2,000 by 2,000 words is as quick as a short one. Columns of a right-to-left target run from the right.

const SLANT = 55;
const RISE = Math.sin((SLANT * Math.PI) / 180);
const RUN = Math.cos((SLANT * Math.PI) / 180);

const gridLayout = (pair) => {
  const { source, target } = pair;
  const mirrored = data.directions.target === "rtl";
  const rows = source.map((token) => fitted(token, 190));
  const heads = target.map((token) => {
    const stacked = ideographic.test(token);
    const label = stacked ? { text: [...token].slice(0, 9).join(""), width: 0 } : fitted(token, 150);
    const rise = stacked ? Math.min(9, [...token].length) * (FONT_SIZE + 1) : label.width * RISE + 10;
    return { ...label, stacked, rise, run: stacked ? 0 : label.width * RUN + 6 };
  });
  const left = Math.ceil(rows.reduce((most, row) => Math.max(most, row.width), 20)) + 22;
  const top = Math.ceil(heads.reduce((most, head) => Math.max(most, head.rise), 20)) + 12;
  const count = target.length;
  const overhang = Math.ceil(heads.reduce((most, head, j) => Math.max(most, head.run - (count - 1 - j) * CELL), 4));
  const width = left + count * CELL + overhang + 1;
  const height = top + source.length * CELL + 2;

  // Left edge of column j inside of the body, before scrolling.
  const columnX = (j) => (mirrored ? overhang + (count - 1 - j) * CELL : j * CELL);
  const bodyLeft = mirrored ? 0 : left;

  const paint = (root, view, at) => {
    const shown = { width: Math.min(view.width, width), height: Math.min(view.height, height) };
    const body = { width: shown.width - left, height: shown.height - top };
    const first = Math.max(0, Math.floor(view.y / CELL));
    const last = Math.min(source.length - 1, Math.floor((view.y + body.height) / CELL));
    const columns = [];
    for (let j = 0; j < count; j += 1) {
      const x = columnX(j) - view.x;
      if (x > -CELL * 8 && x < body.width + CELL * 8) columns.push(j);
    }
    const inside = (j) => columnX(j) - view.x > -CELL && columnX(j) - view.x < body.width;

    const clip = (x, y, w, h) => {
      const part = svg("svg", { x, y, width: Math.max(0, w), height: Math.max(0, h) });
      root.append(part);
      return part;
    };
    const cells = clip(bodyLeft, top, body.width, body.height);
    const ground = { x: columnX(mirrored ? count - 1 : 0) - view.x, y: -view.y };
    const ends = { x: ground.x + count * CELL, y: ground.y + source.length * CELL };
    cells.append(svg("rect", { class: "ground", ...ground, width: count * CELL, height: source.length * CELL }));
    if (at !== null && at.i !== undefined) {
      cells.append(svg("rect", { class: "band", x: ground.x, y: at.i * CELL - view.y, width: count * CELL, height: CELL }));
    }
    if (at !== null && at.j !== undefined) {
      const band = { x: columnX(at.j) - view.x, y: ground.y, width: CELL, height: source.length * CELL };
      cells.append(svg("rect", { class: "band", ...band }));
    }
    let lines = "";
    for (let i = first; i <= last + 1; i += 1) {
      const y = i * CELL - view.y + 0.5;
      lines += `M${ground.x + 0.5} ${y}H${ends.x + 0.5}`;
    }
    for (let x = ground.x; x <= ends.x; x += CELL) {
      if (x > -CELL && x < body.width + CELL) lines += `M${x + 0.5} ${ground.y + 0.5}V${ends.y + 0.5}`;
    }
    cells.append(svg("path", { class: "lines", d: lines }));
    for (const [key, mark] of pair.marks) {
      if (mark.i < first || mark.i > last || !inside(mark.j)) continue;
      const group = svg("g", { class: "mark", "data-key": key });
      group.append(...cellMarks(mark, columnX(mark.j) - view.x, mark.i * CELL - view.y));
      cells.append(group);
    }
    if (at !== null && at.i !== undefined && at.j !== undefined) {
      const box = { x: columnX(at.j) - view.x + 0.5, y: at.i * CELL - view.y + 0.5, width: CELL, height: CELL };
      cells.append(svg("rect", { class: "cursor", ...box }));
    }

    const heading = clip(bodyLeft, 0, body.width, top);
    for (const j of columns) {
      const head = heads[j];
      const x = columnX(j) - view.x + CELL / 2;
      const name = wordClass(pair, "target", j, at !== null && at.j === j ? "at" : "");
      const label = svg("text", { class: name, "data-target": j }, isolated(head.text));
      if (head.stacked) {
        label.setAttribute("class", `${name} stacked`);
        label.setAttribute("transform", `translate(${x} ${top - 6 - head.rise})`);
      } else if (mirrored) {
        label.setAttribute("text-anchor", "end");
        label.setAttribute("transform", `translate(${x - 4} ${top - 8}) rotate(${SLANT})`);
      } else {
        label.setAttribute("transform", `translate(${x + 4} ${top - 8}) rotate(${-SLANT})`);
      }
      heading.append(label);
    }
    const beside = clip(mirrored ? body.width : 0, top, left, body.height);
    for (let i = first; i <= last; i += 1) {
      const name = wordClass(pair, "source", i, at !== null && at.i === i ? "at" : "");
      const place = { x: mirrored ? 12 : left - 12, y: i * CELL - view.y + CELL / 2 + 5 };
      const label = { class: name, "data-source": i, "text-anchor": mirrored ? "start" : "end", ...place };
      beside.append(svg("text", label, isolated(rows[i].text)));
    }
  };

  const hit = (x, y, view) => {
    const shown = Math.min(view.width, width);
    const i = y < top ? undefined : Math.floor((y - top + view.y) / CELL);
    const across = x - bodyLeft;
    let j;
    if (across >= 0 && across < shown - left) {
      const column = Math.floor((across + view.x - (mirrored ? overhang : 0)) / CELL);
      j = mirrored ? count - 1 - column : column;
    }
    const found = {};
    if (i !== undefined && i < source.length) found.i = i;
    if (j !== undefined && j >= 0 && j < count) found.j = j;
    // Above the grid the labels lean, so what is pointed at there is a label or nothing.
    if (i === undefined) delete found.j;
    return found.i === undefined && found.j === undefined ? null : found;
  };

  // What must be in the window for a place to be seen.
  const box = (at) => ({
    x: at.j === undefined ? null : columnX(at.j),
    y: at.i === undefined ? null : at.i * CELL,
    width: CELL,
    height: CELL,
    margins: { left: bodyLeft, right: mirrored ? left : 0, top },
  });

  const steps = { ArrowLeft: [0, mirrored ? 1 : -1], ArrowRight: [0, mirrored ? -1 : 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const step = (at, key) => {
    if (at === null || at.i === undefined || at.j === undefined) return { i: at?.i ?? 0, j: at?.j ?? 0 };
    const [down, on] = steps[key];
    const within = (value, length) => Math.max(0, Math.min(length - 1, value));
    return { i: within(at.i + down, source.length), j: within(at.j + on, count) };
  };

  return { width, height, paint, hit, box, step, startsRight: mirrored };
};
