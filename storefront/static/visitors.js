// Other visitors: pages of other products, asked for at a rate. Never more at once than leaves the browser connections
// for the page in front, and none while nobody looks.

import { askPage } from "./api.js";

const mostAtOnce = 4;
const range = 6; // products that they look at: few, so that their prices are soon remembered

export class Visitors {
  #onAnswer;
  #timer = 0;
  #underway = 0;
  #next = 0;
  #leaving = new AbortController();

  constructor(onAnswer) {
    this.#onAnswer = onAnswer;
  }

  /** Pages per second from now on. */
  rate(perSecond) {
    this.leave();
    if (perSecond > 0) this.#timer = setInterval(() => this.#visit(), 1000 / perSecond);
  }

  leave() {
    clearInterval(this.#timer);
    this.#leaving.abort();
    this.#leaving = new AbortController();
  }

  async #visit() {
    if (document.hidden || this.#underway >= mostAtOnce) return;
    this.#underway++;
    const { signal } = this.#leaving;
    try {
      const answer = await askPage(`p-${1002 + (this.#next++ % range)}`, signal, { cache: "no-store" });
      if (!signal.aborted) this.#onAnswer(answer);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#underway--;
    }
  }
}
