// How the page says money, time, and what became of a section. A number and its unit stay on one line.

const language = document.documentElement.lang;

/** A text that says something, or null. */
export const text = (value) => (typeof value === "string" && value.trim() !== "" ? value : null);

/** An exact amount (a string; its digits are kept) with its currency. */
export function money({ amount, currency }) {
  try {
    return new Intl.NumberFormat(language, { style: "currency", currency, maximumFractionDigits: 6 }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}

/** An instant as a time of day, with the day when it is not today. */
export function instant(text) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return "an earlier time";
  const time = at.toLocaleTimeString(language, { hour12: false });
  return at.toDateString() === new Date().toDateString() ? time : `${at.toLocaleDateString(language)}, ${time}`;
}

export function milliseconds(ms) {
  if (ms >= 999.5) return `${Number((ms / 1000).toFixed(1))}\u00a0s`;
  return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)}\u00a0ms`;
}

/** A long wait, in round figures. */
export function about(seconds) {
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? plural(minutes, "minute", "minutes") : plural(Math.ceil(minutes / 60), "hour", "hours");
}

const reasons = {
  timeout: "it took too long",
  upstream_error: "it answered with an error",
  invalid_response: "its answer made no sense",
  breaker_open: "it keeps failing, so it is not asked (its breaker is open)",
  bulkhead_full: "too many calls wait for it, so it is not asked",
};

export const because = (reason) => reasons[reason] ?? reason ?? "no reason was given";

export const count = (n) => new Intl.NumberFormat(language).format(n);

export const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;
