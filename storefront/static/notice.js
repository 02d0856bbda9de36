// What stands in place of a product that cannot be shown, in kind words.

import { byId, say, sayOrHide, show } from "./dom.js";
import { longestWait } from "./loader.js";
import { about } from "./words.js";

const part = (name) => byId(`notice-${name}`);

const words = {
  gone: ["We don’t have that one", "It may have left our range, or the link has a typing error."],
  wrong: ["That is no product of ours", "The address has something in it that no product’s address has."],
  busy: ["One moment, please", "A great many people are looking at this shop right now."],
  refused: ["One moment, please", "We can’t show this product just now. It is our fault, not yours."],
  unreachable: ["The shop can’t be reached", "It may be your connection, or it may be us."],
};
const willRetry = "We try again by ourselves; you need do nothing.";
const gaveUp = "We tried several times. Please come back in a little while.";

/** What there is to say when the page does not try again by itself. */
const comeBack = ({ retryAfter }) => (retryAfter > longestWait ? `Please come back in about ${about(retryAfter)}.` : gaveUp);

let ticking = 0;

/** Shows the notice for an answer that is not a page. retryAt is the time of the next try, or null. */
export function showNotice(answer, retryAt) {
  const [title, text] = words[answer.status === 429 ? "busy" : answer.kind];
  const retriable = answer.kind === "refused" || answer.kind === "unreachable";
  say(part("title"), title);
  say(part("text"), retriable ? `${text} ${retryAt === null ? comeBack(answer) : willRetry}` : text);
  show(part("again"), retriable && retryAt === null);
  show(part("home"), !retriable);
  sayOrHide(part("reference"), answer.requestId && retriable ? `Reference: ${answer.requestId}` : "");
  countDown(retryAt);
  show(byId("notice"), true);
}

export function hideNotice() {
  countDown(null);
  show(byId("notice"), false);
}

function countDown(until) {
  clearInterval(ticking);
  show(part("wait"), until !== null);
  if (until === null) return;
  const tick = () => {
    const left = Math.ceil((until - performance.now()) / 1000);
    say(part("wait"), left > 0 ? `Trying again in ${left} s` : "Trying again…");
  };
  tick();
  ticking = setInterval(tick, 250);
}
