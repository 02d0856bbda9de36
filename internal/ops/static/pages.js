// The waterfall. It stands still while somebody points at it, moves through it by keyboard, or reads a page.

const rows = 30; // that are shown
const rest = 8000; // ms after which a pointer that does not move holds nothing

const shown = { keys: null, kind: "", newest: 0, pointed: -rest };

const renderPages = () => {
  renderFilter();
  const kind = document.querySelector("#filter input:checked").value;
  const pages = model.pages.filter((page) => !kind || page.kind === kind).slice(0, rows);
  const keys = pages.map((page) => page.key).join();
  if (keys === shown.keys && kind === shown.kind) return;
  if (kind === shown.kind && isHeld()) {
    const newer = model.pages.filter((page) => finished(page) > shown.newest && (!kind || page.kind === kind)).length;
    holdWords(newer);
    return;
  }
  holdWords(0);
  Object.assign(shown, { keys, kind, newest: pages.length ? finished(pages[0]) : 0 });
  const known = new Map([...$("pages").children].map((row) => [row.dataset.key, row]));
  $("pages").replaceChildren(...pages.map((page) => known.get(page.key) ?? newRow(page)));
  $("pages-none").hidden = pages.length > 0;
};

const renderFilter = () => {
  for (const number of $("filter").querySelectorAll("small")) {
    const { value } = number.closest("label").firstElementChild;
    text(number, model.pages.filter((page) => page.kind === value).length || "");
  }
};

const isHeld = () => $("detail").open || performance.now() - shown.pointed < rest || $("pages").contains(document.activeElement);

const holdWords = (newer) => {
  const crowded = model.frame.missed > 0 && !model.frame.fixed ? "More come than can be shown: some are left out." : "";
  text($("held-words"), newer > 0 ? `Standing still while you look: ${plural(newer, "newer page")}.` : crowded);
  $("held-show").hidden = newer === 0;
};

const newRow = (page) => {
  const { root, part } = fromTemplate("row");
  const [words, tone] = result(page.result);
  root.dataset.key = page.key;
  root.dataset.tone = page.kind === "slow" ? "warn" : tone;
  root.dataset.kind = page.kind;
  text(part.when, clock(page.at + page.ms));
  const reason = briefly(page, model.fixed.downstreams);
  text(part.answer, [words, page.kind === "slow" && "slow", reason && page.resource === "offer" && "offer"].filter(Boolean).join(", "));
  text(part.why, reason || `${page.resource} ${page.id}`);
  text(part.took, `${millis(page.ms)} ms`);
  drawTrack(part.track, page);
  root.firstElementChild.addEventListener("click", () => openDetail(page));
  return root;
};

$("pages").addEventListener("pointermove", () => (shown.pointed = performance.now()));
$("pages").addEventListener("pointerleave", () => (shown.pointed = -rest));
$("filter").addEventListener("change", renderPages);
$("held-show").addEventListener("click", () => {
  $("pages-title").focus({ preventScroll: true });
  renderPages();
});
$("detail").addEventListener("close", () => renderPages());
