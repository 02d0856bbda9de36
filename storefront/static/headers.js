// Reading the headers that the service answers with.

/** Server-Timing by metric: `price;dur=12.4;desc="ok", total;dur=30` gives {price: {dur: 12.4, desc: "ok"}, total: {dur: 30}}. */
export function timings(header) {
  const found = {};
  for (const metric of (header ?? "").split(",")) {
    const [name, ...parameters] = metric.split(";").map((part) => part.trim());
    const told = Object.fromEntries(parameters.map((p) => p.split("=")));
    if (name && !Number.isNaN(Number(told.dur))) found[name] = { dur: Number(told.dur), desc: told.desc?.replaceAll('"', "") };
  }
  return found;
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/; // Date.parse alone reads one out of nearly anything

/** Retry-After in seconds (at least one), whether it says seconds or a date; null when it says neither. */
export function seconds(header) {
  if (/^\d{1,9}$/.test(header ?? "")) return Math.max(1, Number(header));
  const at = httpDate.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? null : Math.max(1, Math.ceil((at - Date.now()) / 1000));
}
