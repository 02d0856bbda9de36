// The last five minutes: what was answered above the line, what was not below it, and marks where something happened.

const tall = { up: 44, down: 18 };

const renderTimeline = () => {
  const { slots: many, slotMs } = model.fixed;
  const newest = model.slots.at(-1)?.number ?? 0;
  const up = Math.max(1, ...model.slots.map((s) => s.whole + s.less));
  const down = Math.max(1, ...model.slots.map((s) => s.failed + s.refused));
  const scale = Math.min(tall.up / up, tall.down / down);
  const paths = { whole: "", less: "", failed: "", refused: "" };
  const column = (name, x, from, height) => {
    if (height !== 0) paths[name] += `M${x} ${from}h.8v${height}h-.8z`;
  };
  for (const s of model.slots) {
    const x = many - 1 - (newest - s.number) + 0.1;
    column("whole", x, tall.up, -s.whole * scale);
    column("less", x, tall.up - s.whole * scale, -s.less * scale);
    column("failed", x, tall.up, s.failed * scale);
    column("refused", x, tall.up + s.failed * scale, s.refused * scale);
  }
  const svg = $("timeline");
  svg.setAttribute("viewBox", `0 0 ${many} ${tall.up + tall.down}`);
  for (const [name, d] of Object.entries(paths)) svg.querySelector(`.${name}`).setAttribute("d", d);
  svg.querySelector(".base").setAttribute("d", `M0 ${tall.up}H${many}`);
  renderMarks(svg.querySelector(".marks"), many, slotMs);
  renderTimelineWords();
};

const renderMarks = (group, many, slotMs) => {
  const marks = model.events
    .map((event) => ({ event, x: many - (model.frame.at - event.at) / slotMs }))
    .filter(({ event, x }) => x > 0 && event.tone !== "info");
  resize(group, marks.length, () => document.createElementNS("http://www.w3.org/2000/svg", "path"));
  marks.forEach(({ event, x }, i) => {
    group.children[i].dataset.tone = event.tone;
    group.children[i].setAttribute("d", `M${x.toFixed(2)} 0V${tall.up + tall.down}`);
  });
};

const timelineParts = [["whole", "whole"], ["less", "degraded"], ["failed", "failed"], ["refused", "refused"]];

const renderTimelineWords = () => {
  const words = $("timeline-words");
  resize(words, timelineParts.length, (i) => {
    const part = make("span");
    part.append(make("i", timelineParts[i][0]), make("span"));
    return part;
  });
  timelineParts.forEach(([name, word], i) => {
    const n = model.slots.reduce((sum, s) => sum + s[name], 0);
    text(words.children[i].lastElementChild, `${count(n)} ${word}`);
  });
};
