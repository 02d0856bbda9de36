// One page with everything that is known of it.

const attemptWords = (a) => {
  const kind = { first: "first attempt", retry: "retry", hedge: "hedge" }[a.kind] ?? a.kind;
  const from = a.start < 0 ? "begun before this page" : `at ${millis(a.start)} ms`;
  return a.outcome ? `${kind} ${from}: ${outcome(a.outcome)[0]} after ${millis(a.ms)} ms` : `${kind} ${from}: still under way when the page ended`;
};

const callWords = (call) => {
  const asked = call.attempts.length > 0 || call.coalesced;
  const lines = [asked ? `${outcome(call.outcome)[0]} after ${millis(call.ms)} ms` : outcome(call.outcome)[0]];
  if (call.coalesced) lines.push("shared a call that another page had begun");
  if (call.queuedMs > 0) lines.push(`${millis(call.queuedMs)} ms of it waiting for a place`);
  if (call.attempts.length > 1 || (call.attempts.length === 1 && call.attempts[0].outcome !== call.outcome)) lines.push(...call.attempts.map(attemptWords));
  if (!asked && call.outcome === "ok") lines.push("a good answer of a moment ago, used again");
  if (call.retryAfterMs > 0) lines.push(`ask again in ${seconds(call.retryAfterMs)}`);
  return lines;
};

const lane = (name, bars, lines) => {
  const item = make("li");
  const track = make("span", "track");
  track.setAttribute("aria-hidden", "true");
  const deadline = make("b", "deadline");
  deadline.style.left = `${along(model.fixed.deadlineMs)}%`;
  track.append(deadline, ...bars.map(barElement));
  const words = make("span", "words");
  words.append(...lines.map((line) => make("span", "", line)));
  item.append(make("span", "name", name), track, words);
  return item;
};

const lanesOf = (page) => {
  const lanes = page.calls.map((call) => lane(model.fixed.downstreams[call.downstream].name, callBars(call), callWords(call)));
  if (page.recall) {
    const { result, start, ms } = page.recall;
    const bar = { look: "memory", tone: result === "hit" ? "good" : "bad", from: start, to: start + ms };
    lanes.push(lane("remembered price", [bar], [`${recalls[result] ?? result} after ${millis(ms)} ms`]));
  }
  if (page.queuedMs > 0) lanes.unshift(lane("queue", [{ look: "wait", from: 0, to: page.queuedMs }], [`waited ${millis(page.queuedMs)} ms to be let in`]));
  return lanes;
};

const openDetail = (page) => {
  const [word] = result(page.result);
  text($("detail-title"), `${word}: ${page.resource} ${page.id || "without an id"}`);
  text($("detail-why"), why(page, model.fixed.downstreams));
  $("detail-why").hidden = !$("detail-why").textContent;
  drawAxis($("detail-axis"));
  $("detail-lanes").replaceChildren(...lanesOf(page));
  facts($("detail-facts"), [
    ["Request id", page.requestId], ["Trace id", page.traceId || "none"], ["Product id", page.id || "not allowed"],
    ["Answer", `${page.status || "none"}, ${page.result}`], ["Took", `${millis(page.ms)} of ${millis(page.allowedMs)} ms`],
    ["Began", new Date(page.at).toISOString()], ["Priority", page.priority], ["Client", page.client], ["Market", page.market],
  ]);
  $("detail").showModal();
};

$("detail").addEventListener("click", (event) => {
  if (event.target === $("detail")) $("detail").close(); // beside it
});
