import { afterEach, beforeEach, expect, it } from "vitest";
import type { SpaceSink } from "../../../pipeline/facts/governance-source.ts";
import { fetchDaos } from "../../../pipeline/stages/fetch-daos.ts";
import type { FetchRecord } from "../../../pipeline/warehouse/fetches.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { voterListOf } from "../facts/voter-lists.ts";
import { address, ballot, dao, proposal, TOKEN, transfer } from "../warehouse/sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "../warehouse/warehouse-home.ts";

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
      times(3, (n) => sink.put({ kind: "votes", votes: { ...votes, proposalId: `0x${n}` }, isFinal: true }));
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
