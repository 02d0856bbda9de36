// The stories that the panel tells. Each sets all five faults, and how many others visit meanwhile (so that breakers
// have something to judge by); without `visitors` that stays as it is.

export const presets = [
  {
    key: "healthy",
    title: "Healthy",
    faults: {},
    visitors: 2,
    story: "All five answer within a few dozen milliseconds, and the page has everything.",
  },
  {
    key: "slow-recommendations",
    title: "Slow recommendations",
    faults: { recommendations: { latencyMs: 8000 } },
    visitors: 10,
    story: "Recommendations take 8 s. They are optional: the page comes without them, in time, and soon their breaker opens and nobody waits for them at all.",
  },
  {
    key: "price-outage",
    title: "Price outage",
    faults: { price: { status: 503 } },
    visitors: 10,
    story: "Price is down. The last known price is shown, with its time, for the eyes only: nothing can be bought until a live one is back.",
  },
  {
    key: "stock-outage",
    title: "Stock outage",
    faults: { stock: { status: 503 } },
    visitors: 10,
    story: "Stock is down, and nobody sells what may not be there: visitors read a kind word, and their pages come back by themselves, when the service said and not sooner.",
  },
  {
    key: "retry-storm",
    title: "Retry storm",
    faults: { catalog: { errorRate: 0.5, status: 503, p50Ms: 60, p99Ms: 250 } },
    visitors: 10,
    story: "Half of catalog’s answers are errors, the rest are slow. Retries come from a small budget, and when that does not help its breaker opens: what struggles gets less work, not more.",
  },
  {
    key: "recovery",
    title: "Recovery",
    faults: {},
    story: "Everything is mended, with the visitors still there. Breakers let a few calls probe, then close, and the pages are whole again.",
  },
];
