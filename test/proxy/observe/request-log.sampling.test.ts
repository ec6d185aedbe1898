import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLog } from "../../../proxy/observe/create-log.ts";
import { createRequestLog } from "../../../proxy/observe/request-log.ts";

/** A log on a clock that is set by hand, and what stands in it: of requests what each line stands for, and other lines. */
function setUp(linesPerSecondMax: number, oneIn: number) {
  const clock = { nowMs: 1_000_000 };
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ write: (line) => void lines.push(JSON.parse(line)) }, "info");
  const { observe, look } = createRequestLog(log, {
    nowMs: () => clock.nowMs,
    onDropped: () => {},
    linesPerSecondMax,
    oneIn,
  });
  const ask = (status: number): number => {
    const before = lines.length;
    observe({
      requestId: "id",
      method: "GET",
      route: "/v1/dgi",
      status,
      keyId: undefined,
      tier: undefined,
      problem: undefined,
      ms: 1,
      isAborted: false,
    });
    const [written] = lines.slice(before).filter(({ msg }) => msg === "request");
    return written === undefined ? 0 : Number(written["sampled"] ?? 1);
  };
  const others = () =>
    lines.filter(({ msg }) => msg !== "request").map(({ level: _level, time: _time, ...line }) => line);
  return { clock, ask, look, others };
}

describe("lines of requests", () => {
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
  ])("$why", ({ statuses, want }) => {
    expect(statuses.map(setUp(3, 3).ask)).toEqual(want);
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
          for (const kind of new Set(weights.map(([each]) => each))) {
            const ofKind = weights.filter(([each]) => each === kind);
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
    clock.nowMs += 5_000;
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
