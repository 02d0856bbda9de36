// Remembered prices, shedding, and the log of events.

const pricesNow = ({ stale, oldestMs, recalls: read, pages }) => {
  if (stale > 0) return ["warn", `${plural(stale, "page")} of ${count(total(pages))} showed one, the oldest ${lasting(oldestMs)} old.`];
  if (total(read) > 0) return ["warn", "None was shown, though it was asked for."];
  return total(pages) > 0 ? ["good", "Every price shown was live."] : ["info", "No price was shown."];
};

const renderPrices = (minute) => {
  const { recalls: read, learned } = minute;
  const [tone, words] = pricesNow(minute);
  text($("prices-now"), words);
  $("prices-now").dataset.tone = tone;
  const counted = (counts) => Object.entries(recalls).filter(([name]) => counts[name] > 0).map(([name, word]) => `${count(counts[name])} ${word}`).join(", ");
  facts($("prices"), [["Asked for", counted(read) || "none"], ["Learned", counted(learned) || "none"]]);
};

const priorities = [["critical", "offers"], ["default", "pages"], ["background", "crawlers"]];

const renderShedding = ({ shed, pages, offers }) => {
  resize($("shedding"), priorities.length, (i) => {
    const row = make("tr");
    const name = make("th");
    name.scope = "row";
    name.append(priorities[i][0], " ", make("span", "quiet", priorities[i][1]));
    row.append(name, make("td"), make("td"));
    return row;
  });
  priorities.forEach(([name], i) => {
    const { "": letIn = 0, ...refused } = shed[name] ?? {};
    const row = $("shedding").children[i];
    row.dataset.tone = total(refused) > 0 ? "bad" : "good";
    text(row.children[1], count(letIn));
    const reasons = Object.entries(refused).map(([reason, n]) => `${count(n)} ${shedReasons[reason] ?? reason}`);
    text(row.children[2], reasons.join(", ") || "0");
  });
  const lever = leverOn("shed");
  text($("shed-lever"), lever ? leverWords(lever) : "");
  const limited = (pages.rate_limited ?? 0) + (offers.rate_limited ?? 0);
  text($("limited"), limited > 0 ? `${plural(limited, "request")} refused by a client’s rate limit.` : "");
};

const logged = { last: 0 };

const renderEvents = () => {
  const list = $("events");
  const first = list.children.length === 0;
  if (first) list.setAttribute("aria-live", "off"); // what has long happened is not announced
  const fresh = model.events.filter((event) => event.number > logged.last);
  list.prepend(...fresh.map((event) => {
    const item = make("li");
    item.dataset.tone = event.tone;
    const at = make("time", "", clock(event.at));
    at.dateTime = new Date(event.at).toISOString();
    item.append(at, make("i"), make("span", "", event.text));
    return item;
  }));
  while (list.children.length > model.fixed.keptEvents) list.lastElementChild.remove();
  logged.last = model.events[0]?.number ?? 0;
  if (first) requestAnimationFrame(() => list.setAttribute("aria-live", "polite"));
};
