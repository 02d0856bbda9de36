// The few things that the modules do to the document. Data only ever becomes text or a checked attribute.

const svgSpace = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An HTML element with attributes and children (elements or text). */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element, likewise. */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(svgSpace, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Sets the text only when it differs, so that a live region speaks of changes alone. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows the element with this text, or hides it when there is none. */
export function sayOrHide(element, text) {
  say(element, text ?? "");
  show(element, Boolean(text));
}

export function show(element, visible) {
  if (element.hidden === visible) element.hidden = !visible;
}

const made = new WeakMap(); // what the children of an element were made of

/** Replaces the children when the data they are made of differs from last time, so that focus survives a refresh. */
export function replaceWhenChanged(element, data, makeChildren) {
  const key = JSON.stringify(data);
  if (made.get(element) === key) return;
  made.set(element, key);
  element.replaceChildren(...makeChildren());
}
