// The page in front and the panel behind it, put together: which product, when to ask, what to show.

import { askPage, isId } from "./api.js";
import { forgetOffer, offerOnClick } from "./buy.js";
import { byId, show } from "./dom.js";
import { Loader } from "./loader.js";
import { hideNotice, showNotice } from "./notice.js";
import { Panel } from "./panel.js";
import { hideProduct, showProduct } from "./product.js";

const shopName = document.title;
const between = 2000; // ms between two looks at the same product

let moved = false; // the visitor went to another product, whose title is to get the focus

const loader = new Loader((id, signal) => (isId(id) ? askPage(id, signal) : noProduct), answered);
const noProduct = { kind: "wrong", status: 400, timed: {}, total: 0 };
const panel = new Panel(() => loader.load(currentId()));

function currentId() {
  try {
    return decodeURIComponent(location.pathname.replace(/^\/p\//, ""));
  } catch {
    return "";
  }
}

function answered(answer, retryAt) {
  const focused = document.activeElement;
  const inMain = byId("main").contains(focused);
  show(byId("loading"), false);
  panel.page(answer);
  if (answer.kind === "page") {
    hideNotice();
    showProduct(answer.body);
    if (!answer.body.purchasable) forgetOffer();
  } else {
    hideProduct();
    forgetOffer();
    showNotice(answer, retryAt);
  }
  const title = byId(answer.kind === "page" ? "name" : "notice-title");
  document.title = `${title.textContent} · ${shopName}`;
  if (moved || (inMain && (focused.disabled || !focused.checkVisibility()))) title.focus({ preventScroll: true });
  moved = false;
}

/** Shows the product that the address names. */
function arrive() {
  forgetOffer();
  hideNotice();
  hideProduct();
  show(byId("loading"), true);
  loader.load(currentId());
}

function follow(event) {
  const link = event.target.closest("a[href^='/p/']");
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  moved = true;
  scrollTo(0, 0);
  arrive();
}

function leave() {
  loader.leave();
  forgetOffer();
  panel.leave();
}

document.addEventListener("click", follow);
// A link within the page makes a popstate too.
addEventListener("popstate", () => { if (currentId() !== loader.id) { moved = true; arrive(); } });
addEventListener("pagehide", leave);
addEventListener("pageshow", (event) => { if (event.persisted) { panel.start(); arrive(); } });
byId("notice-again").addEventListener("click", () => loader.load(currentId()));
offerOnClick(currentId);
setInterval(() => { if (byId("refresh").checked && !document.hidden) loader.refresh(); }, between);
panel.start();
arrive();
