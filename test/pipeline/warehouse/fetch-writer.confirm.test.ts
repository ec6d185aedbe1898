import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { factsOf, fillSample, proposal } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
});
afterEach(() => home.remove());

function fetchArchive(state: string | undefined, fetchedAtMs = 1_000) {
  const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs });
  fillSample("a.eth")(fetch);
  return fetch.commit(state);
}
const confirm = (state: string, fetchedAtMs = 9_000, spaceId = "a.eth") =>
  warehouse.confirmFetch({ spaceId, sourceId: "archive", state, fetchedAtMs });

describe("a fetch whose source has not changed", () => {
  it("is confirmed with all it brought and rejected, as of now, in another process too", () => {
    const record = fetchArchive("same");
    const before = factsOf(warehouse, "a.eth");
    const rejections = warehouse.rejections();
    warehouse = home.open();
    expect(confirm("same")).toEqual({ ...record, fetchedAtMs: 9_000 });
    expect(warehouse.fetchRecords()).toEqual([{ ...record, fetchedAtMs: 9_000 }]);
    expect(warehouse.rejections()).toEqual(rejections);
    expect(factsOf(warehouse, "a.eth")).toEqual({ ...before, lastCompleteFetchMs: 9_000 });
    expect(confirm("same", 10_000)?.fetchedAtMs).toBe(10_000);
  });

  it.each([
    { why: "the source is in another state", before: () => fetchArchive("other") },
    { why: "no state was known", before: () => fetchArchive(undefined) },
    {
      why: "it was read anew in a state that nobody knows",
      before: () => [fetchArchive("same"), fetchArchive(undefined)],
    },
    {
      why: "another source has fetched the DAO since, and may have replaced proposals of it",
      before: () => {
        fetchArchive("same");
        const hub = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 2 });
        hub.put({ kind: "proposal", proposal: proposal("p1") });
        hub.commit();
      },
    },
    {
      why: "the newest attempt failed",
      before: () => {
        fetchArchive("same");
        warehouse
          .beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 2 })
          .fail({ code: "SOURCE_FAILED", message: "cut" });
      },
    },
    { why: "it was never fetched", before: () => undefined },
  ])("is read again where $why", ({ before }) => {
    before();
    const records = warehouse.fetchRecords();
    expect(confirm("same")).toBeUndefined();
    expect(warehouse.fetchRecords(), "nothing is touched").toEqual(records);
  });

  it("is not confirmed while another fetch is open", () => {
    fetchArchive("same");
    warehouse.beginSpaceFetch({ spaceId: "b.eth", sourceId: "archive", fetchedAtMs: 1 });
    expect(() => confirm("same")).toThrow("while another one is open");
  });
});
