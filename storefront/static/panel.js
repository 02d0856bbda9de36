// The panel as a whole: stories, traffic, and the five cards.

import { Card } from "./cards.js";
import { byId, make, say, sayOrHide } from "./dom.js";
import { askFakes, downstreams, setFault } from "./fakes.js";
import { inWords } from "./faults.js";
import { presets } from "./presets.js";
import { addToStrip } from "./strip.js";
import { Visitors } from "./visitors.js";

const between = 1000; // ms between two looks at the fakes
const unreachable = "The fakes can’t be reached just now.";

export class Panel {
  #visitors = new Visitors((answer) => addToStrip(answer, false));
  #cards = downstreams.map((d) => new Card(d, (done) => this.#byHand(done)));
  #timer = 0;
  #settings = 0; // grows with every fault that is set, and on leaving: an answer to what was asked before is dropped
  #met = false; // whether it is known what was going on before
  #onStory;

  /** onStory is called when a story has begun, for the page in front to look again. */
  constructor(onStory) {
    this.#onStory = onStory;
    byId("downstreams").replaceChildren(...this.#cards.map((c) => c.element));
    byId("presets").replaceChildren(...presets.map((p) => this.#button(p)));
    byId("visitors").addEventListener("change", () => this.#visitors.rate(Number(byId("visitors").value)));
  }

  /** An answer that the page in front got. */
  page(answer) {
    addToStrip(answer, true);
    for (const card of this.#cards) card.page(answer);
  }

  start() {
    this.#settings++;
    clearTimeout(this.#timer);
    this.#visitors.rate(Number(byId("visitors").value));
    this.#look();
  }

  leave() {
    this.#settings++;
    clearTimeout(this.#timer);
    this.#visitors.leave();
  }

  #button(preset) {
    const button = make("button", { type: "button", id: `preset-${preset.key}`, "aria-pressed": "false" }, preset.title);
    button.addEventListener("click", () => this.#tell(preset));
    return button;
  }

  async #tell(preset) {
    this.#met = true;
    this.#press(preset);
    for (const card of this.#cards) card.begin();
    await this.#set(Promise.all(downstreams.map(({ name }) => setFault(name, preset.faults[name] ?? {}))));
    this.#visit(preset);
    this.#onStory();
  }

  #press(preset) {
    for (const { key } of presets) byId(`preset-${key}`).setAttribute("aria-pressed", String(key === preset?.key));
    say(byId("story"), preset?.story ?? "Your own story: you have changed a service by hand.");
  }

  async #byHand(done) {
    this.#met = true;
    this.#press(null);
    await this.#set(done);
  }

  async #set(done) {
    this.#settings++;
    try {
      await done;
      this.#problem("");
    } catch {
      this.#problem("That could not be set: a fake does not answer.");
    }
    this.#settings++;
    clearTimeout(this.#timer);
    await this.#look();
  }

  async #look() {
    const before = this.#settings;
    try {
      const told = document.hidden ? null : await askFakes();
      if (told && before === this.#settings) this.#told(told);
    } catch {
      if (before === this.#settings) this.#problem(unreachable);
    }
    if (before === this.#settings) this.#timer = setTimeout(() => this.#look(), between);
  }

  #told(told) {
    if (!this.#met && downstreams.every(({ name }) => told[name])) this.#meet(told);
    for (const { name } of downstreams) this.#cards.find((c) => c.name === name).fake(told[name]);
    if (byId("panel-problem").textContent === unreachable) this.#problem("");
  }

  /** A story that goes on already is told to who comes in: the fakes may have begun with it, or the page is there anew. */
  #meet(told) {
    this.#met = true;
    const same = ({ faults }) => downstreams.every(({ name }) => inWords(told[name].fault ?? {}) === inWords(faults[name] ?? {}));
    const running = presets.find((preset) => Object.keys(preset.faults).length > 0 && same(preset));
    if (!running) return;
    this.#press(running);
    this.#visit(running);
  }

  #visit(preset) {
    if (preset.visitors === undefined) return;
    byId("visitors").value = preset.visitors;
    this.#visitors.rate(preset.visitors);
  }

  #problem(text) {
    sayOrHide(byId("panel-problem"), text);
  }
}
