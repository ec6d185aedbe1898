import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import type { GovernanceSource, SpaceSink } from "../../../pipeline/facts/governance-source.ts";
import { fetchDaos } from "../../../pipeline/stages/fetch-daos.ts";
import type { ThreadPool } from "../../../pipeline/stages/thread-pool.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { voterListOf } from "../facts/sample-votes.ts";
import { recordedEffects } from "../home/test-home.ts";
import { address, ballot, dao, proposal, TOKEN, transfer } from "../warehouse/sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "../warehouse/warehouse-home.ts";
import { fakeWarehouse } from "./fake-warehouse.ts";

type FetchInput = Parameters<typeof fetchDaos>[0];

/** Fetches DAOs with these ids from a source that does `fetchSpace` for each; returns what was recorded and reported. */
async function fetchFrom(
  spaceIds: readonly string[],
  fetchSpace: GovernanceSource["fetchSpace"],
  more: Partial<Omit<FetchInput, "effects">> &
    Pick<Partial<GovernanceSource>, "stateOf"> & { effects?: Partial<FetchInput["effects"]> } = {},
) {
  const { stateOf, effects: change, ...rest } = more;
  const { effects, ...reported } = recordedEffects(change);
  const records = await fetchDaos({
    daos: spaceIds.map((spaceId) => ({ ...dao(spaceId), governor: undefined })),
    source: { sourceId: "archive", fetchSpace, ...(stateOf && { stateOf }) },
    warehouse: fakeWarehouse(),
    effects,
    atOnce: 1,
    ...rest,
  });
  return { records, ...reported };
}

describe("fetching DAOs", () => {
  it.each([
    { atOnce: 1, most: 1 },
    { atOnce: 2, most: 2 },
    { atOnce: 9, most: 3 },
  ])("returns records in the order of the DAOs, $atOnce at once", async ({ atOnce, most }) => {
    let running = 0;
    let mostRunning = 0;
    const fetchSpace = async () => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await Promise.resolve();
      running -= 1;
    };
    const { records } = await fetchFrom(["c", "a", "b"], fetchSpace, { atOnce });
    expect(records.map(({ spaceId }) => spaceId)).toEqual(["c", "a", "b"]);
    expect(mostRunning).toBe(most);
  });

  it("keeps the others when one fails, and reports which and why", async () => {
    const warehouse = fakeWarehouse();
    const message = "votes/b.ndjson:3: not JSON";
    const fetchSpace = async ({ spaceId }: { spaceId: string }) => {
      if (spaceId === "b") throw pipelineFailure("SOURCE_FAILED", message);
    };
    const { records, steps, ticks, warnings } = await fetchFrom(["a", "b", "c"], fetchSpace, { warehouse });
    expect(records).toMatchObject([
      { spaceId: "a", status: "complete", fetchedAtMs: 7 },
      { spaceId: "b", status: "failed", error: { code: "SOURCE_FAILED", message } },
      { spaceId: "c", status: "complete" },
    ]);
    expect(warehouse.ended).toEqual(["a committed", "b failed", "c committed"]);
    const complete = { proposals: 0, votes: 0, logs: 0, source: "archive", wall_ms: 0 };
    expect(steps).toEqual([
      ["fetch", 1, 3, "a", complete],
      ["fetch", 2, 3, "b", { error: "SOURCE_FAILED", source: "archive", wall_ms: 0 }],
      ["fetch", 3, 3, "c", complete],
    ]);
    expect(ticks, "each DAO is named when its fetch begins").toEqual([
      ["fetch", "a", {}],
      ["fetch", "b", {}],
      ["fetch", "c", {}],
    ]);
    expect(warnings).toEqual([`b could not be fetched: ${message}`]);
  });

  it("publishes no text of an unexpected error, and shows all of it to the operator", async () => {
    const secret = new TypeError("EACCES: /home/someone/archive");
    const { records, warnings, causes } = await fetchFrom(["a"], () => Promise.reject(secret));
    expect(records).toMatchObject([{ status: "failed", error: { code: "UNEXPECTED" } }]);
    expect(JSON.stringify(records)).not.toContain("someone");
    expect([warnings[0], causes[0]]).toEqual(["a: EACCES: /home/someone/archive", secret]);
  });

  it.each([
    { why: "it is unchanged", states: ["same"], reads: 0, ended: [] },
    { why: "it changed", states: ["new"], reads: 1, ended: ["a committed as new"] },
    { why: "all is requested", states: ["same"], isFull: true, reads: 1, ended: ["a committed as same"] },
    { why: "it changes while it is read", states: ["new", "newer"], reads: 1, ended: ["a committed"] },
    { why: "it has no state", states: [undefined], reads: 1, ended: ["a committed"] },
  ])("reads a source $reads times when $why", async ({ states, isFull = false, reads, ended }) => {
    const warehouse = fakeWarehouse("same");
    const left = [...states];
    const stateOf = () => (left.length > 1 ? left.shift() : left[0]);
    let done = 0;
    const fetchSpace = async () => {
      done += 1;
    };
    await fetchFrom(["a"], fetchSpace, { warehouse, stateOf, isFull });
    expect([done, warehouse.ended]).toEqual([reads, ended]);
  });
});

