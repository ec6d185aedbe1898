import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { addressText } from "../../../pipeline/facts/voters.ts";
import { sealColumns } from "../../../pipeline/warehouse/byte-columns.ts";
import { openDatabase } from "../../../pipeline/warehouse/database.ts";
import { eachVoterAfter, putVotersAfter } from "../../../pipeline/warehouse/voter-blocks.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { Failure } from "../../../snapshots/base/failure.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { arbitraryAddress, voterListOf } from "../facts/voter-lists.ts";
import { address, dao, fetchInto } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

describe("voter numbers", () => {
  let home: WarehouseHome;
  let warehouse: Warehouse;
  beforeEach(() => {
    home = createWarehouseHome();
    warehouse = home.open();
  });
  afterEach(() => home.remove());

  const starknet = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;
  /** The n-th voter, of one chain or the other. */
  const voter = (n: number): string => (n % 5 === 0 ? starknet(n) : address(n));
  const votersTo = (last: number, first = 1) =>
    Array.from({ length: last - first + 1 }, (_, index) => voter(first + index));
  const numbersTo = (last: number, first = 1) =>
    Uint32Array.from({ length: last - first + 1 }, (_, index) => first + index);

  const begin = (from = warehouse, sourceId = "archive") =>
    from.beginSpaceFetch({ spaceId: "a.eth", sourceId, fetchedAtMs: 1_000 });
  /** The numbers of voters, as a fetch that is dropped afterwards gets them. */
  function numbersIn(from: Warehouse, voters: readonly string[]): readonly number[] {
    const fetch = begin(from);
    const numbers = voters.map((one) => fetch.internVoter(one));
    fetch.fail({ code: "INTERRUPTED", message: "only a look" });
    return numbers;
  }
  /** How many voters lie in each block of the file. */
  function blockCounts(): readonly unknown[] {
    const database = openSqlite(home.path, { readonly: true });
    const counts = database
      .prepare("SELECT voters_count FROM voter_blocks ORDER BY block_number")
      .pluck()
      .all();
    database.close();
    return counts;
  }
  const failure = { code: "SOURCE_FAILED", message: "cut" };

  describe("voters' numbers", () => {
    it.each([
      { why: "one", counts: [1], blocks: [1] },
      { why: "one short of a block", counts: [1_023], blocks: [1_023] },
      { why: "a block", counts: [1_024], blocks: [1_024] },
      { why: "one more than a block", counts: [1_025], blocks: [1_024, 1] },
      { why: "one by one over the edge", counts: [1_023, 1_024, 1_025, 1_026], blocks: [1_024, 2] },
      {
        why: "several blocks, and more of them later",
        counts: [2_500, 2_501, 5_000],
        blocks: [1_024, 1_024, 1_024, 1_024, 904],
      },
    ])("go on where they were, in blocks of which all but the last are full: $why", ({ counts, blocks }) => {
      for (const count of counts) {
        fetchInto(warehouse, "a.eth", (sink) =>
          expect(sink.numberVoters(voterListOf(votersTo(count)))).toEqual(numbersTo(count)),
        );
      }
      expect(blockCounts()).toEqual(blocks);
      const last = counts.at(-1) ?? 0;
      for (const opened of [warehouse, home.open()]) {
        const asked = [1, Math.ceil(last / 2), last, last + 1];
        expect(numbersIn(opened, asked.map(voter))).toEqual(asked);
      }
    });

    it("are the same one by one and many at once, in the order of the list", () => {
      const fetch = begin();
      expect(fetch.numberVoters(voterListOf([address(9), starknet(9), address(1)]))).toEqual(numbersTo(3));
      expect([address(1), starknet(9), address(9), address(2)].map((one) => fetch.internVoter(one))).toEqual([
        3, 2, 1, 4,
      ]);
      expect(fetch.numberVoters(voterListOf([]))).toEqual(new Uint32Array());
      fetch.commit();
    });

    it("are written by nothing but a commit, and go with a fetch that fails", () => {
      fetchInto(warehouse, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(1_000))));
      const fetch = begin();
      fetch.numberVoters(voterListOf(votersTo(3_000)));
      fetch.fail(failure);
      expect(blockCounts()).toEqual([1_000]);
      fetchInto(warehouse, "a.eth", (sink) =>
        expect(sink.numberVoters(voterListOf(votersTo(2_100, 2_000)))).toEqual(numbersTo(1_101, 1_001)),
      );
      expect(blockCounts()).toEqual([1_024, 77]);
      expect(numbersIn(home.open(), [voter(2_000), voter(2_100)])).toEqual([1_001, 1_101]);
    });

    it("are not written again where a fetch brings no new voter", () => {
      fetchInto(warehouse, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(1_500))));
      const database = openSqlite(home.path);
      database.exec(
        "CREATE TRIGGER stop BEFORE INSERT ON voter_blocks BEGIN SELECT RAISE(ABORT, 'written'); END",
      );
      database.close();
      fetchInto(warehouse, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(1_500))));
      const fetch = begin();
      fetch.internVoter(voter(1_501));
      expect(() => fetch.commit()).toThrow("written");
      fetch.fail(failure);
    });

    it("are given on by another process in the middle of a block, and a hub's at once", () => {
      const other = home.open();
      fetchInto(warehouse, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(1_000))));
      fetchInto(other, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(2_000))));
      const hub = begin(warehouse, "snapshot-hub");
      expect(hub.internVoter(voter(1_700))).toBe(1_700);
      expect(hub.internVoter(voter(2_001))).toBe(2_001);
      expect(hub.numberVoters(voterListOf(votersTo(2_050, 2_040)))).toEqual(numbersTo(2_012, 2_002));
      hub.fail(failure);
      expect(blockCounts(), "nobody takes a number back that was committed").toEqual([1_024, 988]);
      expect(numbersIn(other, [voter(2_050), voter(3_000)])).toEqual([2_012, 2_013]);
    });

    /** Changes the blocks behind the warehouse's back. */
    const tamper = (sql: string) => {
      const database = openSqlite(home.path);
      database.exec(sql);
      database.close();
    };

    it("are refused where an address has two, and a fetch that goes on all the same writes over none", () => {
      fetchInto(warehouse, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(1_026))));
      warehouse.close();
      const donor = createWarehouseHome();
      // A second block of another file, of whose two voters the last stands in the first block here.
      const others = voterListOf([...votersTo(4_024, 3_001), voter(5_000), voter(7)]);
      fetchInto(donor.open(), "a.eth", (sink) => void sink.numberVoters(others));
      tamper(`ATTACH '${donor.path}' AS donor;
      UPDATE voter_blocks SET packed = (SELECT packed FROM donor.voter_blocks WHERE block_number = 1)
      WHERE block_number = 1`);
      donor.remove();
      const fetch = begin(home.open());
      expect(() => fetch.internVoter(address(1))).toThrow("not numbered from 1 to their count");
      fetch.commit();
      expect(blockCounts()).toEqual([1_024, 2]);
    });

    it.each([
      { why: "the first block is gone", sql: "DELETE FROM voter_blocks WHERE block_number = 0" },
      { why: "one between is gone", sql: "DELETE FROM voter_blocks WHERE block_number = 1" },
      {
        why: "one between is not full",
        sql: "UPDATE voter_blocks SET voters_count = 9 WHERE block_number = 1",
      },
    ])("are refused where $why", ({ sql }) => {
      fetchInto(warehouse, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(2_500))));
      tamper(sql);
      expect(() => begin(home.open()).internVoter(voter(2_500))).toThrow(Failure);
    });

    it("are refused where the last ones vanish under a process that has read them", () => {
      fetchInto(warehouse, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(1_500))));
      tamper("DELETE FROM voter_blocks WHERE block_number = 1");
      expect(() => begin().internVoter(voter(1_501))).toThrow("not numbered from 1 to their count");
    });
  });

  describe("the voters of entities", () => {
    const entity = (entityId: string, wallets: readonly string[]) => ({
      entityId,
      label: "",
      wallets,
      isOptedOut: false,
    });
    const registry = {
      daos: [],
      entities: [
        entity("one", [voter(1_024), voter(3_000), "not a wallet"]),
        entity("two", [voter(1_025), voter(5)]),
      ],
    };
    const known = () => warehouse.daoFacts(dao("a.eth"), registry).entityIdOfVoter;

    it("are found in every block, in the order of the registry, and as they come", () => {
      expect(known()).toEqual(new Map());
      fetchInto(warehouse, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(1_024))));
      expect([...known()]).toEqual([
        [1_024, "one"],
        [5, "two"],
      ]);
      fetchInto(warehouse, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(1_030))));
      fetchInto(warehouse, "a.eth", (sink) => void sink.internVoter(voter(3_000)));
      expect([...known()]).toEqual([
        [1_024, "one"],
        [1_031, "one"],
        [1_025, "two"],
        [5, "two"],
      ]);
      expect(known(), "nothing is new").toBe(known());
    });

    it("belong to the last that claims them", () => {
      fetchInto(warehouse, "a.eth", (sink) => void sink.numberVoters(voterListOf(votersTo(3))));
      const claimed = { daos: [], entities: [entity("one", [voter(2)]), entity("two", [voter(2)])] };
      expect([...warehouse.daoFacts(dao("a.eth"), claimed).entityIdOfVoter]).toEqual([[2, "two"]]);
    });
  });
});

