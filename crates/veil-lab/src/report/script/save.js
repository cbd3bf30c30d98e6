// Pictures are saved as SVG and PNG, tables as CSV: what is shown, as it is shown.

const save = (blob, name) => {
  const address = URL.createObjectURL(blob);
  const link = made("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};

const fileName = (title, end) => `${title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase()}.${end}`;

// A field of a CSV. A text that a spreadsheet would take for a formula begins with an apostrophe.
const field = value => {
  if (value === null || value === undefined) return "";
  let text = String(value);
  if (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

// Where rows have their values as data, these; else the texts, with signs that programs read.
const csv = table => {
  const plain = cell => cell.textContent.trim().replace(/^–$/, "").replaceAll("−", "-").replace(/^∞$/, "inf");
  const values = row => (row.dataset.csv ? JSON.parse(row.dataset.csv) : [...row.cells].map(plain));
  const names = table.dataset.csv ? JSON.parse(table.dataset.csv) : [...table.tHead.rows[0].cells].map(plain);
  const rows = [...table.tBodies[0].rows].filter(isShown).map(values);
  return [names, ...rows].map(row => `${row.map(field).join(",")}\r\n`).join("");
};

const saveTable = table => {
  const blob = new Blob([csv(table)], { type: "text/csv" });
  save(blob, fileName(table.caption.textContent, "csv"));
};

// What a picture needs outside of the page, where there is no style sheet.
const STYLES = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor", "paint-order",
];

const copied = original => {
  if (original.matches("title, desc, .ring") || original.closest(".off")) return null;
  const style = getComputedStyle(original);
  let copy;
  if (original.matches("use")) {
    const shape = document.querySelector(original.getAttribute("href"));
    const [x, y] = [original.getAttribute("x"), original.getAttribute("y")];
    copy = drawn("path", { d: shape.getAttribute("d"), transform: `translate(${x} ${y})` });
  } else {
    copy = drawn(original.localName);
    for (const { name, value } of original.attributes) {
      if (/^(d|x|y|width|height|cx|cy|r)$/.test(name)) copy.setAttribute(name, value);
    }
  }
  for (const name of STYLES) copy.setAttribute(name, style.getPropertyValue(name));
  if (original.dataset.tip) {
    const title = drawn("title");
    title.textContent = original.dataset.tip;
    copy.append(title);
  }
  if (original.matches("text")) copy.append(original.textContent);
  else copy.append(...[...original.children].map(copied).filter(child => child));
  return copy;
};

// The widest drawing, its title above and its legend below.
const file = figure => {
  const svg = figure.querySelector("svg");
  const { width, height } = svg.viewBox.baseVal;
  const style = getComputedStyle(document.body);
  const words = (text, x, y, weight) => {
    const element = drawn("text", { x, y, fill: style.color, "font-family": style.fontFamily, "font-size": 14, "font-weight": weight });
    element.append(text);
    return element;
  };
  const inside = drawn("g", { transform: "translate(16 44)" });
  inside.append(...[...svg.children].map(copied).filter(child => child));
  const parts = [words(figure.querySelector("h3").textContent, 16, 26, 600), inside];
  let [x, y] = [16, height + 68];
  for (const item of all("[data-legend], .legend li", figure)) {
    if (item.querySelector("[aria-pressed=false]")) continue;
    const text = item.textContent.trim();
    const room = 60 + 8 * text.length;
    if (x > 16 && x + room > width) [x, y] = [16, y + 24];
    const sign = drawn("g", { transform: `translate(${x} ${y - 11})` });
    sign.append(...[...item.querySelector("svg").children].map(copied).filter(child => child));
    parts.push(sign, words(text, x + 42, y, 400));
    x += room;
  }
  const [across, down] = [width + 32, y + 20];
  const whole = drawn("svg", { viewBox: `0 0 ${across} ${down}`, width: across, height: down });
  whole.append(drawn("rect", { width: across, height: down, fill: style.backgroundColor }), ...parts);
  return { text: new XMLSerializer().serializeToString(whole), across, down };
};

const saving = () => {
  for (const figure of all("figure")) {
    const title = figure.querySelector("h3").textContent;
    const saveSvg = () => save(new Blob([file(figure).text], { type: "image/svg+xml" }), fileName(title, "svg"));
    const savePng = async () => {
      const { text, across, down } = file(figure);
      const image = new Image();
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
      await image.decode();
      const canvas = made("canvas", { width: 2 * across, height: 2 * down });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(blob => save(blob, fileName(title, "png")), "image/png");
    };
    const table = figure.querySelector("table");
    const named = what => ({ "aria-label": `Save ${what}: ${title}` });
    figure.querySelector("figcaption").after(
      made(
        "div",
        { className: "tools save" },
        "Save as",
        button("SVG", saveSvg, named("SVG")),
        button("PNG", savePng, named("PNG")),
        button("CSV", () => saveTable(table), named("CSV")),
      ),
    );
  }
};

