// The one sentence that somebody who was woken reads first, and what they read next.

/** How pages and offers of the last seconds fared. */
const fared = (results) => {
  const of = (...names) => names.reduce((sum, name) => sum + (results[name] ?? 0), 0);
  return {
    whole: of("full", "not_modified", "not_found"), degraded: of("degraded"),
    failed: of("unavailable", "error", "deadline"), refused: of("shed", "shed_background"),
    "rate-limited": of("rate_limited"), invalid: of("invalid"), "left by the client": of("cancelled"),
  };
};

const failures = (downstream) => {
  const { ok, absent, cancelled, ...others } = downstream.lately.outcomes;
  return total(others);
};

/** The subject of a sentence that is true of n of all pages. */
const pagesOf = (n, all) => (n / all > 0.5 ? "Pages" : n / all < few ? "A few pages" : "Some pages");

/** Whether all that was shed was shed because an operator ordered it. */
const ordered = (shed) => Object.values(shed).every(({ "": letIn, override, ...others }) => total(others) === 0);

/** What to say when nobody gets anything, by what befell them: no objective counts these. */
const turnedAway = {
  "rate-limited": "Every client is refused by its rate limit", invalid: "Every request is invalid", "left by the client": "Every client leaves before it is answered",
};

const nearly = 0.95; // of the pages are whole
const few = 0.01; // of the pages fail

const headline = (frame, all) => {
  const { pages, offers, stale } = frame.lately;
  const { whole, degraded, failed, refused } = fared(pages);
  const answered = whole + degraded + failed;
  const missing = all.filter((d) => !d.critical && failures(d) > (1 - nearly) * total(d.lately.outcomes)).map((d) => d.name);
  const broken = all.filter((d) => d.critical && failures(d) > 0).map((d) => d.name);
  const want = broken.length > 0 ? ` for want of ${listed(broken)}` : "";
  if (failed > 0) {
    return [failed / answered < few ? "warn" : "bad", `${pagesOf(failed, answered)} fail${want}`];
  }
  if (refused + fared(offers).refused > 0) return ["bad", `Requests are refused: ${ordered(frame.lately.shed) ? "an operator has them shed" : "this instance is full"}`];
  if (stale > 0) return ["warn", `${pagesOf(stale, answered)} show remembered prices${missing.length > 0 ? ` and come without ${listed(missing)}` : ""}`];
  if (fared(offers).failed > 0) return ["bad", `Offers fail${want}`];
  if (degraded > 0 && whole / answered >= nearly) return ["warn", "Nearly every page is whole"];
  if (degraded > 0) return ["warn", missing.length > 0 ? `${pagesOf(degraded, answered)} come without ${listed(missing)}` : "Some pages are degraded"];
  if (whole + fared(offers).whole > 0) return ["good", "Every page is whole"];
  const away = Object.keys(turnedAway).filter((word) => fared(pages)[word] + fared(offers)[word] > 0);
  if (away.length > 0) return ["warn", away.length === 1 ? turnedAway[away[0]] : "No request is answered"];
  return ["info", "Nobody asks just now"];
};

const sublines = (frame, all) => {
  const lines = [];
  if (frame.state !== "serving") lines.push(["warn", frame.state === "draining" ? "It drains: not ready, still serving." : "It has stopped serving."]);
  const { pages, offers } = frame.lately;
  const counted = [["pages", pages], ["offers", offers]].flatMap(([name, results]) => {
    const parts = Object.entries(fared(results)).filter(([, n]) => n > 0).map(([word, n]) => `${count(n)} ${word}`);
    return parts.length > 0 ? [`${name} ${parts.join(", ")}`] : [];
  });
  lines.push(["info", `The last ${lasting(model.fixed.latelyMs)}: ${counted.join("; ") || "no page and no offer"}.`]);
  for (const lever of frame.overrides) lines.push(["warn", `${lever.target === "shed" ? "" : `${lever.target}: `}${leverWords(lever)}`]);
  const bought = fared(offers);
  if (bought.failed > 0) lines.push(["bad", bought.whole > 0 ? "Some offers fail: not everything can be bought." : "Every offer fails: nothing can be bought."]);
  for (const d of all.filter((d) => d.breaker !== "closed")) {
    lines.push([d.critical ? "bad" : "warn", `${d.name}: ${breakers[d.breaker].words.toLowerCase()}, ${breakers[d.breaker].then(d.coolDownMs)}.`]);
  }
  const { limit, max } = frame.admission;
  if (limit < max) lines.push(["warn", `The limit is down to ${count(limit)} of ${count(max)}: this process itself is short of time.`]);
  return lines;
};

const renderOverview = (frame, all) => {
  const [tone, words] = headline(frame, all);
  $("headline").dataset.tone = tone;
  text($("headline"), words);
  document.title = `${words} · bff`;
  const lines = sublines(frame, all);
  resize($("sublines"), lines.length, () => make("li"));
  lines.forEach(([tone, words], i) => {
    $("sublines").children[i].dataset.tone = tone;
    text($("sublines").children[i], words);
  });
  const asked = total(frame.lately.pages) + total(frame.lately.offers);
  const uptime = frame.at - model.fixed.started;
  text($("rate"), short(asked / (Math.max(1000, Math.min(uptime, model.fixed.latelyMs)) / 1000)));
  text($("median"), asked ? millis(frame.lately.took.p50) : "–");
  text($("tail"), asked ? millis(frame.lately.took.p99) : "–");
  text($("deadline"), millis(model.fixed.deadlineMs));
  text($("inflight"), count(frame.admission.inFlight));
  text($("limit"), count(frame.admission.limit));
  text($("queue"), frame.admission.queued > 0 ? `${count(frame.admission.queued)} wait` : "");
};
