import { describe, expect, it } from "vitest";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import type { GovernanceSource } from "../../../pipeline/facts/governance-source.ts";
import type { TrackedDao } from "../../../pipeline/facts/tracked.ts";
import { fetchDaos } from "../../../pipeline/stages/fetch-daos.ts";
import { fakeWarehouse } from "./fake-warehouse.ts";

const tracked = (spaceId: string): TrackedDao => ({
  spaceId,
  name: spaceId,
  category: "defi",
  governor: undefined,
});

/** Fetches these DAOs from a source that breaks off with the error given to each. */
async function fetchFrom(errors: Readonly<Record<string, unknown>>, atOnce = 1) {
  const warehouse = fakeWarehouse();
  const steps: string[] = [];
  const ticks: string[] = [];
  const warnings: { readonly message: string; readonly cause: unknown }[] = [];
  let underWay = 0;
  let mostAtOnce = 0;
  const source: GovernanceSource = {
    sourceId: "archive",
    async fetchSpace({ spaceId }) {
      underWay += 1;
      mostAtOnce = Math.max(mostAtOnce, underWay);
      await Promise.resolve();
      underWay -= 1;
      if (errors[spaceId] !== undefined) throw errors[spaceId];
    },
  };
  const records = fetchDaos({
    daos: Object.keys(errors).map(tracked),
    source,
    warehouse,
    atOnce,
    effects: {
      nowMs: () => 7,
      runId: "0123456789abcdef",
      progress: {
        step: (stage, done, total, spaceId, facts) =>
          steps.push(`${stage} ${done}/${total} ${spaceId}: ${JSON.stringify(facts)}`),
        tick: (stage, spaceId, facts) => ticks.push(`${stage} ${spaceId}: ${JSON.stringify(facts)}`),
        warn: (message, cause) => warnings.push({ message, cause }),
      },
    },
  });
  return { records: await records, steps, ticks, warnings, ended: warehouse.ended, mostAtOnce };
}

describe("fetching DAOs", () => {
  it.each([
    { atOnce: 1, most: 1 },
    { atOnce: 2, most: 2 },
    { atOnce: 9, most: 3 },
  ])("answers in the order it was asked in, $atOnce at once", async ({ atOnce, most }) => {
    const { records, mostAtOnce } = await fetchFrom(
      { c: undefined, a: new Error("x"), b: undefined },
      atOnce,
    );
    expect(records).toMatchObject([{ spaceId: "c" }, { spaceId: "a" }, { spaceId: "b" }]);
    expect(mostAtOnce).toBe(most);
  });

  it("keeps the others when one fails, and says which and why", async () => {
    const broken = pipelineFailure("SOURCE_FAILED", "votes/b.ndjson:3: not JSON");
    const { records, steps, warnings, ended } = await fetchFrom({ a: undefined, b: broken, c: undefined });
    expect(records).toMatchObject([
      { spaceId: "a", status: "complete", fetchedAtMs: 7 },
      {
        spaceId: "b",
        status: "failed",
        error: { code: "SOURCE_FAILED", message: "votes/b.ndjson:3: not JSON" },
      },
      { spaceId: "c", status: "complete" },
    ]);
    expect(ended).toEqual(["a committed", "b failed", "c committed"]);
    expect(steps).toEqual([
      'fetch 1/3 a: {"proposals":0,"votes":0,"logs":0,"source":"archive","wall_ms":0}',
      'fetch 2/3 b: {"error":"SOURCE_FAILED","source":"archive","wall_ms":0}',
      'fetch 3/3 c: {"proposals":0,"votes":0,"logs":0,"source":"archive","wall_ms":0}',
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      "b could not be fetched: votes/b.ndjson:3: not JSON",
    ]);
  });

  it("publishes nothing of what an unforeseen error says, and tells the operator all of it", async () => {
    const secret = new TypeError("EACCES: /home/someone/archive");
    const { records, warnings } = await fetchFrom({ a: secret, b: undefined });
    expect(records).toMatchObject([
      { status: "failed", error: { code: "UNEXPECTED" } },
      { status: "complete" },
    ]);
    expect(JSON.stringify(records)).not.toContain("someone");
    expect(warnings[0]).toEqual({ message: "a: EACCES: /home/someone/archive", cause: secret });
  });

  it("tells what has come of a DAO that is still under way", async () => {
    const { ticks } = await fetchFrom({ a: undefined, b: undefined });
    expect(ticks).toEqual(["fetch a: {}", "fetch b: {}"]);
  });

  it("is done where there is nothing to fetch", async () => {
    expect((await fetchFrom({})).records).toEqual([]);
  });
});

