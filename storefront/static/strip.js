// The last pages as bars against the deadline: whole, degraded, or none at all.

import { byId, make, say } from "./dom.js";
import { milliseconds, plural } from "./words.js";

const kept = 48;
const deadline = 450; // ms

const records = [];

/** Adds a page to the strip; mine tells whether it is the one in front. */
export function addToStrip(answer, mine) {
  records.push({ quality: qualityOf(answer), total: answer.total });
  byId("strip").append(bar(answer, records.at(-1), mine));
  if (records.length > kept) {
    records.shift();
    byId("strip").firstChild.remove();
  }
  say(byId("legend"), summary());
}

function qualityOf({ kind, body }) {
  if (kind === "page") return body.degraded ? "degraded" : "whole";
  return kind === "gone" || kind === "wrong" ? "whole" : "failed";
}

const said = { whole: "whole", degraded: "degraded", failed: "failed" };

function bar(answer, { quality, total }, mine) {
  const text = `${mine ? "yours" : "another’s"}: ${said[quality]}, ${answer.status || "no answer"}, ${milliseconds(total)}`;
  const item = make("li", { class: mine ? quality : `${quality} other`, title: text }, make("span", { class: "visually-hidden" }, text));
  item.style.setProperty("--share", Math.min(1.2, total / deadline));
  return item;
}

function summary() {
  const times = records.map((r) => r.total).sort((a, b) => a - b);
  const number = (quality) => records.filter((r) => r.quality === quality).length;
  const parts = [`${number("whole")} whole`, `${number("degraded")} degraded`, `${number("failed")} failed`];
  return `Of ${plural(records.length, "page", "pages")}: ${parts.join(", ")}. Half took ${milliseconds(times[times.length >> 1])} or less, the slowest ${milliseconds(times.at(-1))}.`;
}
