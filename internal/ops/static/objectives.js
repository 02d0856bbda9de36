// Budgets and how fast they burn.

const burnMarks = { ticket: 1, slow: 6, fast: 14.4 };
const burnScale = 18; // what fits
const fewest = 10; // bad answers, in the long window: fewer wake nobody
const windows = ["5m", "1h", "30m", "6h"]; // in pairs, as the alerts take them

/** What the generated alerts would say, were this all that is served: both of their windows must burn, and not by a few answers. */
const burning = ({ burnRates: b, bad }) => {
  const fast = Math.min(b["5m"], b["1h"]) > burnMarks.fast;
  const steadily = Math.min(b["30m"], b["6h"]) > burnMarks.slow;
  if (fast && bad["1h"] >= fewest) return ["bad", "Burns fast, enough to wake somebody."];
  if (steadily && bad["6h"] >= fewest) return ["bad", "Burns steadily, enough to wake somebody."];
  if (fast || steadily) return ["warn", "Burns fast, but of too few answers to wake somebody."];
  if (Math.max(b["5m"], b["30m"]) > burnMarks.ticket) return ["warn", "Burns faster than it lasts."];
  return ["good", ""];
};

const budgetWords = (o) => {
  if (o.valid === 0) return "Nothing counted yet";
  const rest = o.budgetLeft >= 0 ? `${percent(o.budgetLeft)} of the budget left` : `Budget spent ${short(1 - o.budgetLeft)} times over`;
  return `${rest}: ${count(o.good)} of ${count(o.valid)} good`;
};

const worstClient = (o) => {
  const [name, standing] = Object.entries(o.clients ?? {}).reduce((worst, one) => (one[1].burnRates["1h"] > worst[1].burnRates["1h"] ? one : worst), ["", { burnRates: { "1h": burnMarks.ticket } }]);
  return name ? `Worst client: ${name}, ${short(standing.burnRates["1h"])}× in 1 h` : "";
};

const objectiveTiles = new Map(); // by name

const renderObjectives = (report) => {
  text($("since"), `${lasting(report.uptimeSeconds * 1000)} ago`);
  for (const o of report.objectives) {
    if (!objectiveTiles.has(o.name)) {
      const tile = fromTemplate("objective");
      tile.root.id = `objective-${o.name}`;
      objectiveTiles.set(o.name, tile);
      $("objectives").append(tile.root);
    }
    renderObjective(objectiveTiles.get(o.name), o);
  }
};

const renderObjective = ({ root, part }, o) => {
  const [tone, words] = burning(o);
  root.dataset.tone = o.valid === 0 ? "info" : tone;
  part.verdict.hidden = !words;
  text(part.title, o.title);
  text(part.target, `${+(o.objective * 100).toFixed(3)} %`);
  text(part.verdict, words);
  part.left.style.width = `${100 * Math.max(0, o.budgetLeft)}%`;
  text(part["left-words"], budgetWords(o));
  renderBurns(part.burns, o.burnRates);
  text(part.client, worstClient(o));
};

const renderBurns = (list, rates) => {
  resize(list, windows.length, (i) => {
    const item = make("li");
    const scale = make("span", "burn");
    scale.setAttribute("aria-hidden", "true");
    scale.append(make("i"));
    for (const mark of [burnMarks.slow, burnMarks.fast]) {
      const line = make("b");
      line.style.left = `${(100 * mark) / burnScale}%`;
      scale.append(line);
    }
    item.append(make("span", "window", windows[i]), scale, make("span", "rate"));
    return item;
  });
  windows.forEach((name, i) => {
    const rate = rates[name];
    const item = list.children[i];
    item.dataset.tone = rate > burnMarks.fast ? "bad" : rate > burnMarks.ticket ? "warn" : "good";
    item.querySelector("i").style.width = `${Math.min(100, (100 * rate) / burnScale)}%`;
    text(item.lastElementChild, `${short(rate)}×`);
  });
};
