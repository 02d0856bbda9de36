// A page as bars: what was waited for, asked and read, and when.

/** The share of the axis, in percent, at which an instant of a page is. It reaches a tenth past the deadline. */
const along = (ms) => Math.min(100, Math.max(0, (100 * ms) / (1.1 * model.fixed.deadlineMs)));

const barLooks = [
  ["first", "first attempt"], ["retry", "retry"], ["hedge", "hedge"], ["wait", "waiting: for a place, or before a retry"],
  ["shared", "a call that another page began"], ["memory", "remembered price read"], ["refusal", "not asked"],
];
const barTones = [["good", "answered"], ["bad", "failed"], ["info", "given up: no longer needed"]];

/** What one call did, as bars of {look, tone, from, to}. */
const callBars = (call) => {
  const end = call.start + call.ms;
  const bars = [];
  if (call.queuedMs > 0) bars.push({ look: "wait", from: call.start, to: call.start + call.queuedMs });
  let before = null;
  for (const a of call.attempts) {
    const to = a.outcome ? a.start + a.ms : end;
    if (a.kind === "retry" && before !== null) bars.push({ look: "wait", from: before, to: a.start });
    const look = call.coalesced && a.kind === "first" ? "shared" : a.kind;
    bars.push({ look, tone: a.outcome ? outcome(a.outcome)[1] : "info", from: Math.max(a.start, call.start), to });
    before = to;
  }
  if (call.attempts.length === 0 && call.ms > 0 && call.coalesced) bars.push({ look: "shared", tone: outcome(call.outcome)[1], from: call.start, to: end });
  if (["breaker_open", "bulkhead_full"].includes(call.outcome)) bars.push({ look: "refusal", tone: "warn", from: end, to: end });
  return bars;
};

/** All bars of a page, each with its lane: that of its downstream, or -1 for the wait before any work. */
const pageBars = (page) => {
  const bars = page.calls.flatMap((call) => callBars(call).map((bar) => ({ ...bar, lane: call.downstream })));
  if (page.recall) {
    const { start, ms, result } = page.recall;
    bars.push({ look: "memory", tone: result === "hit" ? "good" : "bad", from: start, to: start + ms, lane: 1 });
  }
  if (page.queuedMs > 0) bars.push({ look: "wait", from: 0, to: page.queuedMs, lane: -1 });
  return bars;
};

const barElement = ({ look, tone, from, to }) => {
  const element = make("i", look);
  if (tone) element.dataset.tone = tone;
  place(element, along(from), along(to));
  return element;
};

/** Fills a track with a page's bars, its end, and the deadlines. */
const drawTrack = (track, page) => {
  const deadline = make("b", "deadline");
  deadline.style.left = `${along(model.fixed.deadlineMs)}%`;
  const end = make("b", "end");
  end.style.left = `${along(page.ms)}%`;
  const marks = [deadline, end];
  if (page.allowedMs > 0 && page.allowedMs < model.fixed.deadlineMs) {
    const own = make("b", "deadline own");
    own.style.left = `${along(page.allowedMs)}%`;
    marks.push(own);
  }
  const bars = pageBars(page).map((bar) => {
    const element = barElement(bar);
    element.style.setProperty("--lane", bar.lane);
    return element;
  });
  track.replaceChildren(...marks, ...bars);
};

const drawAxis = (axis) => {
  const { deadlineMs } = model.fixed;
  const step = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((ms) => deadlineMs / ms <= 5);
  const ticks = [];
  for (let ms = 0; ms < deadlineMs - step; ms += step) ticks.push([ms, count(ms)]);
  ticks.push([deadlineMs, `${count(deadlineMs)} ms`]);
  axis.replaceChildren(...ticks.map(([ms, words]) => {
    const tick = make("span", ms === deadlineMs ? "deadline" : "", words);
    tick.style.left = `${along(ms)}%`;
    return tick;
  }));
};

const drawLegend = () => {
  const item = (look, tone, words) => {
    const entry = make("li");
    const sample = make("span", "sample");
    const bar = make("i", look);
    bar.dataset.tone = tone;
    sample.append(bar);
    entry.append(sample, make("span", "", words));
    return entry;
  };
  $("legend").replaceChildren(
    ...barLooks.map(([look, words]) => item(look, look === "refusal" ? "warn" : "good", words)),
    ...barTones.slice(1).map(([tone, words]) => item("first", tone, words)));
  text($("lanes"), listed(model.fixed.downstreams.map((d) => d.name)));
};
