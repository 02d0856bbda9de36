// One page at a time: a newer request drops an older one, and a refusal is retried when the service said, a bounded
// number of times.

const attempts = 6; // in a row, the first included
export const longestWait = 60; // s; whoever is told more is not kept waiting
const longestBackoff = 16; // s, when the service said nothing

export class Loader {
  #ask;
  #onAnswer;
  #id = null;
  #tries = 0;
  #leaving = new AbortController();
  #timer = 0;
  #settled = false; // shows a page, and may be refreshed

  /** ask(id, signal) gives an answer; onAnswer(answer, retryAt) gets it, with the time (of performance.now) of the next
   * try, or null when there will be none. */
  constructor(ask, onAnswer) {
    this.#ask = ask;
    this.#onAnswer = onAnswer;
  }

  load(id) {
    this.leave();
    this.#id = id;
    this.#tries = 0;
    this.#try();
  }

  /** Whose page is shown or asked for. */
  get id() {
    return this.#id;
  }

  /** Asks again for what is shown. A retry that waits keeps waiting: the service said when. */
  refresh() {
    if (this.#settled) this.#try();
  }

  /** Drops the request under way and any retry. */
  leave() {
    this.#settled = false;
    this.#leaving.abort();
    clearTimeout(this.#timer);
  }

  async #try() {
    this.#settled = false;
    const leaving = (this.#leaving = new AbortController());
    try {
      const answer = await this.#ask(this.#id, leaving.signal);
      if (!leaving.signal.aborted) this.#take(answer);
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    }
  }

  #take(answer) {
    this.#settled = answer.kind === "page";
    const wait = answer.kind === "refused" || answer.kind === "unreachable" ? this.#wait(answer) : null;
    if (wait === null) {
      this.#tries = 0;
      this.#onAnswer(answer, null);
      return;
    }
    this.#timer = setTimeout(() => this.#try(), wait * 1000);
    this.#onAnswer(answer, performance.now() + wait * 1000);
  }

  /** Seconds until the next try, or null when it is enough. */
  #wait(answer) {
    this.#tries++;
    const wait = answer.retryAfter ?? Math.min(longestBackoff, 2 ** (this.#tries - 1) + Math.random());
    return this.#tries < attempts && wait <= longestWait ? wait : null;
  }
}
