// Finding and making elements. Texts stay texts: nothing here writes HTML.
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

const made = (name, properties = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
};

const drawn = (name, attributes = {}) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

const button = (text, press, properties = {}) =>
  made("button", { type: "button", textContent: text, onclick: press, ...properties });

