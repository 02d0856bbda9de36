// The product itself: what it is, what it costs, whether it can be had. Members it does not know are left alone.

import { picture } from "./art.js";
import { byId, replaceWhenChanged, say, sayOrHide, show } from "./dom.js";
import { showRecommendations, showReviews } from "./extras.js";
import { instant, money, plural, text } from "./words.js";

const few = 5; // pieces left, under which it is worth saying

export function showProduct(page) {
  const product = page.product ?? {};
  const name = text(product.name) ?? page.id;
  say(byId("name"), name);
  sayOrHide(byId("eyebrow"), text(product.brand) ?? text(product.category));
  sayOrHide(byId("description"), text(product.description));
  replaceWhenChanged(byId("picture"), [page.id, name], () => [picture({ id: page.id, name }, `Picture of ${name}`)]);
  showPrice(page.price);
  showStock(page.stock);
  byId("buy").disabled = !page.purchasable;
  say(byId("why"), page.purchasable ? "" : whyNot(page));
  showReviews(page.reviews);
  showRecommendations(page.recommendations, page.id);
  show(byId("product"), true);
}

export const hideProduct = () => show(byId("product"), false);

function showPrice(price) {
  const known = text(price?.amount) !== null;
  const stale = known && Boolean(price.stale || price.displayOnly);
  say(byId("amount"), known ? money(price) : "No price yet");
  sayOrHide(byId("as-of"), stale ? `as of ${instant(price.asOf)}` : "");
  byId("amount").parentElement.classList.toggle("stale", stale);
}

function showStock(stock) {
  const there = Boolean(stock?.available);
  say(byId("stock"), there ? inStock(stock.quantity) : "Sold out");
  byId("stock").classList.toggle("out", !there);
}

function inStock(quantity) {
  if (typeof quantity === "number" && quantity <= few) return `In stock, only ${plural(quantity, "piece", "pieces")} left`;
  return "In stock";
}

function whyNot({ price, stock }) {
  if (!price) return "Without a price it can’t be bought.";
  if (price.stale || price.displayOnly) return "We can’t confirm this price right now. Buying waits until we can.";
  if (!stock?.available) return "We’ll have it again. Come back soon.";
  return "It can’t be bought just now.";
}
