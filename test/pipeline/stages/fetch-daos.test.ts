import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import type { GovernanceSource, SpaceSink } from "../../../pipeline/facts/governance-source.ts";
import type { TrackedDao } from "../../../pipeline/facts/tracked.ts";
import { fetchDaos } from "../../../pipeline/stages/fetch-daos.ts";
import type { FetchPart, ThreadPool } from "../../../pipeline/stages/thread-pool.ts";
import type { FetchRecord } from "../../../pipeline/warehouse/fetches.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { voterListOf } from "../facts/voter-lists.ts";
import { address, ballot, dao, proposal, TOKEN, transfer } from "../warehouse/sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "../warehouse/warehouse-home.ts";
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

describe("room", () => {
  let home: WarehouseHome;

  let warehouse: Warehouse;

  beforeEach(() => {
    home = createWarehouseHome();
    warehouse = home.open();
  });

  afterEach(() => home.remove());

  const page = { series: "0x1", page: 0, payload: "a page", voters: [] };

  /** Fetches of every DAO what `fetch` puts, on a disk with so much room. */
  function fetchWith(
    spaceIds: readonly string[],
    freeBytes: () => number,
    fetch: (sink: SpaceSink) => void,
  ): Promise<readonly FetchRecord[]> {
    return fetchDaos({
      daos: spaceIds.map(dao),
      source: { sourceId: "snapshot-hub", fetchSpace: async (_dao, sink) => fetch(sink) },
      warehouse,
      atOnce: 1,
      effects: {
        nowMs: () => 7,
        runId: "0123456789abcdef",
        freeBytes,
        progress: { step: () => {}, tick: () => {}, warn: () => {} },
      },
    });
  }

  /** Fetches two DAOs of a page and a proposal each, on a disk that takes so many writes before it is nearly full. */
  async function fetchOn(writes: number) {
    let left = writes;
    const freeBytes = () => {
      left -= 1;
      return left < 0 ? 199_999_999 : 200_000_000;
    };
    const records = await fetchWith(["a.eth", "b.eth"], freeBytes, (sink) => {
      sink.memory?.checkpoint(page);
      sink.put({ kind: "proposal", proposal: proposal("0x1") });
      sink.put({ kind: "rejection", file: "votes/0x1", line: 1, code: "ODD", message: "odd" });
    });
    return records.map(({ status, error }) => error?.message ?? status);
  }

  const FULL = "less than 200 MB are free on the disk of the home";

  it.each([
    { why: "there is room", writes: 6, is: ["complete", "complete"] },
    { why: "there is none from the beginning", writes: 0, is: [FULL, FULL] },
    { why: "it goes before a page is kept", writes: 1, is: [FULL, FULL] },
    { why: "it goes before a fact is taken", writes: 2, is: [FULL, FULL] },
    { why: "it goes between two DAOs", writes: 3, is: ["complete", FULL] },
    { why: "it goes during the second", writes: 5, is: ["complete", FULL] },
  ])("what is complete is kept, and nothing else is begun, where $why", async ({ writes, is }) => {
    expect(await fetchOn(writes)).toEqual(is);
    const complete = is.filter((each) => each === "complete").length;
    expect(warehouse.holdings().map((one) => one.spaceId)).toEqual(["a.eth", "b.eth"].slice(0, complete));
  });

  const times = (count: number, put: (n: number) => void): void => {
    for (let n = 0; n < count; n += 1) put(n);
  };

  const proposals = (count: number) => (sink: SpaceSink) =>
    times(count, (n) => sink.put({ kind: "proposal", proposal: proposal(`0x${n}`) }));

  it.each([
    { why: "ten small records", looks: 2, put: proposals(10) },
    { why: "150 of them", looks: 3, put: proposals(150) },
    {
      why: "three ballots of 30,000 votes",
      looks: 3,
      put(sink: SpaceSink) {
        proposals(3)(sink);
        const voters = Array.from({ length: 30_000 }, (_, n) => address(n + 1));
        sink.numberVoters(voterListOf(voters));
        const votes = ballot(sink, "0x0", voters);
        times(3, (n) =>
          sink.put({ kind: "votes", votes: { ...votes, proposalId: `0x${n}` }, isFinal: true }),
        );
      },
    },
    {
      why: "two readings of 4,000 logs",
      looks: 3,
      put: (sink: SpaceSink) =>
        times(2, (n) => {
          const events = Array.from({ length: 4_000 }, (_, at) => transfer(1 + n, at));
          sink.put({ kind: "delegation-events", token: TOKEN, events });
        }),
    },
  ])("the disk is asked once for some megabytes, not for each record: $why", async ({ looks, put }) => {
    let asked = 0;
    const freeBytes = () => {
      asked += 1;
      return 1e12;
    };
    const [record] = await fetchWith(["a.eth"], freeBytes, put);
    expect(record?.error).toBeUndefined();
    expect(asked).toBe(looks);
  });
});

