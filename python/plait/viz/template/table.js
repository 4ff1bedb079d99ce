// --- the table: the links of the shown pair as text, also for readers who do not see the drawings

const TABLE_LIMIT = 1000;

const drawTable = () => {
  const place = at("table");
  place.replaceChildren();
  if (!isTable()) return;
  const marks = [...pair.marks.values()].sort((one, two) => one.i - two.i || one.j - two.j);
  const table = make("table");
  table.createCaption().textContent =
    marks.length > TABLE_LIMIT ? `The first ${TABLE_LIMIT} of ${marks.length} links` : `${marks.length} links`;
  const head = table.createTHead().insertRow();
  const columns = ["Source", "Target", data.names.links];
  if (has.gold) columns.push("Gold");
  if (has.other) columns.push(data.names.other);
  for (const name of columns) {
    const cell = make("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  const word = (row, side, index) => {
    const cell = row.insertCell();
    const label = make("bdi", "", pair[side][index]);
    cell.append(make("span", "place", String(index)), " ", label);
    cell.dataset[side] = index;
  };
  for (const mark of marks.slice(0, TABLE_LIMIT)) {
    const row = body.insertRow();
    row.className = verdict(mark);
    word(row, "source", mark.i);
    word(row, "target", mark.j);
    const link = row.insertCell();
    if (mark.link && mark.p !== undefined) {
      const bar = make("span", "bar");
      bar.style.setProperty("--p", `${mark.p}%`);
      bar.setAttribute("aria-hidden", "true");
      link.append(bar, ` ${mark.p} %`);
    } else link.textContent = mark.link ? "linked" : "\u2013";
    if (has.gold) {
      const gold = mark.sure ? "sure" : mark.possible ? "possible" : "\u2013";
      const notes = { missing: `${gold}, missed`, extra: "not in the gold", "": gold };
      row.insertCell().textContent = notes[verdict(mark)];
    }
    if (has.other) row.insertCell().textContent = mark.other ? "linked" : "\u2013";
  }
  place.append(table);
};
