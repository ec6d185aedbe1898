import { describe, expect, it } from "vitest";
import { PipelineError } from "../../../pipeline/facts/errors.ts";
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
    const broken = new PipelineError("SOURCE_FAILED", "votes/b.ndjson:3: not JSON");
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
