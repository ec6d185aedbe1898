import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { address, factsOf, fetchInto, fillSample } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
});
afterEach(() => home.remove());

describe("names", () => {
  it.each([
    { why: "a name", entry: { name: "one.eth", checkedAtMs: 5 } },
    { why: "no name, which is an answer too", entry: { name: undefined, checkedAtMs: 5 } },
    { why: "a name of other letters", entry: { name: "öne😀.eth", checkedAtMs: 0 } },
    { why: "a moment of today", entry: { name: "one.eth", checkedAtMs: 1_795_000_000_000 } },
  ])("are read as they were written: $why", ({ entry }) => {
    warehouse.names.write(address(1), entry);
    expect(warehouse.names.read(address(1))).toEqual(entry);
    expect(home.open().names.read(address(1)), "after a new opening").toEqual(entry);
    expect(warehouse.names.read(address(2)), "of an address nobody asked about").toBeUndefined();
  });

  it("are the last that was found out", () => {
    warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 5 });
    warehouse.names.write(address(1), { name: undefined, checkedAtMs: 6 });
    expect(warehouse.names.read(address(1))).toEqual({ name: undefined, checkedAtMs: 6 });
  });

  it("are kept while a resumable fetch is open, whatever becomes of it", () => {
    const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "governor", fetchedAtMs: 1 });
    warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 5 });
    fetch.fail({ code: "SOURCE_FAILED", message: "the node is gone" });
    expect(warehouse.names.read(address(1))?.name).toBe("one.eth");
  });

  it.each([
    { why: "an address of upper case", of: `0x${"AB".repeat(20)}`, name: "one.eth", says: "lower-case hex" },
    { why: "a name for an address", of: "one.eth", name: "one.eth", says: "lower-case hex" },
    { why: "an empty name", of: address(1), name: "", says: "neither a name nor none" },
  ])("refuse $why", ({ of, name, says }) => {
    expect(() => warehouse.names.write(of, { name, checkedAtMs: 1 })).toThrow(says);
    expect(factsOf(warehouse, "a.eth").names.size).toBe(0);
  });

  it("are refused while a replacing fetch is open, whose rollback would drop them", () => {
    const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "archive", fetchedAtMs: 1 });
    expect(() => warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 1 })).toThrow(
      "a replacing fetch is open",
    );
    fetch.commit();
    warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 1 });
    expect(warehouse.names.read(address(1))?.name).toBe("one.eth");
  });
});

describe("names among a DAO's facts", () => {
  it("are the confirmed ones, as they are now, of DAOs that were fetched and others", () => {
    fetchInto(warehouse, "a.eth", fillSample("a.eth"));
    const namesOf = (spaceId: string) => [...factsOf(warehouse, spaceId).names];
    expect(namesOf("a.eth")).toEqual([]);
    warehouse.names.write(address(2), { name: "two.eth", checkedAtMs: 5 });
    warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 5 });
    warehouse.names.write(address(3), { name: undefined, checkedAtMs: 5 });
    const both = [
      [address(1), "one.eth"],
      [address(2), "two.eth"],
    ];
    expect(namesOf("a.eth")).toEqual(both);
    expect(namesOf("never.eth")).toEqual(both);
    home.open().names.write(address(2), { name: undefined, checkedAtMs: 6 });
    expect(namesOf("a.eth"), "after another process wrote").toEqual([both[0]]);
  });

  it("are one map for all DAOs between two commits", () => {
    warehouse.names.write(address(1), { name: "one.eth", checkedAtMs: 5 });
    const { names } = factsOf(warehouse, "a.eth");
    expect(factsOf(warehouse, "b.eth").names).toBe(names);
    warehouse.names.write(address(1), { name: "uno.eth", checkedAtMs: 6 });
    expect(factsOf(warehouse, "b.eth").names.get(address(1))).toBe("uno.eth");
    expect(names.get(address(1)), "what was handed out does not change").toBe("one.eth");
  });
});
