// What the service's own words mean, and how good or bad that is.

const results = {
  full: ["Whole", "good"], not_modified: ["Not modified", "good"], not_found: ["Not found", "info"],
  degraded: ["Degraded", "warn"], unavailable: ["Failed", "bad"], error: ["Defect", "bad"],
  deadline: ["Out of time", "bad"], invalid: ["Invalid", "info"], cancelled: ["Client left", "info"],
  shed: ["Shed", "bad"], shed_background: ["Shed", "warn"], rate_limited: ["Rate limited", "warn"],
};

const outcomes = {
  ok: ["ok", "good"], absent: ["nothing there", "info"], timeout: ["timed out", "bad"], upstream_error: ["answered with an error", "bad"],
  invalid_response: ["answered what is invalid", "bad"], breaker_open: ["not asked, breaker open", "warn"],
  bulkhead_full: ["not asked, bulkhead full", "warn"], cancelled: ["no longer needed", "info"],
};

const breakers = {
  closed: { tone: "good", words: "Breaker closed", then: () => "asked as usual" },
  open: { tone: "bad", words: "Breaker open", then: (ms) => (ms > 0 ? `next probe in ${seconds(ms)}` : "the next call is a probe") },
  half_open: { tone: "warn", words: "Breaker half-open", then: () => "a few probes go through" },
};

/** What an operator has in force, by what is overridden. */
const leverOn = (target) => model.frame.overrides.find((lever) => lever.target === target);

const leverDoes = ({ mode, percent, priority }) => {
  if (percent > 0) return `${percent} % of the requests of priority ${priority} and below are refused`;
  return { open: "not asked", "no-retry": "no retry and no hedge" }[mode] ?? mode;
};

/** An override in one line: what, whose, for how long, and why. */
const leverWords = (lever) => `${leverDoes(lever)}, by an operator’s override, ${lasting(lever.leftMs)} left: ${lever.reason}`;

const shedReasons = { full: "limit and queue full", age: "waited too long", deadline: "no time left", override: "by an operator" };

const recalls = {
  hit: "found", miss: "not known", expired: "too old", invalid: "unreadable", error: "memory failed", timeout: "memory too slow", dropped: "dropped", ok: "kept",
};

const attempts = { first: ["first attempt", "first attempts"], retry: ["retry", "retries"], hedge: ["hedge", "hedges"] };

const unknown = (word) => [word, "info"]; // an instance newer than this page
const result = (name) => results[name] ?? unknown(name);
const outcome = (name) => outcomes[name] ?? unknown(name);

/** Why a page is not what it should be, in one line. */
const why = (page, downstreams) => {
  if (page.shed) return `${page.priority}: ${shedReasons[page.shed] ?? page.shed}`;
  const noted = page.notes.flatMap((note, i) => {
    if (note.status === "stale") return [`price remembered ${lasting(note.ageMs)} ago, the live one ${outcome(note.reason)[0]}`];
    return note.status === "unavailable" ? [`${downstreams[i].name}: ${outcome(note.reason)[0]}`] : [];
  });
  if (page.notes.length > 0) return noted.join("; ");
  return page.calls
    .filter((call) => downstreams[call.downstream].critical && !["ok", "absent", "cancelled"].includes(call.outcome))
    .map((call) => `${downstreams[call.downstream].name}: ${outcome(call.outcome)[0]}`)
    .join("; ");
};

/** The same where there is little room: what is missing, and why only if it is one thing. */
const briefly = (page, downstreams) => {
  const missing = page.notes.flatMap((note, i) => {
    if (note.status === "stale") return ["price remembered"];
    return note.status === "unavailable" ? [`no ${downstreams[i].name}`] : [];
  });
  if (missing.length > 1) return missing.join(", ");
  const stale = page.notes.find((note) => note.status === "stale");
  return stale ? `price remembered: ${outcome(stale.reason)[0]}` : why(page, downstreams);
};

/** Names as a person lists them. */
const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
