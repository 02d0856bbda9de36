// The buy button's own question: live price and live stock, or nothing. It never spends what the page shows.

import { askOffer } from "./api.js";
import { byId, say } from "./dom.js";
import { money } from "./words.js";

let leaving = new AbortController();

/** Makes the button ask for an offer of whatever product currentId tells. */
export function offerOnClick(currentId) {
  byId("buy").addEventListener("click", () => ask(currentId()));
}

/** Forgets the last offer, and drops the question if it is under way. */
export function forgetOffer() {
  leaving.abort();
  tell("", "");
}

async function ask(id) {
  forgetOffer();
  const mine = (leaving = new AbortController());
  tell("Confirming the live price…", "");
  try {
    const answer = await askOffer(id, mine.signal);
    if (!mine.signal.aborted) tell(...outcome(answer));
  } catch (error) {
    if (!mine.signal.aborted) throw error;
  }
}

function outcome({ kind, body, retryAfter }) {
  if (kind === "offer" && body.purchasable) return [`Live price confirmed: ${money(body.price)}`, "good"];
  if (kind === "offer") return ["Someone was faster: it has just sold out. Nothing was charged.", "bad"];
  if (kind === "gone") return ["It has no price any more. Nothing was charged.", "bad"];
  const when = retryAfter ? `in ${retryAfter} s` : "in a moment";
  return [`We could not confirm the live price, so nothing was charged. Please try again ${when}.`, "bad"];
}

function tell(text, mood) {
  const offer = byId("offer");
  say(offer, text);
  offer.dataset.mood = mood;
}
