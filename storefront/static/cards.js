// One card for each downstream: what became of it in the page in front, what is wrong with it, and how to change that.

import { dial, toggle } from "./controls.js";
import { make, say, sayOrHide } from "./dom.js";
import { setFault } from "./fakes.js";
import { dials, inWords, toggles } from "./faults.js";
import { because, count, milliseconds, plural } from "./words.js";

const deadline = 450; // ms

export class Card {
  #of;
  #fault = {};
  #counted = {};
  #begun = {}; // the counts when the story began
  #became = make("p", { class: "became", "data-mood": "none" }, "not asked yet");
  #took = make("div", { class: "took", "aria-hidden": "true" }, make("span"));
  #wrong = make("p", { class: "fault" });
  #stats = make("p", { class: "stats" });
  #controls;

  /** of is one of fakes.js's downstreams; onSet gets a promise for every fault that someone sets here. */
  constructor(of, onSet) {
    this.#of = of;
    this.name = of.name;
    const parts = (kinds, build) => kinds.map((kind) => ({
      ...kind,
      ...build({
        ...kind,
        owner: of.name,
        onChoose: (value) => onSet(this.#choose(kind.write(value, this.#fault))),
      }),
    }));
    const [ranges, switches] = [parts(dials, dial), parts(toggles, toggle)];
    this.#controls = [...ranges, ...switches];
    this.element = this.#build(ranges, switches);
    this.#show({});
  }

  /** What is chosen next goes on from this, even before the fake has told it back. */
  #choose(changes) {
    this.#fault = { ...this.#fault, ...changes };
    return setFault(this.#of.name, this.#fault);
  }

  #build(ranges, switches) {
    const { name, critical } = this.#of;
    const title = make("h4", { id: `downstream-${name}-title` }, name);
    return make("section", { id: `downstream-${name}`, class: "downstream", "aria-labelledby": title.id },
      make("header", {}, title, make("span", { class: "kind" }, critical ? "critical" : "optional"), this.#stats),
      this.#became, this.#took, this.#wrong,
      make("div", { class: "controls" },
        ...ranges.map((r) => r.element), make("div", { class: "switches" }, ...switches.map((s) => s.element))));
  }

  /** What the page in front says of this downstream. */
  page(answer) {
    const took = answer.timed[this.#of.name]?.dur;
    const [mood, text] = became(answer, this.#of);
    this.#became.dataset.mood = mood;
    say(this.#became, !(took >= 1) ? text : `${text} (${milliseconds(took)})`);
    this.#took.firstChild.style.setProperty("--share", Math.min(1, (took ?? 0) / deadline));
  }

  /** Counts from now on. */
  begin() {
    this.#begun = this.#counted;
  }

  /** What the fake says of itself; null when it does not answer. */
  fake(told) {
    if (!told) {
      sayOrHide(this.#wrong, "This fake does not answer.");
      say(this.#stats, "no counts");
      return;
    }
    this.#counted = told.stats ?? {};
    const since = (name) => (this.#counted[name] ?? 0) - Math.min(this.#counted[name] ?? 0, this.#begun[name] ?? 0);
    const [calls, abandoned] = ["calls", "abandoned"].map(since);
    say(this.#stats, plural(calls, "call", "calls") + (abandoned > 0 ? `, ${count(abandoned)} abandoned` : ""));
    this.#show(told.fault ?? {});
  }

  #show(fault) {
    this.#fault = fault;
    sayOrHide(this.#wrong, inWords(fault));
    for (const control of this.#controls) control.show(control.read(fault));
  }
}

/** The mood (ok, late, out or none) and the words for what became of a downstream in an answer. */
function became({ kind, body, timed }, { name, section, critical }) {
  if (kind === "page") return ofSection(body.sections?.[section], critical);
  const failed = body?.dependencies?.find?.((d) => d.name === name);
  if (failed) return ["out", `no page without it: ${because(failed.reason)}`];
  if (kind === "gone" && name === "catalog") return ["ok", "says that there is no such product"];
  const outcome = timed[name]?.desc;
  return ["none", outcome ? inVain[outcome] ?? because(outcome) : "not asked"];
}

const inVain = {
  ok: "answered in vain: there was no page",
  absent: "answered in vain: there was no page",
  cancelled: "called off: there was no page",
};

function ofSection(note, critical) {
  switch (note?.status) {
    case "ok": return ["ok", "in the page"];
    case "absent": return ["ok", "has nothing for this product"];
    case "stale": return ["late", `last known price shown: ${because(note.reason)}`];
    case "unavailable": return [critical ? "out" : "late", `left out: ${because(note.reason)}`];
    default: return ["none", "not told"];
  }
}
