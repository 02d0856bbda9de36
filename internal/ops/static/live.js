// The stream, and when what it says is drawn.

const again = 5000; // ms until the next try, where the browser does not try by itself
const silence = 3000; // ms after which what is shown may be old
const deaf = 10000; // ms of silence after which a connection that looks well is given up

const live = { paused: false, heard: 0, tried: 0, ended: false, begun: false, source: null };

const render = () => {
  const { frame } = model;
  if (live.begun) renderFixed();
  live.begun = false;
  const all = downstreams();
  renderOverview(frame, all);
  renderTimeline();
  renderDownstreams(all);
  renderObjectives(frame.slo);
  renderPages();
  renderPrices(frame.recent);
  renderShedding(frame.recent);
  renderEvents();
  renderInstance(frame);
};

const renderLive = () => {
  const old = performance.now() - live.heard > silence;
  const [tone, words] = live.paused
    ? ["warn", `Paused at ${live.paused}`]
    : live.ended ? ["bad", "This instance has ended. Trying again"]
    : live.heard === 0 ? ["info", "Connecting"]
    : old ? ["bad", `Not heard since ${clock(model.frame.at)}. Trying again`] : ["good", "Live"];
  $("live").dataset.tone = tone;
  text($("live"), words);
};

const hear = (event) => {
  const frame = JSON.parse(event.data);
  learn(frame);
  Object.assign(live, { heard: performance.now(), ended: false });
  if (frame.fixed) live.begun = true;
  if (!live.paused) render();
  renderLive();
};

const connect = () => {
  const source = new EventSource("ops/events");
  Object.assign(live, { source, tried: performance.now() });
  const later = () => {
    source.close();
    live.source = null;
    setTimeout(connect, again);
    renderLive();
  };
  source.addEventListener("message", hear);
  source.addEventListener("end", () => {
    live.ended = true;
    later();
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) later();
  });
};

/** A network that dropped the connection without a word tells a browser nothing: it would wait for ever. */
const listen = () => {
  if (live.source && performance.now() - Math.max(live.heard, live.tried) > deaf) {
    live.source.close();
    connect();
  }
  renderLive();
};

$("pause").addEventListener("click", () => {
  live.paused = live.paused ? false : clock(Date.now());
  text($("pause"), live.paused ? "Resume" : "Pause");
  if (!live.paused && model.frame) render();
  renderLive();
});

setInterval(listen, 1000);
renderLive();
connect();