describe("a source that is away for a while", () => {
  const away = pipelineFailure("SOURCE_FAILED", "hub refused the connection", { isPassing: true });
  const final = pipelineFailure("SOURCE_FAILED", "hub answered 400");

  /** Fetches from a source that fails each DAO with these errors, one after the other; pauses take no time. */
  async function fetchOften(errors: Readonly<Record<string, readonly Error[]>>, retryMs: number) {
    const left = new Map(Object.entries(errors).map(([spaceId, list]) => [spaceId, [...list]]));
    const pausesMs: number[] = [];
    const asked: string[] = [];
    const fetchSpace = async ({ spaceId }: { spaceId: string }) => {
      asked.push(spaceId);
      const error = left.get(spaceId)?.shift();
      if (error !== undefined) throw error;
    };
    const pause = async (waitMs: number) => void pausesMs.push(waitMs);
    const fetched = await fetchFrom(Object.keys(errors), fetchSpace, { retryMs, effects: { pause } });
    const status = fetched.records.map((record) => record.status);
    return { status, pausesMs, warnings: fetched.warnings, asked };
  }

  it("tries failed DAOs again, after the others, with growing pauses", async () => {
    expect(await fetchOften({ a: [away, away], b: [], c: [away] }, 600_000)).toEqual({
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
  ])("gives up when the pauses are used up, and reports it once: $why", async ({ retryMs, pausesMs }) => {
    const end = await fetchOften({ a: Array(9).fill(away) }, retryMs);
    expect([end.status, end.pausesMs]).toEqual([["failed"], pausesMs]);
    expect(end.warnings.at(-1)).toBe("a could not be fetched: hub refused the connection");
    expect(end.warnings).toHaveLength(pausesMs.length + 1);
  });

  it("does not try again what was refused for good", async () => {
    const end = await fetchOften({ a: [final, final], b: [away, final] }, 600_000);
    expect(end).toMatchObject({ status: ["failed", "failed"], asked: ["a", "b", "b"], pausesMs: [30_000] });
  });
});

describe("free disk space", () => {
  let home: WarehouseHome;
  let warehouse: Warehouse;
  beforeEach(() => {
    home = createWarehouseHome();
    warehouse = home.open();
  });
  afterEach(() => home.remove());

  const FULL = "less than 200 MB are free on the disk of the home";
  const page = { series: "0x1", page: 0, payload: "a page", voters: [] };

  it.each([
    { why: "there is enough", looks: 6, is: ["complete", "complete"] },
    { why: "there is none from the beginning", looks: 0, is: [FULL, FULL] },
    { why: "it runs out before a page is kept", looks: 1, is: [FULL, FULL] },
    { why: "it runs out before a record is taken", looks: 2, is: [FULL, FULL] },
    { why: "it runs out between two DAOs", looks: 3, is: ["complete", FULL] },
    { why: "it runs out during the second", looks: 5, is: ["complete", FULL] },
  ])("keeps complete DAOs and begins no other when $why", async ({ looks, is }) => {
    let left = looks;
    const freeBytes = () => {
      left -= 1;
      return left < 0 ? 199_999_999 : 200_000_000;
    };
    const fetchSpace = async (_dao: unknown, sink: SpaceSink) => {
      sink.memory?.checkpoint(page);
      sink.put({ kind: "proposal", proposal: proposal("0x1") });
      sink.put({ kind: "rejection", file: "votes/0x1", line: 1, code: "ODD", message: "odd" });
    };
    const source: GovernanceSource = { sourceId: "snapshot-hub", fetchSpace };
    const { records } = await fetchFrom(["a.eth", "b.eth"], fetchSpace, {
      source,
      warehouse,
      effects: { freeBytes },
    });
    expect(records.map(({ status, error }) => error?.message ?? status)).toEqual(is);
    const complete = is.filter((each) => each === "complete").length;
    expect(warehouse.holdings().map((one) => one.spaceId)).toEqual(["a.eth", "b.eth"].slice(0, complete));
  });

  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  const proposals = (count: number) => (sink: SpaceSink) => {
    for (const n of numbers(count)) sink.put({ kind: "proposal", proposal: proposal(`0x${n}`) });
  };

  it.each([
    { why: "ten small records", looks: 2, put: proposals(10) },
    { why: "150 of them", looks: 3, put: proposals(150) },
    {
      why: "three ballots of 30,000 votes",
      looks: 3,
      put(sink: SpaceSink) {
        proposals(3)(sink);
        const voters = numbers(30_000).map((n) => address(n + 1));
        sink.numberVoters(voterListOf(voters));
        const votes = ballot(sink, "0x0", voters);
        for (const n of numbers(3))
          sink.put({ kind: "votes", votes: { ...votes, proposalId: `0x${n}` }, isFinal: true });
      },
    },
    {
      why: "two readings of 4,000 logs",
      looks: 3,
      put(sink: SpaceSink) {
        for (const n of numbers(2)) {
          const events = numbers(4_000).map((at) => transfer(1 + n, at));
          sink.put({ kind: "delegation-events", token: TOKEN, events });
        }
      },
    },
  ])("is checked once for some megabytes, not for each record: $why", async ({ looks, put }) => {
    let asked = 0;
    const freeBytes = () => {
      asked += 1;
      return 1e12;
    };
    const daos = [dao("a.eth")];
    const fetched = await fetchFrom([], async (_dao, sink) => put(sink), {
      daos,
      warehouse,
      effects: { freeBytes },
    });
    expect(fetched.records[0]?.error).toBeUndefined();
    expect(asked).toBe(looks);
  });
});

describe("fetching in threads", () => {
  const SPACES = ["a", "b", "c"];

  /** Threads that do `work` for each DAO and hand over its parts. */
  const threadsThat = (work: (spaceId: string, handOver: () => Promise<unknown>) => Promise<unknown>) => {
    const threads: ThreadPool = {
      atOnce: 3,
      async run(task, onPart = () => undefined) {
        if (task.kind === "visit") throw new Error("building fetches nothing");
        await work(task.dao.spaceId, async () => onPart({ records: [], voters: undefined }));
        return undefined as never;
      },
      close: async () => undefined,
    };
    return { inThreads: { threads, directory: "" } };
  };
  const plain = threadsThat((_spaceId, handOver) => handOver());
  const inMainThread = () => Promise.reject(new Error("not in a thread"));

  it("writes one DAO at a time, in the order of their first records", async () => {
    const fake = fakeWarehouse();
    const order: string[] = [];
    const warehouse: FetchInput["warehouse"] = {
      ...fake,
      beginSpaceFetch(attempt) {
        order.push(`${attempt.spaceId} begins`);
        const fetch = fake.beginSpaceFetch(attempt);
        const commit = () => {
          order.push(`${attempt.spaceId} ends`);
          return fetch.commit();
        };
        return { ...fetch, commit };
      },
    };
    await fetchFrom(SPACES, inMainThread, { warehouse, ...plain });
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("ends with the error if the warehouse cannot be opened, and lets no DAO wait for it", async () => {
    const busy = pipelineFailure("WAREHOUSE_BUSY", "another process is writing to the warehouse");
    const beginSpaceFetch = () => {
      throw busy;
    };
    const warehouse = { ...fakeWarehouse(), beginSpaceFetch };
    await expect(fetchFrom(SPACES, inMainThread, { warehouse, ...plain })).rejects.toBe(busy);
  });

  it("continues when a thread ends while its DAO waits for its turn", async () => {
    const warehouse = fakeWarehouse();
    const threads = threadsThat((spaceId, handOver) => {
      const handed = handOver();
      if (spaceId !== "b") return handed;
      // As the pool rejects the tasks of a thread that dies, while "a" has the turn for which "b" waits.
      return new Promise((_, reject) => queueMicrotask(() => reject(new Error("a thread ended with 1"))));
    });
    const { records } = await fetchFrom(SPACES, inMainThread, { warehouse, ...threads });
    expect(records).toMatchObject([
      { spaceId: "a", status: "complete" },
      { spaceId: "b", status: "failed", error: { code: "UNEXPECTED" } },
      { spaceId: "c", status: "complete" },
    ]);
    expect([...warehouse.ended].sort()).toEqual(["a committed", "b failed", "c committed"]);
  });
});
