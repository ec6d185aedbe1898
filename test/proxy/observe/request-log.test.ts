import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLog } from "../../../proxy/observe/create-log.ts";
import { createQuotaTally } from "../../../proxy/observe/metrics.ts";
import { createRequestLog, createRequestTally, type Sample } from "../../../proxy/observe/request-log.ts";
import type { FinishedRequest } from "../../../proxy/request/handle-request.ts";

const FINISHED: FinishedRequest = {
  requestId: "0123456789abcdef01234567",
  method: "GET",
  route: "/v1/daos",
  status: 200,
  keyId: undefined,
  tier: undefined,
  problem: undefined,
  ms: 1.23456,
  isAborted: false,
};

const finished = (parts: Partial<FinishedRequest>): FinishedRequest => ({ ...FINISHED, ...parts });

/** A log on a clock that is set by hand, and what stands in it: what each line stands for, and other lines. */
function setUp(linesPerSecondMax: number, oneIn: number, level = "info") {
  const clock = { nowMs: 1_000_000 };
  const lines: Record<string, unknown>[] = [];
  let dropped = 0;
  const log = createLog({ write: (line) => void lines.push(JSON.parse(line)) }, level);
  const { observe, look } = createRequestLog(log, {
    nowMs: () => clock.nowMs,
    onDropped: () => {
      dropped += 1;
    },
    linesPerSecondMax,
    oneIn,
  });
  const ask = (status: number): number => {
    const before = lines.length;
    observe(finished({ status }));
    const [written] = lines.slice(before).filter(({ msg }) => msg === "request");
    return written === undefined ? 0 : Number(written["sampled"] ?? 1);
  };
  const others = () =>
    lines.filter(({ msg }) => msg !== "request").map(({ level: _level, time: _time, ...line }) => line);
  return { clock, lines, observe, ask, look, others, dropped: () => dropped };
}

describe("lines of requests", () => {
  it("hold what is known, and nothing else", () => {
    const { observe, lines } = setUp(3, 3);
    observe(finished({ route: "/v1/entities/:entity_id", keyId: "key_0123456789ab", tier: "pro" }));
    observe(finished({ isAborted: true }));
    const time = expect.any(Number);
    const line = {
      level: 30,
      time,
      reqId: FINISHED.requestId,
      method: "GET",
      status: 200,
      ms: 1.23,
      msg: "request",
    };
    expect(lines).toEqual([
      { ...line, route: "/v1/entities/:entity_id", keyId: "key_0123456789ab" },
      { ...line, route: "/v1/daos", aborted: true },
    ]);
  });

  it.each(["warn", "error", "silent"])("are neither written nor counted at level %s", (level) => {
    const { ask, lines, dropped } = setUp(0, 2, level);
    ask(200);
    expect([lines, dropped()]).toEqual([[], 0]);
  });

  it.each([
    { why: "up to the limit all are written", statuses: [200, 200, 200], want: [1, 1, 1] },
    { why: "then one in three", statuses: Array(9).fill(200), want: [1, 1, 1, 0, 0, 3, 0, 0, 3] },
    { why: "304 and 200 are one kind", statuses: [200, 304, 200, 304], want: [1, 1, 1, 0] },
    { why: "a refusal has lines of its own", statuses: [200, 200, 200, 200, 401], want: [1, 1, 1, 0, 1] },
    { why: "a flood of refusals is thinned out too", statuses: Array(6).fill(401), want: [1, 1, 1, 0, 0, 3] },
    { why: "so are our own when we are busy", statuses: Array(6).fill(503), want: [1, 1, 1, 0, 0, 3] },
    {
      why: "one refusal does not push out another",
      statuses: [401, 401, 401, 401, 429],
      want: [1, 1, 1, 0, 1],
    },
    { why: "our failures are all written", statuses: Array(7).fill(500), want: Array(7).fill(1) },
  ])("$why, and the others are counted", ({ statuses, want }) => {
    const { ask, dropped } = setUp(3, 3);
    expect(statuses.map(ask)).toEqual(want);
    expect(dropped()).toBe(want.filter((lines) => lines === 0).length);
  });

  it("begin anew each second, and when the clock is set back", () => {
    const { clock, ask } = setUp(1, 10);
    expect([ask(200), ask(200)]).toEqual([1, 0]);
    clock.nowMs += 999;
    expect(ask(200)).toBe(0);
    clock.nowMs += 1;
    expect(ask(200)).toBe(1);
    clock.nowMs -= 3_600_000;
    expect(ask(200)).toBe(1);
  });

  it("stand for no more than there was, and for all but the last few", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(200, 304, 401, 403, 429, 500, 503)),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 7 }),
        (statuses, most, oneIn) => {
          const { ask } = setUp(most, oneIn);
          const weights = statuses.map((status) => [status < 400 ? 0 : status, ask(status)] as const);
          for (const kind of new Set(weights.map(([weight]) => weight))) {
            const ofKind = weights.filter(([weight]) => weight === kind);
            const told = ofKind.reduce((sum, [, weight]) => sum + weight, 0);
            expect(told).toBeLessThanOrEqual(ofKind.length);
            expect(told).toBeGreaterThan(ofKind.length - oneIn);
          }
        },
      ),
    );
  });
});

