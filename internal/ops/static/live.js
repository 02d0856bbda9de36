// The stream, and when what it says is drawn.

const again = 5000; // ms until the next try, where the browser does not try by itself
const silence = 3000; // ms after which what is shown may be old

const live = { paused: false, heard: 0, ended: false, begun: false };

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
  const later = () => {
    source.close();
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

$("pause").addEventListener("click", () => {
  live.paused = live.paused ? false : clock(Date.now());
  text($("pause"), live.paused ? "Resume" : "Pause");
  if (!live.paused && model.frame) render();
  renderLive();
});

setInterval(renderLive, 1000);
renderLive();
connect();