const short = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
const long = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;

describe("a block of voters", () => {
  const home = createWarehouseHome();
  const database = openDatabase(home.path);
  afterAll(() => {
    database.close();
    home.remove();
  });

  /** Stores a list as all voters there are. */
  function store(addresses: readonly string[]): void {
    database.run("DELETE FROM voter_blocks");
    putVotersAfter(database, 0, voterListOf(addresses));
  }
  function read(after = 0): readonly string[] {
    const voters: string[] = [];
    eachVoterAfter(database, after, (words, offset, isLong, voterNumber) => {
      expect(voterNumber).toBe(after + voters.length + 1);
      voters.push(addressText(words, offset, isLong));
    });
    return voters;
  }
  const blocks = () => database.all<{ packed: Buffer }>("SELECT packed FROM voter_blocks");

  it("gives back every list as it was", () => {
    fc.assert(
      fc.property(fc.uniqueArray(arbitraryAddress, { maxLength: 40 }), (addresses) => {
        store(addresses);
        expect(read()).toEqual(addresses);
      }),
    );
  });

  it.each([0, 1_023, 1_024, 1_025, 2_499, 2_500])("gives the voters of a longer list after %i", (after) => {
    const many = Array.from({ length: 2_500 }, (_, n) => (n % 3 === 0 ? long(n) : short(n)));
    store(many);
    expect(read(after)).toEqual(many.slice(after));
  });

  it.each([
    { why: "eight EVM addresses", addresses: [1, 2, 3, 4, 5, 6, 7, 8].map(short), bytes: 1 + 1 + 160 + 4 },
    { why: "nine of them", addresses: [1, 2, 3, 4, 5, 6, 7, 8, 9].map(short), bytes: 1 + 2 + 180 + 4 },
    { why: "one of each chain", addresses: [short(1), long(1)], bytes: 1 + 1 + 52 + 4 },
  ])("takes no more room than it needs: $why", ({ addresses, bytes }) => {
    store(addresses);
    expect(blocks()[0]?.packed).toHaveLength(bytes);
  });

  it("holds the bytes of an address in their order, whatever the machine", () => {
    store([`0x${"0123456789abcdef".repeat(2)}01234567`]);
    expect(blocks()[0]?.packed.toString("hex", 2, 22)).toBe("0123456789abcdef0123456789abcdef01234567");
  });

  it.each([
    { why: "a later format", change: (bytes: Buffer) => bytes.fill(2, 0, 1), says: "format 2" },
    { why: "a Starknet bit too many", change: (bytes: Buffer) => bytes.fill(7, 1, 2), says: "its addresses" },
    { why: "a Starknet bit too few", change: (bytes: Buffer) => bytes.fill(0, 1, 2), says: "its addresses" },
  ])("is refused with $why though its checksum holds", ({ change, says }) => {
    store([short(1), long(2), short(3)]);
    const bytes = Buffer.from(blocks()[0]?.packed.subarray(0, -4) ?? []);
    change(bytes);
    database.run("UPDATE voter_blocks SET packed = ?", sealColumns("block 0 of 3 voters", [bytes]));
    expect(read).toThrow(Failure);
    expect(read).toThrow(says);
  });
});
