// The figures of a mark are shown at the pointer, at a touch, and by the arrow keys.

// In pixels of the screen.
const NEAR = 28;
const RING = 9;

const marks = () => {
  const tip = made("div", { className: "tip", role: "status", hidden: true });
  document.body.append(tip);
  // Puts the tip beside its mark again, after the page moved under it.
  const state = { move: () => {} };
  const hide = () => {
    tip.hidden = true;
    state.move = () => {};
    all(".ring").forEach(ring => ring.remove());
    all(".picked, .lit").forEach(element => element.classList.remove("picked", "lit"));
  };
  for (const svg of all("figure > svg")) picture(svg, tip, state, hide);
  addEventListener("scroll", () => state.move(), { passive: true });
};

const picture = (svg, tip, state, hide) => {
  const found = all("use, rect", svg).filter(mark => mark.querySelector("title"));
  if (!found.length) return;
  // The browser's own tip would be a second one.
  for (const mark of found) {
    mark.dataset.tip = mark.querySelector("title").textContent;
    mark.querySelector("title").remove();
  }
  const shown = () => found.filter(mark => !mark.closest(".off"));
  const centre = mark => {
    const [x, y, width, height] = ["x", "y", "width", "height"].map(name => Number(mark.getAttribute(name) ?? 0));
    return new DOMPoint(x + width / 2, y + (mark.matches("rect") ? Math.min(height / 2, 12) : 0));
  };
  let current = null;

  const leave = () => {
    current = null;
    hide();
  };
  const show = mark => {
    if (mark === current && !tip.hidden) return;
    hide();
    current = mark;
    const place = centre(mark);
    const series = mark.closest(".series");
    if (series) {
      svg.classList.add("picked");
      series.classList.add("lit");
      svg.append(drawn("circle", { class: "ring", cx: place.x, cy: place.y, r: RING }));
    }
    const [name, ...lines] = mark.dataset.tip.split("\n");
    tip.replaceChildren(made("strong", { textContent: name }), ...lines.map(line => made("div", { textContent: line })));
    tip.hidden = false;
    state.move = () => {
      const at = place.matrixTransform(svg.getScreenCTM());
      const [width, height, room] = [tip.offsetWidth, tip.offsetHeight, document.documentElement.clientWidth];
      const above = at.y - height - 14;
      tip.style.left = `${Math.max(4, Math.min(at.x - width / 2, room - width - 4))}px`;
      tip.style.top = `${above > 4 ? above : at.y + 14}px`;
    };
    state.move();
  };

  const near = event => {
    if (event.target.matches("rect[data-tip]")) return event.target;
    const screen = svg.getScreenCTM();
    const distance = mark => {
      const at = centre(mark).matrixTransform(screen);
      return Math.hypot(at.x - event.clientX, at.y - event.clientY);
    };
    let best = null;
    let least = NEAR;
    for (const mark of shown().filter(mark => mark.matches("use"))) {
      const away = distance(mark);
      if (away < least) [best, least] = [mark, away];
    }
    return best;
  };
  svg.addEventListener("pointermove", event => {
    const mark = near(event);
    if (mark) show(mark);
    else leave();
  });
  svg.addEventListener("pointerdown", event => {
    const mark = near(event);
    if (mark) show(mark);
  });
  svg.addEventListener("pointerleave", event => event.pointerType === "mouse" && leave());

  // One stop of the tab key; left and right along a line, up and down to the next line.
  svg.setAttribute("role", "application");
  svg.setAttribute("aria-roledescription", "picture; arrow keys read its marks");
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("focus", () => {
    if (svg.matches(":focus-visible") && shown().length) show(shown()[0]);
  });
  svg.addEventListener("blur", leave);
  svg.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Escape") leave();
    if (step === undefined || !shown().length) return;
    event.preventDefault();
    const line = mark => mark.closest(".series");
    const here = current ?? shown()[0];
    const along = shown().filter(mark => line(mark) === line(here));
    const firsts = shown().filter((mark, place, marks) => !place || line(mark) !== line(marks[place - 1]));
    const isAcross = event.key === "ArrowUp" || event.key === "ArrowDown";
    const list = isAcross && line(here) ? firsts : along;
    const at = list.indexOf(isAcross && line(here) ? firsts.find(mark => line(mark) === line(here)) : here);
    show(list[Math.max(0, Math.min(list.length - 1, at + step))]);
  });
};

