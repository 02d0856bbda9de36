// A picture for every product, made from its id (and what its name says it is): the same product, the same picture.

import { draw } from "./dom.js";
import { things } from "./things.js";

// Hues of the thing, of its second colour, and of the room.
const palettes = [[14, 38, 200], [28, 172, 42], [38, 12, 150], [96, 34, 44], [156, 40, 36], [184, 22, 32], [206, 36, 24], [222, 14, 46], [346, 204, 40]];
const kinds = Object.keys(things);

/** The picture. Without a description it is an ornament that a screen reader passes over. */
export function picture({ id, name }, description) {
  const random = generator(id);
  const [hue, second, room] = palettes[Math.floor(random() * palettes.length)];
  const svg = draw("svg", { viewBox: "0 0 200 200", class: "art", focusable: "false", ...label(description) });
  svg.style.setProperty("--hue", hue);
  svg.style.setProperty("--second", second);
  svg.style.setProperty("--room", room);
  svg.append(...backdrop(random), ...thing(name, random).map(([tag, attributes]) => draw(tag, attributes)));
  return svg;
}

const label = (description) => (description ? { role: "img", "aria-label": description } : { "aria-hidden": "true" });

function backdrop(random) {
  const x = 70 + random() * 60;
  return [
    draw("rect", { width: 200, height: 200, class: "wall" }),
    draw("circle", { cx: x, cy: 88 + random() * 20, r: 58 + random() * 16, class: "sun" }),
    draw("rect", { y: 160, width: 200, height: 40, class: "table" }),
    draw("ellipse", { cx: 106, cy: 173, rx: 70, ry: 6, class: "shadow" }),
  ];
}

function thing(name, random) {
  const last = String(name).toLowerCase().split(" ").at(-1);
  return things[last] ?? things[kinds[Math.floor(random() * kinds.length)]];
}

/** Numbers from 0 up to 1 that depend on the text alone (FNV-1a, then a small mixing generator). */
function generator(text) {
  let state = 0x811c9dc5;
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
