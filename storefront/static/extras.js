// Reviews and recommendations: when there are none, or they could not be had, nothing is missing.

import { isId } from "./api.js";
import { picture } from "./art.js";
import { byId, make, replaceWhenChanged, sayOrHide, show } from "./dom.js";
import { count, plural, text } from "./words.js";

const mostReviews = 3;
const mostRecommendations = 4;

export function showReviews(reviews) {
  const { average, count: total, items } = reviews ?? {};
  const rated = typeof average === "number" && total > 0;
  sayOrHide(byId("rating"), rated ? `★ ${average.toFixed(1)} of 5, ${plural(total, "review", "reviews")}` : "");
  const quotes = (Array.isArray(items) ? items : []).filter((r) => text(r?.text)).slice(0, mostReviews);
  replaceWhenChanged(byId("reviews-list"), quotes, () => quotes.map(review));
  show(byId("reviews"), quotes.length > 0);
}

function review({ author, rating, title, text: said }) {
  const item = make("li");
  if (typeof rating === "number") item.append(stars(rating));
  if (text(title)) item.append(make("h3", {}, title));
  item.append(make("p", {}, said));
  if (text(author)) item.append(make("p", { class: "author" }, author));
  return item;
}

function stars(rating) {
  const full = Math.max(0, Math.min(5, Math.round(rating)));
  const said = make("span", { class: "visually-hidden" }, `${count(rating)} of 5 stars`);
  const drawn = make("span", { "aria-hidden": "true" }, "★".repeat(full) + "☆".repeat(5 - full));
  return make("p", { class: "stars" }, said, drawn);
}

export function showRecommendations(recommendations, ownId) {
  const shown = (Array.isArray(recommendations) ? recommendations : [])
    .filter((r) => isId(r?.id) && r.id !== ownId)
    .slice(0, mostRecommendations);
  replaceWhenChanged(byId("recommendations-list"), shown, () => shown.map(recommendation));
  show(byId("recommendations"), shown.length > 0);
}

function recommendation({ id, name }) {
  const said = text(name) ?? id;
  const link = make("a", { href: `/p/${encodeURIComponent(id)}` }, picture({ id, name: said }), make("span", {}, said));
  return make("li", {}, link);
}
