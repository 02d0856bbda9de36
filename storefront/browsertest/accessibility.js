(() => {
  for (const a of document.getAnimations()) if (a.effect.getComputedTiming().endTime !== Infinity) a.finish(); // judge what stays
  const findings = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const visible = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const hiddenFromReaders = (e) => e.closest("[aria-hidden='true']") !== null;
  const where = (e) => `<${e.tagName.toLowerCase()}${e.id ? ` id=${e.id}` : ""}${e.getAttribute("class") ? ` class=${e.getAttribute("class")}` : ""}> “${(e.textContent ?? "").trim().slice(0, 40)}”`;
  const find = (rule, e) => findings.push(`${rule}: ${where(e)}`);

  // Names.
  const labelText = (label) => {
    const copy = label.cloneNode(true);
    for (const control of copy.querySelectorAll("input, select, textarea, button")) control.remove();
    return copy.textContent;
  };
  const named = (e) => {
    const by = (e.getAttribute("aria-labelledby") ?? "").split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join("");
    const labels = [...(e.labels ?? [])].map(labelText).join("");
    const own = e.matches("input, select, textarea") ? "" : e.textContent;
    return [by, e.getAttribute("aria-label"), labels, own].some((text) => text?.trim());
  };
  for (const e of all("a[href], button, input, select, textarea, summary").filter(visible)) if (!named(e)) find("a control without a name", e);
  for (const e of all("img").filter(visible)) if (!e.hasAttribute("alt")) find("a picture without an alternative", e);
  for (const e of all("svg").filter(visible)) if (!hiddenFromReaders(e) && !(e.getAttribute("role") === "img" && e.getAttribute("aria-label"))) find("a drawing without a name that is not hidden", e);
  for (const e of all("main, aside, nav, section[aria-labelledby]").filter(visible)) if (e.tagName !== "MAIN" && !e.hasAttribute("aria-label") && !e.hasAttribute("aria-labelledby")) find("a landmark without a name", e);

  // The document.
  if (!document.documentElement.lang) findings.push("the document has no language");
  if (!document.title.trim()) findings.push("the document has no title");
  if (all("main").filter(visible).length !== 1) findings.push("there is not exactly one main");

  // Headings.
  const headings = all("h1, h2, h3, h4, h5, h6").filter(visible);
  if (headings.filter((h) => h.tagName === "H1").length !== 1) findings.push("there is not exactly one h1");
  let level = 0;
  for (const h of headings) {
    const own = Number(h.tagName[1]);
    if (own > level + 1) find(`a heading that skips from ${level} to ${own}`, h);
    if (!h.textContent.trim()) find("an empty heading", h);
    level = own;
  }

  // Ids, and what refers to them.
  const ids = all("[id]").map((e) => e.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) findings.push(`the id ${id} is there more than once`);
  for (const attribute of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
    for (const e of all(`[${attribute}]`)) {
      for (const id of e.getAttribute(attribute).split(/\s+/)) if (!document.getElementById(id)) find(`${attribute} names ${id}, which is nowhere`, e);
    }
  }

  // Targets: 24 by 24 (or the label's, which is as good to hit).
  for (const e of all("button, input, select").filter(visible)) {
    const areas = [e, ...(e.labels ?? [])].map((x) => x.getBoundingClientRect());
    if (!areas.some((r) => r.width >= 24 && r.height >= 24 - 0.5)) find("a target under 24 by 24 pixels", e);
  }

  // Contrast of every visible text, against the colours beneath it.
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const parse = (color) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((c, i) => c * a + under[i] * (1 - a)).concat(1);
  const beneath = (e) => {
    const layers = [];
    for (let x = e; x; x = x.parentElement) layers.push(parse(getComputedStyle(x).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255, 1]);
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, two) => {
    const [low, high] = [luminance(one), luminance(two)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const opacity = (e) => (e ? Number(getComputedStyle(e).opacity) * opacity(e.parentElement) : 1);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const judged = new Set();
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || judged.has(e) || !visible(e) || e.closest("svg, script, style, option, .visually-hidden, .skip")) continue;
    judged.add(e);
    const style = getComputedStyle(e);
    const [r, g, b, a] = parse(style.color);
    const back = beneath(e);
    const ratio = contrast(over([r, g, b, a * opacity(e)], back), back);
    if (ratio < 4.5) find(`a contrast of ${ratio.toFixed(2)}`, e);
  }
  return findings;
})()
