// The fakes' faults and counts, by way of this origin.

export const downstreams = [
  { name: "catalog", section: "product", critical: true },
  { name: "price", section: "price", critical: true },
  { name: "stock", section: "stock", critical: true },
  { name: "reviews", section: "reviews", critical: false },
  { name: "recommendations", section: "recommendations", critical: false },
];

const setting = new Map(); // by downstream: what was set last, and may be under way

/** Sets a downstream's fault, or clears it when there is nothing in it. Throws when that cannot be done. One after the
 * other: what was asked for last is what holds. */
export function setFault(name, fault) {
  const done = (setting.get(name) ?? Promise.resolve()).catch(() => {}).then(() => send(name, fault));
  setting.set(name, done);
  return done;
}

async function send(name, fault) {
  const well = Object.keys(fault).length === 0;
  const request = well
    ? { method: "DELETE" }
    : { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify(fault) };
  const response = await fetch(`/fakes/${name}/fault`, request);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
}

/** {fault, stats} by downstream, null for one that does not answer. */
export async function askFakes() {
  const response = await fetch("/fakes");
  if (!response.ok) throw new Error(`fakes: ${response.status}`);
  return response.json();
}
