// Tables are sorted by their headings and filtered by words.

// Fewer rows need no filter.
const FILTERED = 8;

// The number with which a cell begins, as people write it; NaN if there is none.
const number = text => {
  const plain = text.trim().replaceAll("−", "-").replace(/^(-?)∞/, "$1Infinity");
  const found = /^-?(Infinity|\d+(\.\d+)?(e-?\d+)?)/.exec(plain);
  return found ? Number(found[0]) : NaN;
};

const isEmpty = text => /^[–\s]*$/.test(text);

const tables = () => all("main .scroll > table").filter(table => !table.closest(".statement")).forEach(enhance);

const enhance = table => {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const tools = made("div", { className: "tools" });
  if (rows.length > FILTERED) tools.append(...filter(table, rows));
  tools.append(button("Save CSV", () => saveTable(table), { className: "csv" }));
  table.closest(".scroll").before(tools);
  if (table.matches(".heat") || rows.length < 2) return;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const sorting = button(heading.textContent, () => sort(table, heading, column, rows), { className: "sort" });
    heading.replaceChildren(sorting);
  });
};

// Up, down, and back to the order of the page.
const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

const sort = (table, heading, column, rows) => {
  const order = NEXT[heading.getAttribute("aria-sort") ?? "none"];
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  if (order !== "none") heading.setAttribute("aria-sort", order);
  table.tBodies[0].append(...(order === "none" ? rows : sorted(rows, column, order === "ascending" ? 1 : -1)));
  firsts(table);
};

// By number where every cell has one. Empty cells come last in either order.
const sorted = (rows, column, sign) => {
  const texts = new Map(rows.map(row => [row, row.cells[column].textContent]));
  const filled = rows.filter(row => !isEmpty(texts.get(row)));
  const isNumeric = filled.every(row => !Number.isNaN(number(texts.get(row))));
  const compare = (one, other) => {
    const [first, second] = [texts.get(one), texts.get(other)];
    if (!isNumeric) return first.localeCompare(second, "en", { numeric: true });
    const [low, high] = [number(first), number(second)];
    return low < high ? -1 : low > high ? 1 : 0;
  };
  filled.sort((one, other) => sign * compare(one, other));
  return [...filled, ...rows.filter(row => isEmpty(texts.get(row)))];
};

const isShown = row => !row.hidden && !row.classList.contains("off");

// Rows of one method name it once, at the first that is shown.
const firsts = table => {
  let before;
  if (!table.matches(".headline")) return;
  for (const row of [...table.tBodies[0].rows].filter(isShown)) {
    row.classList.toggle("first", row.dataset.line !== before);
    before = row.dataset.line;
  }
};

// Says how many rows are shown; set by whoever hides some.
const counts = new WeakMap();

const recount = table => {
  firsts(table);
  counts.get(table)?.();
};

// A row is kept if it has all the words.
const filter = (table, rows) => {
  const said = made("output", { className: "quiet" });
  counts.set(table, () => {
    const shown = rows.filter(isShown).length;
    said.textContent = shown === rows.length ? `${rows.length} rows` : `${shown} of ${rows.length} rows`;
  });
  const field = made("input", { type: "search", placeholder: "proven edge", autocomplete: "off" });
  field.oninput = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(word => word);
    const texts = row => [...row.cells].map(cell => cell.textContent).join(" ").toLowerCase();
    for (const row of rows) row.hidden = !words.every(word => texts(row).includes(word));
    recount(table);
  };
  recount(table);
  return [made("label", {}, "Filter rows ", field), said];
};

