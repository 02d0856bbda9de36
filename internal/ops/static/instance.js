// The instance itself: its state, its build, what it was configured with.

const states = { serving: ["good", "Ready"], draining: ["warn", "Draining"], stopped: ["bad", "Stopped"] };

/** How far this browser's clock is from UTC, as in UTC+01:00. */
const zone = (at) => new Date(at).toString().replace(/.*GMT([+-]\d\d)(\d\d).*/, "UTC$1:$2");

const renderInstance = (frame) => {
  const { version, revision, started } = model.fixed;
  const [tone, words] = states[frame.state] ?? ["info", frame.state];
  $("state").dataset.tone = tone;
  text($("state"), words);
  const { inFlight, limit, max, queued } = frame.admission;
  facts($("instance"), [
    ["Build", version || "unknown"], ["Revision", revision || "unknown"], ["Started", new Date(started).toISOString()],
    ["Up", lasting(frame.at - started)], ["State", words],
    ["Times", `of this browser, ${zone(started)}; with a Z, UTC`],
    ["In flight", `${count(inFlight)} of ${count(limit)}, ${count(queued)} waiting; never over ${count(max)}`],
  ]);
};

/** What a stream begins with is drawn once. */
const renderFixed = () => {
  const { version, config, slowMs } = model.fixed;
  text($("build"), version);
  text($("slow"), millis(slowMs));
  $("config").replaceChildren(...config.map((line) => make("li", "", line)));
  $("events").replaceChildren();
  $("pages").replaceChildren();
  Object.assign(logged, { last: 0 });
  Object.assign(shown, { keys: null, newest: 0 });
  drawAxis($("axis"));
  drawLegend();
};
