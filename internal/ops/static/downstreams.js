// A tile for each downstream.

const fullTokens = 10; // of a retry budget

const tiles = new Map(); // by name

const renderDownstreams = (all) => {
  for (const d of all) {
    if (!tiles.has(d.name)) {
      const tile = fromTemplate("tile");
      tiles.set(d.name, tile);
      $("tiles").append(tile.root);
    }
    renderTile(tiles.get(d.name), d);
  }
};

const renderTile = ({ root, part }, d) => {
  const breaker = breakers[d.breaker];
  const lever = leverOn(d.name);
  const tone = lever?.mode === "open" ? "bad" : lever && breaker.tone === "good" ? "warn" : breaker.tone;
  root.id = `downstream-${d.name}`;
  root.dataset.tone = tone === "bad" && !d.critical ? "warn" : tone;
  root.dataset.breaker = d.breaker;
  text(part.name, d.name);
  text(part.need, d.critical ? "critical" : "optional");
  text(part.breaker, breaker.words);
  text(part.then, lever?.mode === "open" ? "overridden" : breaker.then(d.coolDownMs));
  text(part.lever, lever ? leverWords(lever) : "");
  renderOutcomes(part.outcomes, part.counts, d.recent.outcomes);
  renderLatency(part, d);
  part.bulkhead.style.width = `${(100 * d.inFlight) / Math.max(1, d.limit)}%`;
  text(part["bulkhead-words"], `${count(d.inFlight)} of ${count(d.limit)} calls at once`);
  [...part.pips.children].forEach((pip, i) => pip.style.setProperty("--full", `${100 * Math.min(1, Math.max(0, d.tokens - i))}%`));
  text(part.tokens, `${d.tokens} of ${fullTokens} retry tokens`);
  const made = Object.entries(attempts).filter(([name]) => d.recent.attempts[name] > 0).map(([name, words]) => plural(d.recent.attempts[name], ...words));
  if (d.recent.coalesced > 0) made.push(`${count(d.recent.coalesced)} shared`);
  text(part.attempts, made.join(", ") || "not asked");
};

const renderOutcomes = (bar, list, counts) => {
  const shown = Object.keys(outcomes).filter((name) => counts[name] > 0);
  const all = Math.max(1, total(counts));
  resize(bar, shown.length, () => make("i"));
  resize(list, Math.max(1, shown.length), () => {
    const item = make("li");
    item.append(make("i"), make("span"));
    return item;
  });
  shown.forEach((name, i) => {
    const [words, tone] = outcome(name);
    bar.children[i].dataset.tone = list.children[i].dataset.tone = tone;
    bar.children[i].style.width = `${(100 * counts[name]) / all}%`;
    text(list.children[i].lastElementChild, `${count(counts[name])} ${words}`);
  });
  if (shown.length === 0) {
    list.firstElementChild.dataset.tone = "info";
    text(list.firstElementChild.lastElementChild, "no calls");
  }
};

const renderLatency = (part, d) => {
  const { p50, p95, p99 } = d.recent.took;
  const deadline = model.fixed.deadlineMs;
  const at = (ms) => Math.min(100, (100 * ms) / deadline);
  part.timeout.style.left = `${at(d.timeoutMs)}%`;
  part.p50.style.left = `${at(p50)}%`;
  part.p99.style.left = `${at(p99)}%`;
  place(part.usual, at(p50), at(p95));
  const known = p99 > 0;
  for (const [name, ms] of Object.entries({ p50, p95, p99 })) text(part[`${name}-ms`], known ? `${millis(ms)} ms` : "–");
  for (const name of ["p50", "p99", "usual"]) part[name].hidden = !known;
  text(part.share, known
    ? `p99 is ${percent(p99 / deadline)} of the deadline; timeout at ${millis(d.timeoutMs)} ms`
    : `timeout at ${millis(d.timeoutMs)} ms of ${millis(deadline)}`);
};
