import { afterEach, beforeEach, expect, it } from "vitest";
import type { GovernanceSource } from "../../../pipeline/facts/governance-source.ts";
import { fetchDaos } from "../../../pipeline/stages/fetch-daos.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { dao, proposal } from "../warehouse/sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "../warehouse/warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
});
afterEach(() => home.remove());

const page = { series: "0x1", page: 0, payload: "a page", voters: [] };

/** Fetches two DAOs of a page and a proposal each, on a disk that takes so many writes before it is nearly full. */
async function fetchOn(writes: number) {
  let left = writes;
  const source: GovernanceSource = {
    sourceId: "snapshot-hub",
    async fetchSpace(_dao, sink) {
      sink.memory?.checkpoint(page);
      sink.put({ kind: "proposal", proposal: proposal("0x1") });
      sink.put({ kind: "rejection", file: "votes/0x1", line: 1, code: "ODD", message: "odd" });
    },
  };
  const records = await fetchDaos({
    daos: [dao("a.eth"), dao("b.eth")],
    source,
    warehouse,
    atOnce: 1,
    effects: {
      nowMs: () => 7,
      runId: "0123456789abcdef",
      freeBytes: () => {
        left -= 1;
        return left < 0 ? 199_999_999 : 200_000_000;
      },
      progress: { step: () => {}, tick: () => {}, warn: () => {} },
    },
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