const daos = ["a", "b", "c"].map(
  (spaceId): TrackedDao => ({ spaceId, name: spaceId, category: "defi", governor: undefined }),
);

const source: GovernanceSource = { sourceId: "archive", fetchSpace: () => Promise.reject(new Error("here")) };

const effects = {
  nowMs: () => 7,
  runId: "0",
  progress: { step: () => {}, tick: () => {}, warn: () => {} },
};

const NOTHING = { records: [], voters: undefined };

/** Threads that read a DAO as `work` says: what they hand over is heard as of real ones. */
function threadsThat(
  work: (spaceId: string, hear: (said: FetchPart) => unknown) => Promise<void>,
): ThreadPool {
  return {
    atOnce: 3,
    run: async (task, hear = () => undefined) => {
      if (task.kind === "visit") throw new Error("building fetches nothing");
      await work(task.dao.spaceId, hear);
      return undefined as never;
    },
    close: async () => undefined,
  };
}

describe("fetching in threads", () => {
  it("writes one DAO at a time, in the order of their first records", async () => {
    const fake = fakeWarehouse();
    const order: string[] = [];
    const warehouse: typeof fake = {
      ...fake,
      beginSpaceFetch(attempt) {
        order.push(`${attempt.spaceId} begins`);
        const fetch = fake.beginSpaceFetch(attempt);
        return {
          ...fetch,
          commit() {
            order.push(`${attempt.spaceId} ends`);
            return fetch.commit();
          },
        };
      },
    };
    const threads = threadsThat(async (_, hear) => void (await hear(NOTHING)));
    await fetchDaos({ daos, source, warehouse, effects, atOnce: 1, inThreads: { threads, directory: "" } });
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("ends with the error where the warehouse cannot be opened, and lets nobody wait behind it", async () => {
    const warehouse = {
      ...fakeWarehouse(),
      beginSpaceFetch() {
        throw pipelineFailure("WAREHOUSE_BUSY", "another process is writing to the warehouse");
      },
    };
    const threads = threadsThat(async (_, hear) => void (await hear(NOTHING)));
    const fetched = fetchDaos({
      daos,
      source,
      warehouse,
      effects,
      atOnce: 1,
      inThreads: { threads, directory: "" },
    });
    await expect(fetched).rejects.toMatchObject({ code: "WAREHOUSE_BUSY" });
  });

  it("goes on where a thread ends while its DAO waits for its turn", async () => {
    const warehouse = fakeWarehouse();
    let end: (error: Error) => void = () => undefined;
    const threads = threadsThat((spaceId, hear) => {
      const heard = Promise.resolve(hear(NOTHING)).then(() => undefined);
      if (spaceId !== "b") return heard;
      // What the pool does to the tasks of a thread that dies, while "a" has the turn that "b" waits for.
      const died = new Promise<void>((_, reject) => {
        end = reject;
      });
      queueMicrotask(() => end(new Error("a thread ended with 1")));
      return died;
    });
    const records = await fetchDaos({
      daos,
      source,
      warehouse,
      effects,
      atOnce: 1,
      inThreads: { threads, directory: "" },
    });
    expect(records).toMatchObject([
      { spaceId: "a", status: "complete" },
      { spaceId: "b", status: "failed", error: { code: "UNEXPECTED" } },
      { spaceId: "c", status: "complete" },
    ]);
    expect([...warehouse.ended].sort()).toEqual(["a committed", "b failed", "c committed"]);
  });
});
