// Asking the service, as a web front-end does. Every answer comes back as one plain value with a `kind`; only leaving
// (an aborted signal) throws.

import { seconds, timings } from "./headers.js";

const patience = 3000; // ms that a visitor's page waits; the service is told so
const idPattern = /^[A-Za-z0-9._~-]{1,64}$/;

export const isId = (id) => typeof id === "string" && idPattern.test(id) && id !== "." && id !== "..";

/** One page: kind is page, gone, refused (with retryAfter in seconds, or null), wrong or unreachable. */
export const askPage = (id, signal, options) => ask(`/products/${encodeURIComponent(id)}`, "page", signal, options);

/** Live price and live stock, or nothing: kind is offer, or as above. */
export const askOffer = (id, signal) => ask(`/products/${encodeURIComponent(id)}/offer`, "offer", signal);

async function ask(path, kind, signal, options = {}) {
  const started = performance.now();
  try {
    const response = await fetch(path, {
      headers: { Accept: "application/json, application/problem+json", "X-Client": "web", "X-Request-Timeout-Ms": String(patience) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
      ...options,
    });
    const body = await response.json();
    if (response.ok && !isId(body?.id)) throw new TypeError("not the service's answer"); // but that of a portal before it, say
    return tell(kind, response, body, performance.now() - started);
  } catch {
    signal.throwIfAborted();
    return { kind: "unreachable", status: 0, total: performance.now() - started, timed: {}, retryAfter: null };
  }
}

function tell(kind, response, body, elapsed) {
  const timed = timings(response.headers.get("Server-Timing"));
  return {
    kind: response.ok ? kind : kindOf(response.status),
    status: response.status,
    body,
    timed,
    total: timed.total?.dur ?? elapsed,
    requestId: response.headers.get("X-Request-Id"),
    retryAfter: seconds(response.headers.get("Retry-After")),
  };
}

function kindOf(status) {
  if (status === 404) return "gone";
  if (status === 429 || status >= 500) return "refused";
  return "wrong";
}
