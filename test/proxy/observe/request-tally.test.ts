import { describe, expect, it } from "vitest";
import { createRequestTally, DURATION_BOUNDS_SECONDS } from "../../../proxy/observe/request-tally.ts";
import type { FinishedRequest } from "../../../proxy/request/finished-request.ts";

const finished = (parts: Partial<FinishedRequest>): FinishedRequest => ({
  requestId: "r",
  method: "GET",
  route: "/v1/daos",
  status: 200,
  keyId: undefined,
  tier: undefined,
  problem: undefined,
  ms: 1,
  isAborted: false,
  ...parts,
});

describe("createRequestTally", () => {
  it("counts by route, status and tier", () => {
    const tally = createRequestTally();
    for (const tier of ["free", "free", "pro", "enterprise", undefined] as const)
      tally.observe(finished({ tier }));
    tally.observe(finished({ route: "unmatched", status: 404, tier: "free", problem: "route-unknown" }));
    tally.observe(finished({ status: 304, tier: "enterprise" }));
    expect(tally.counts()).toEqual([
      { route: "/v1/daos", status: 200, tier: "free", count: 2 },
      { route: "/v1/daos", status: 200, tier: "pro", count: 1 },
      { route: "/v1/daos", status: 200, tier: "enterprise", count: 1 },
      { route: "/v1/daos", status: 200, tier: "none", count: 1 },
      { route: "/v1/daos", status: 304, tier: "enterprise", count: 1 },
      { route: "unmatched", status: 404, tier: "free", count: 1 },
    ]);
  });

  it.each([
    { why: "no time at all", ms: 0, at: 0 },
    { why: "on a bound: within", ms: 0.5, at: 0 },
    { why: "above a bound", ms: 0.51, at: 1 },
    { why: "the last bound", ms: 5000, at: 10 },
    { why: "beyond every bound", ms: 60_000, at: 11 },
  ])("puts $ms ms into class $at: $why", ({ ms, at }) => {
    const tally = createRequestTally();
    tally.observe(finished({ ms }));
    const [times] = tally.times();
    expect(times?.perClass).toHaveLength(DURATION_BOUNDS_SECONDS.length + 1);
    expect(times?.perClass.indexOf(1)).toBe(at);
    expect(times?.sumSeconds).toBe(ms / 1000);
  });

  it("counts refusals by what they ran into", () => {
    const tally = createRequestTally();
    tally.observe(finished({ status: 401, problem: "key-missing" }));
    for (let n = 0; n < 2; n += 1)
      tally.observe(finished({ route: "unmatched", status: 400, problem: "request-malformed" }));
    expect([...tally.refusals()]).toEqual([
      ["key-missing", 1],
      ["request-malformed", 2],
    ]);
  });

  it("never grows without end, whatever routes are called", () => {
    const tally = createRequestTally();
    for (let n = 0; n < 1000; n += 1) tally.observe(finished({ route: `/v1/${n}` }));
    expect(tally.times().length).toBe(65);
    expect(tally.counts().find(({ route }) => route === "other")?.count).toBe(1000 - 64);
  });
});
