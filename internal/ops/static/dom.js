// Helpers. Data becomes text and numbers only: nothing here, or anywhere, makes markup of it.

const $ = (id) => document.getElementById(id);

const text = (element, value) => {
  const words = String(value);
  if (element.textContent !== words) element.textContent = words; // what did not change stays selected
};

const make = (tag, className = "", words = "") => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (words) element.textContent = words;
  return element;
};

/** A copy of a template, and its parts by their names. */
const fromTemplate = (id) => {
  const root = $(id).content.firstElementChild.cloneNode(true);
  const part = {};
  for (const element of root.querySelectorAll("[data-part]")) part[element.dataset.part] = element;
  return { root, part };
};

/** Makes parent have exactly so many children, each made by create. */
const resize = (parent, length, create) => {
  while (parent.children.length > length) parent.lastElementChild.remove();
  while (parent.children.length < length) parent.append(create(parent.children.length));
};

/** Shows pairs of a name and a value in a dl. */
const facts = (list, pairs) => {
  resize(list, pairs.length, () => {
    const pair = make("div");
    pair.append(make("dt"), make("dd"));
    return pair;
  });
  pairs.forEach(([name, value], i) => {
    text(list.children[i].firstElementChild, name);
    text(list.children[i].lastElementChild, value);
  });
};

const place = (element, from, to) => {
  element.style.left = `${from}%`;
  element.style.width = `${Math.max(0, to - from)}%`;
};

const total = (counts) => Object.values(counts).reduce((sum, n) => sum + n, 0);

// Numbers and times as people read them.
const integer = new Intl.NumberFormat("en");
const count = (n) => integer.format(Math.round(n));
const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
const short = (n) => (n >= 100 ? count(n) : n >= 10 ? n.toFixed(0) : n.toFixed(1));
const millis = (ms) => (ms < 0.05 ? "under 0.1" : ms < 10 ? ms.toFixed(1) : count(ms));
const percent = (share) => (share > 0 && share < 0.01 ? "under 1 %" : share < 1 && share > 0.99 ? "over 99 %" : `${Math.round(share * 100)} %`);
const clock = (at) => new Date(at).toTimeString().slice(0, 8);
const seconds = (ms) => `${Math.ceil(ms / 1000)} s`;
const lasting = (ms) => {
  const s = Math.round(ms / 1000);
  if (s < 120) return `${s} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  return s < 172800 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86400)} days`;
};
