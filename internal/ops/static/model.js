// What is known of the instance: the last frame, and bounded lists of what frames added.

const model = { fixed: null, frame: null, slots: [], pages: [], events: [] };

const finished = (page) => page.at + page.ms;

const learn = (frame) => {
  if (frame.fixed) Object.assign(model, { fixed: frame.fixed, slots: [], pages: [], events: [] });
  model.frame = frame;
  for (const slot of frame.timeline) {
    if (model.slots.at(-1)?.number === slot.number) model.slots.pop(); // it was still under way
    model.slots.push(slot);
  }
  model.slots.splice(0, model.slots.length - model.fixed.slots);
  model.events = [...frame.events.reverse(), ...model.events].slice(0, model.fixed.keptEvents);
  addPages(frame.pages);
};

/** Adds pages, the last finished first, and keeps so many of each kind. */
const addPages = (pages) => {
  const kept = {};
  model.pages = [...pages, ...model.pages]
    .sort((a, b) => finished(b) - finished(a))
    .filter((page) => (kept[page.kind] = (kept[page.kind] ?? 0) + 1) <= model.fixed.keptPages);
};

/** The downstreams as configured, with their state and counts. */
const downstreams = () => model.fixed.downstreams.map((fixed, i) => ({
  ...fixed, ...model.frame.downstreams[i],
  recent: model.frame.recent.downstreams[i], lately: model.frame.lately.downstreams[i],
}));
