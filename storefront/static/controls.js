// A dial that goes through given values, and a switch. Both show what holds, and tell what someone chose.

import { make, say } from "./dom.js";

let made = 0;

/** A range over values (in order), each said in words by inWords. Named for what it does and whom it is for. */
export function dial({ label, owner, values, inWords, onChoose }) {
  const id = `dial-${++made}`;
  const input = make("input", { id, type: "range", min: 0, max: values.length - 1, step: 1, value: 0 });
  const output = make("output", { for: id });
  const name = make("label", { for: id }, label, make("span", { class: "visually-hidden" }, ` of ${owner}`));
  let held = false; // someone is choosing: what holds must not move it
  const tell = (value) => {
    say(output, inWords(value));
    input.setAttribute("aria-valuetext", inWords(value));
  };
  const chosen = () => values[Number(input.value)];
  input.addEventListener("input", () => { held = true; tell(chosen()); });
  input.addEventListener("change", () => { held = false; onChoose(chosen()); });
  const show = (value) => {
    if (held) return;
    input.value = nearest(values, value);
    tell(value);
  };
  return { element: make("div", { class: "control" }, name, output, input), show };
}

/** A checkbox, likewise. */
export function toggle({ label, owner, onChoose }) {
  const input = make("input", { type: "checkbox" });
  input.addEventListener("change", () => onChoose(input.checked));
  const element = make("label", { class: "switch" }, input, label, make("span", { class: "visually-hidden" }, ` ${owner}`));
  return { element, show: (value) => { input.checked = value; } };
}

function nearest(values, value) {
  const distances = values.map((v) => Math.abs((v ?? 0) - (value ?? 0)));
  return distances.indexOf(Math.min(...distances));
}
