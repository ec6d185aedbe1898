import { describe, expect, it } from "vitest";
import { createQuotaTally, createRequestTally, type Sample } from "../../../proxy/observe/tally.ts";
import type { FinishedRequest } from "../../../proxy/request/handle-request.ts";

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
