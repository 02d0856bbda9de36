// What can be wrong with a fake: how it is said, and the four ways that the panel offers to change it.

import { milliseconds } from "./words.js";

const drip = 40; // ms before each byte

const percent = (rate) => `${Math.round(rate * 100)}\u00a0%`;
const rateOf = (fault) => fault.errorRate ?? (fault.status ? 1 : 0);

/** The controls: what each reads from a fault, and what it changes in one (undefined takes a member out). */
export const dials = [
  {
    label: "Latency",
    values: [null, 50, 100, 150, 200, 300, 450, 800, 1500, 3000, 8000],
    inWords: (ms) => (ms === null ? "as usual" : milliseconds(ms)),
    read: (fault) => fault.latencyMs ?? fault.p50Ms ?? null,
    write: (ms) => ({ latencyMs: ms ?? undefined, p50Ms: undefined, p99Ms: undefined }),
  },
  {
    label: "Errors",
    values: [0, 0.1, 0.25, 0.5, 0.75, 1],
    inWords: (rate) => (rate === 0 ? "none" : percent(rate)),
    read: rateOf,
    write: (rate, fault) => (rate === 0
      ? { errorRate: undefined, status: undefined, retryAfter: undefined }
      : { errorRate: rate, status: fault.status ?? 503 }),
  },
];

export const toggles = [
  { label: "Hang", read: (fault) => Boolean(fault.hang), write: (on) => ({ hang: on || undefined }) },
  { label: "Drip", read: (fault) => Boolean(fault.dripMs), write: (on) => ({ dripMs: on ? drip : undefined }) },
];

const others = {
  reset: "resets its connections",
  garbage: "answers nonsense",
  oversize: "answers with far too much",
  endless: "answers without end",
};

/** A fault in words, or null when there is none. */
export function inWords(fault) {
  const said = [];
  if (fault.latencyMs !== undefined) said.push(`takes ${milliseconds(fault.latencyMs)}`);
  if (fault.p50Ms) said.push(`takes ${milliseconds(fault.p50Ms)}, at times ${milliseconds(fault.p99Ms)}`);
  if (fault.hang) said.push("hangs");
  if (rateOf(fault) > 0) said.push(`answers ${rateOf(fault) === 1 ? "everything" : percent(rateOf(fault))} with ${fault.status ?? 500}`);
  if (fault.dripMs) said.push("drips its answer byte by byte");
  for (const [member, words] of Object.entries(others)) if (fault[member]) said.push(words);
  return said.length > 0 ? `It ${said.join(", ")}.` : null;
}