describe("a source that has not changed", () => {
  const dao = tracked("a");
  async function fetchOne(states: readonly (string | undefined)[], known: string, isFull = false) {
    const warehouse = fakeWarehouse({ state: known });
    let asked = 0;
    let reads = 0;
    const source: GovernanceSource = {
      sourceId: "archive",
      stateOf() {
        asked += 1;
        return states[Math.min(asked, states.length) - 1];
      },
      async fetchSpace() {
        reads += 1;
      },
    };
    const progress = { step: () => {}, tick: () => {}, warn: () => {} };
    const effects = { nowMs: () => 7, runId: "0", progress };
    await fetchDaos({ daos: [dao], source, warehouse, atOnce: 1, effects, isFull });
    return { reads, ended: warehouse.ended };
  }

  it.each([
    { states: ["same"], isFull: false, reads: 0, ended: [], why: "it is as it was: nothing is read" },
    { states: ["new"], isFull: false, reads: 1, ended: ["a committed as new"], why: "it is another" },
    { states: ["same"], isFull: true, reads: 1, ended: ["a committed as same"], why: "all is asked for" },
    {
      states: ["new", "newer"],
      isFull: false,
      reads: 1,
      ended: ["a committed"],
      why: "it changed while it was read, so nobody knows which of both was",
    },
    { states: [undefined], isFull: false, reads: 1, ended: ["a committed"], why: "it cannot be told" },
  ])("is read $reads times where $why", async ({ states, isFull, reads, ended }) => {
    expect(await fetchOne(states, "same", isFull)).toEqual({ reads, ended });
  });
});

describe("a source that is away for a while", () => {
  const away = pipelineFailure("SOURCE_FAILED", "hub refused the connection", { isPassing: true });
  const final = pipelineFailure("SOURCE_FAILED", "hub answered 400");

  /** Fetches from a source that fails each DAO as often as given; pauses only advance the clock. */
  async function fetchOften(fails: Readonly<Record<string, readonly Error[]>>, retryMs: number) {
    const left = new Map(Object.entries(fails).map(([spaceId, errors]) => [spaceId, [...errors]]));
    const warehouse = fakeWarehouse();
    const pausesMs: number[] = [];
    const warnings: string[] = [];
    const asked: string[] = [];
    const source: GovernanceSource = {
      sourceId: "snapshot-hub",
      async fetchSpace({ spaceId }) {
        asked.push(spaceId);
        const error = left.get(spaceId)?.shift();
        if (error !== undefined) throw error;
      },
    };
    const records = await fetchDaos({
      daos: Object.keys(fails).map(tracked),
      source,
      warehouse,
      atOnce: 1,
      retryMs,
      effects: {
        nowMs: () => 7,
        pause: async (waitMs) => void pausesMs.push(waitMs),
        runId: "0",
        progress: { step: () => {}, tick: () => {}, warn: (message) => void warnings.push(message) },
      },
    });
    return { status: records.map(({ status }) => status), pausesMs, warnings, asked };
  }

  it("asks again for the DAOs that failed, after the others, with growing pauses", async () => {
    const end = await fetchOften({ a: [away, away], b: [], c: [away] }, 600_000);
    expect(end).toEqual({
      status: ["complete", "complete", "complete"],
      pausesMs: [30_000, 60_000],
      asked: ["a", "b", "c", "a", "c", "a"],
      warnings: [
        "2 DAOs could not be fetched (hub refused the connection); trying again in 30 s",
        "a could not be fetched (hub refused the connection); trying again in 60 s",
      ],
    });
  });

  it.each([
    { why: "the setting allows none", retryMs: 0, pausesMs: [] },
    { why: "the first pause would take longer than the setting", retryMs: 29_999, pausesMs: [] },
    { why: "the setting allows the first pause alone", retryMs: 89_999, pausesMs: [30_000] },
    { why: "the setting allows two", retryMs: 90_000, pausesMs: [30_000, 60_000] },
    { why: "ten minutes", retryMs: 600_000, pausesMs: [30_000, 60_000, 120_000, 240_000] },
  ])("gives up when the pauses are used up, and says so once: $why", async ({ retryMs, pausesMs }) => {
    const end = await fetchOften({ a: Array(9).fill(away) }, retryMs);
    expect([end.status, end.pausesMs]).toEqual([["failed"], pausesMs]);
    expect(end.warnings.at(-1)).toBe("a could not be fetched: hub refused the connection");
    expect(end.warnings).toHaveLength(pausesMs.length + 1);
  });

  it("does not ask again for what was refused for good", async () => {
    const end = await fetchOften({ a: [final, final], b: [away, final] }, 600_000);
    expect(end).toMatchObject({ status: ["failed", "failed"], asked: ["a", "b", "b"], pausesMs: [30_000] });
  });
});