describe("a crowd of refusals", () => {
  const MANY = { status: 429, msg: "many refusals: sampled from here" };

  it("is told when its lines are first thinned out, and with a count when it is over", () => {
    const { clock, ask, look, others } = setUp(3, 100);
    for (let second = 0; second < 4; second += 1) {
      for (let count = 0; count < 10; count += 1) ask(429);
      look();
      clock.nowMs += 1_000;
      look();
    }
    expect(others()).toEqual([MANY]);
    ask(429);
    clock.nowMs += 1_000;
    look();
    look();
    expect(others()).toEqual([MANY, { status: 429, requests: 41, ms: 5_000, msg: "many refusals are over" }]);
  });

  it("is told again when it comes again, and each kind for itself", () => {
    const { clock, ask, look, others } = setUp(1, 100);
    const crowd = () => [401, 401, 429, 429].forEach(ask);
    crowd();
    clock.nowMs += 1_000;
    look();
    expect(others(), "the next second may still belong to it").toHaveLength(2);
    clock.nowMs += 1_000;
    look();
    crowd();
    expect(others().map(({ status }) => status)).toEqual([401, 429, 401, 429, 401, 429]);
  });

  it.each([
    { why: "good answers", status: 200 },
    { why: "failures of ours, which are all written", status: 500 },
  ])("is none: $why", ({ status }) => {
    const { clock, ask, look, others } = setUp(1, 2);
    for (let count = 0; count < 9; count += 1) ask(status);
    clock.nowMs += 5_000;
    look();
    expect(others()).toEqual([]);
  });
});

/** The upper bounds of the classes, each with all values up to it. */
const classes = (samples: readonly Sample[]) =>
  samples.flatMap(({ labels, value }) => (labels?.["le"] === undefined ? [] : [[labels["le"], value]]));
const part = (samples: readonly Sample[], suffix: string) =>
  samples.find((sample) => sample.suffix === suffix)?.value;

describe("createRequestTally", () => {
  it("counts by route, status and tier", () => {
    const tally = createRequestTally();
    for (const tier of ["free", "free", "pro", "enterprise", undefined] as const)
      tally.observe(finished({ tier }));
    tally.observe(finished({ route: "unmatched", status: 404, tier: "free", problem: "route-unknown" }));
    tally.observe(finished({ status: 304, tier: "enterprise" }));
    expect(tally.requests()).toEqual([
      { labels: { route: "/v1/daos", status: "200", tier: "free" }, value: 2 },
      { labels: { route: "/v1/daos", status: "200", tier: "pro" }, value: 1 },
      { labels: { route: "/v1/daos", status: "200", tier: "enterprise" }, value: 1 },
      { labels: { route: "/v1/daos", status: "200", tier: "none" }, value: 1 },
      { labels: { route: "/v1/daos", status: "304", tier: "enterprise" }, value: 1 },
      { labels: { route: "unmatched", status: "404", tier: "free" }, value: 1 },
    ]);
  });

  it.each([
    { why: "no time at all", ms: 0, within: "0.0005" },
    { why: "on a bound: within", ms: 0.5, within: "0.0005" },
    { why: "above a bound", ms: 0.51, within: "0.001" },
    { why: "the last bound", ms: 5000, within: "5" },
    { why: "beyond every bound", ms: 60_000, within: "+Inf" },
  ])("puts $ms ms into the class up to $within: $why", ({ ms, within }) => {
    const tally = createRequestTally();
    tally.observe(finished({ ms }));
    const samples = tally.seconds();
    expect(classes(samples)).toHaveLength(12);
    expect(classes(samples).find(([, value]) => value === 1)?.[0]).toBe(within);
    expect([part(samples, "_sum"), part(samples, "_count")]).toEqual([ms / 1000, 1]);
    for (const { labels } of samples) expect(labels).toMatchObject({ route: "/v1/daos" });
  });

  it("counts refusals by what they ran into", () => {
    const tally = createRequestTally();
    tally.observe(finished({ status: 401, problem: "key-missing" }));
    for (let n = 0; n < 2; n += 1)
      tally.observe(finished({ route: "unmatched", status: 400, problem: "request-malformed" }));
    expect(tally.refusals()).toEqual([
      { labels: { code: "MISSING_API_KEY", situation: "key-missing" }, value: 1 },
      { labels: { code: "INVALID_REQUEST", situation: "request-malformed" }, value: 2 },
    ]);
  });
});

it("createQuotaTally counts commits by their size", () => {
  const { units, failures } = createQuotaTally();
  for (const size of [1, 3, 300]) units.observe(size);
  expect([part(units.samples(), "_count"), part(units.samples(), "_sum"), failures]).toEqual([3, 304, 0]);
  expect(classes(units.samples())).toEqual([
    ["1", 1],
    ["2", 1],
    ...["4", "8", "16", "32", "64", "128", "256"].map((bound) => [bound, 2]),
    ["+Inf", 3],
  ]);
});
