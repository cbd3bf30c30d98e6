// Methods are switched on and off in all pictures and tables at once, in the bar above them and in
// every legend.

const methods = () => {
  const items = all("[data-legend]");
  const names = new Map(items.map(item => [item.dataset.legend, item]).reverse());
  const numbers = [...names.keys()].sort((one, other) => one - other);
  if (numbers.length < 2) return;
  const off = new Set();
  const switches = [];

  const update = () => {
    for (const element of all("[data-line]")) element.classList.toggle("off", off.has(element.dataset.line));
    for (const [key, press] of switches) press.setAttribute("aria-pressed", String(!off.has(key)));
    all("main .scroll > table").forEach(recount);
    const hidden = numbers.filter(key => off.has(key)).map(key => label(names.get(key)));
    count.textContent = `${numbers.length - hidden.length} of ${numbers.length} methods`;
    note.textContent = hidden.length ? `Not shown: ${hidden.join(", ")}.` : "";
  };
  const toggle = key => () => {
    if (!off.delete(key)) off.add(key);
    update();
  };
  const only = keys => () => {
    numbers.forEach(key => (keys.includes(key) ? off.delete(key) : off.add(key)));
    update();
  };
  // The sign of a legend and the name; in a legend also what is known of the promise.
  const chip = (item, withWord) => {
    const key = item.dataset.legend;
    const parts = [...item.childNodes].filter(part => withWord || !part.matches?.(".quiet"));
    const press = button("", toggle(key), { className: "chip" });
    press.append(...parts.map(part => part.cloneNode(true)));
    switches.push([key, press]);
    return press;
  };
  const label = item => item.querySelector(".name").textContent;

  const bar = made("details", { className: "methods" });
  const count = made("span");
  const note = made("p", { className: "off-note quiet", role: "status" });
  const several = made(
    "span",
    { className: "several" },
    button("All", only(numbers)),
    button("None", only([])),
    button("Proven and references", only(numbers.filter(key => /proven|reference/.test(names.get(key).dataset.status)))),
  );
  const chips = made("div", { className: "chips" }, ...numbers.map(key => chip(names.get(key), false)), several);
  bar.append(made("summary", {}, count), chips);
  bar.open = matchMedia("(min-width: 72rem)").matches;
  document.querySelector("main").prepend(bar, note);
  for (const item of items) item.replaceChildren(chip(item, true));
  update();
};

