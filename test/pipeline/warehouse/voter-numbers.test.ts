import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { addressText } from "../../../pipeline/facts/voters.ts";
import { sealColumns } from "../../../pipeline/warehouse/byte-columns.ts";
import { openDatabase } from "../../../pipeline/warehouse/database.ts";
import { eachVoterAfter, putVotersAfter } from "../../../pipeline/warehouse/voter-blocks.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { arbitraryAddress, voterListOf } from "../facts/sample-votes.ts";
import { address, dao, fetchInto } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

const starknet = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;
/** The n-th voter, of one chain or the other. */
const voter = (n: number): string => (n % 5 === 0 ? starknet(n) : address(n));
const votersTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => voter(first + index));
const entity = (entityId: string, wallets: readonly string[]) => {
  return { entityId, label: "", wallets, isOptedOut: false };
};
const CORRUPT = expect.objectContaining({ code: "WAREHOUSE_CORRUPT" });

describe("voter numbers", () => {
  let home: WarehouseHome;
  let warehouse: Warehouse;
  beforeEach(() => {
    home = createWarehouseHome();
    warehouse = home.open();
  });
  afterEach(() => home.remove());

  const numbersTo = (last: number, first = 1) =>
    Uint32Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const begin = (from = warehouse, sourceId = "archive") =>
    from.beginSpaceFetch({ spaceId: "a.eth", sourceId, fetchedAtMs: 1_000 });
  /** Commits a fetch of these voters, which returns their numbers. */
  function fetchVoters(voters: readonly string[], from = warehouse): Uint32Array {
    const fetch = begin(from);
    const numbers = fetch.numberVoters(voterListOf(voters)) as Uint32Array;
    fetch.commit();
    return numbers;
  }
  /** The numbers of voters, as a fetch that is dropped afterwards gets them. */
  function numbersIn(from: Warehouse, voters: readonly string[]): readonly number[] {
    const fetch = begin(from);
    const numbers = voters.map((one) => fetch.internVoter(one));
    fetch.fail({ code: "INTERRUPTED", message: "only a look" });
    return numbers;
  }
  /** Reads or changes the blocks behind the warehouse's back. */
  function inFile<Result>(work: (database: ReturnType<typeof openDatabase>) => Result): Result {
    const database = openDatabase(home.path);
    const result = work(database);
    database.close();
    return result;
  }
  const blocks = () =>
    inFile((database) =>
      database.all<{ votersCount: number }>("SELECT * FROM voter_blocks ORDER BY block_number"),
    );
  const blockCounts = () => blocks().map(({ votersCount }) => votersCount);
  const failure = { code: "SOURCE_FAILED", message: "cut" };

  it.each([
    ["one short of a block", [1_023], [1_023]],
    ["a block", [1_024], [1_024]],
    ["one more than a block", [1_025], [1_024, 1]],
    ["one by one over the edge", [1_023, 1_024, 1_025, 1_026], [1_024, 2]],
    ["several blocks, and more of them later", [2_500, 2_501, 5_000], [1_024, 1_024, 1_024, 1_024, 904]],
  ])("go on where they were, in blocks of which all but the last are full: %s", (_why, counts, sizes) => {
    for (const count of counts) expect(fetchVoters(votersTo(count))).toEqual(numbersTo(count));
    expect(blockCounts()).toEqual(sizes);
    const last = counts.at(-1) ?? 0;
    for (const opened of [warehouse, home.open()]) {
      const asked = [1, Math.ceil(last / 2), last, last + 1];
      expect(numbersIn(opened, asked.map(voter))).toEqual(asked);
    }
  });

  it("are the same one by one and many at once, in the order of the list", () => {
    const fetch = begin();
    expect(fetch.numberVoters(voterListOf([address(9), starknet(9), address(1)]))).toEqual(numbersTo(3));
    const asked = [address(1), starknet(9), address(9), address(2)];
    expect(asked.map((one) => fetch.internVoter(one))).toEqual([3, 2, 1, 4]);
    expect(fetch.numberVoters(voterListOf([]))).toEqual(new Uint32Array());
    fetch.commit();
  });

  it("are written by nothing but a commit, and go with a fetch that fails", () => {
    fetchVoters(votersTo(1_000));
    const fetch = begin();
    fetch.numberVoters(voterListOf(votersTo(3_000)));
    fetch.fail(failure);
    expect(blockCounts()).toEqual([1_000]);
    expect(fetchVoters(votersTo(2_100, 2_000))).toEqual(numbersTo(1_101, 1_001));
    expect(blockCounts()).toEqual([1_024, 77]);
    expect(numbersIn(home.open(), [voter(2_000), voter(2_100)])).toEqual([1_001, 1_101]);
  });

  it("are not written again where a fetch brings no new voter", () => {
    fetchVoters(votersTo(1_500));
    const stop = "BEFORE INSERT ON voter_blocks BEGIN SELECT RAISE(ABORT, 'written'); END";
    inFile((database) => database.exec(`CREATE TRIGGER stop ${stop}`));
    fetchVoters(votersTo(1_500));
    const fetch = begin();
    fetch.internVoter(voter(1_501));
    expect(() => fetch.commit()).toThrow("written");
    fetch.fail(failure);
  });

  it("are given on by another process in the middle of a block, and a hub's at once", () => {
    const other = home.open();
    fetchVoters(votersTo(1_000));
    fetchVoters(votersTo(2_000), other);
    const hub = begin(warehouse, "snapshot-hub");
    expect(hub.internVoter(voter(1_700))).toBe(1_700);
    expect(hub.internVoter(voter(2_001))).toBe(2_001);
    expect(hub.numberVoters(voterListOf(votersTo(2_050, 2_040)))).toEqual(numbersTo(2_012, 2_002));
    hub.fail(failure);
    expect(blockCounts(), "nobody takes a number back that was committed").toEqual([1_024, 988]);
    expect(numbersIn(other, [voter(2_050), voter(3_000)])).toEqual([2_012, 2_013]);
  });

  const NOT_FULL = "UPDATE voter_blocks SET voters_count = 9";
  it.each([
    ["the first block is gone", "DELETE FROM voter_blocks WHERE block_number = 0"],
    ["one between is gone", "DELETE FROM voter_blocks WHERE block_number = 1"],
    ["one between is not full", `${NOT_FULL} WHERE block_number = 1`],
    ["the last has fewer", `${NOT_FULL} WHERE block_number = 2`],
    [
      "one that is not full is followed by another",
      "INSERT INTO voter_blocks SELECT 3, voters_count, packed FROM voter_blocks WHERE block_number = 2",
    ],
    [
      "the bytes are others",
      "UPDATE voter_blocks SET packed = zeroblob(length(packed)) WHERE block_number = 1",
    ],
    ["there are no bytes", "UPDATE voter_blocks SET packed = x'' WHERE block_number = 2"],
  ])("are refused where %s, and whose they are is not said, and nothing is changed", (_why, sql) => {
    fetchVoters(votersTo(2_500));
    inFile((database) => database.exec(sql));
    const before = blocks();
    const reopened = home.open();
    const fetch = begin(reopened);
    for (const _ of ["first", "again"]) expect(() => fetch.internVoter(voter(2_501))).toThrow(CORRUPT);
    fetch.commit();
    expect(blocks()).toEqual(before);
    const registry = { daos: [], entities: [entity("one", [voter(2_501)])] };
    expect(() => reopened.daoFacts(dao("a.eth"), registry)).toThrow(CORRUPT);
  });

  it("are refused where an address has two, and a fetch that goes on all the same writes over none", () => {
    fetchVoters(votersTo(1_026));
    warehouse.close();
    const donor = createWarehouseHome();
    // A second block of another file, of whose two voters the last stands in the first block here.
    fetchVoters([...votersTo(4_024, 3_001), voter(5_000), voter(7)], donor.open());
    inFile((database) => {
      database.exec(`ATTACH '${donor.path}' AS donor;
        UPDATE voter_blocks SET packed = (SELECT packed FROM donor.voter_blocks WHERE block_number = 1)
        WHERE block_number = 1`);
    });
    donor.remove();
    const fetch = begin(home.open());
    expect(() => fetch.internVoter(address(1))).toThrow("not numbered from 1 to their count");
    fetch.commit();
    expect(blockCounts()).toEqual([1_024, 2]);
  });

  it("are refused where the last ones vanish under a process that has read them", () => {
    fetchVoters(votersTo(1_500));
    inFile((database) => database.run("DELETE FROM voter_blocks WHERE block_number = 1"));
    expect(() => begin().internVoter(voter(1_501))).toThrow("not numbered from 1 to their count");
  });

  it("tell the voters of entities in every block, in the order of the registry, and as they come", () => {
    const entities = [
      entity("one", [voter(1_024), voter(3_000), "not a wallet"]),
      entity("two", [voter(1_025), voter(5)]),
      entity("three", [voter(5)]),
    ];
    const registry = { daos: [], entities };
    const known = () => warehouse.daoFacts(dao("a.eth"), registry).entityIdOfVoter;
    expect(known()).toEqual(new Map());
    fetchVoters(votersTo(1_024));
    // A wallet belongs to the last that claims it.
    expect([...known()]).toEqual([
      [1_024, "one"],
      [5, "three"],
    ]);
    fetchVoters(votersTo(1_030));
    fetchInto(warehouse, "a.eth", (sink) => void sink.internVoter(voter(3_000)));
    expect([...known()]).toEqual([
      [1_024, "one"],
      [1_031, "one"],
      [1_025, "two"],
      [5, "three"],
    ]);
    expect(known(), "nothing is new").toBe(known());
  });
});

describe("a block of voters", () => {
  const home = createWarehouseHome();
  const database = openDatabase(home.path);
  afterAll(() => {
    database.close();
    home.remove();
  });

  /** Stores a list as all voters there are; returns the bytes of the first block. */
  function store(addresses: readonly string[]): Buffer {
    database.run("DELETE FROM voter_blocks");
    putVotersAfter(database, 0, voterListOf(addresses));
    return database.get<{ packed: Buffer }>("SELECT packed FROM voter_blocks")?.packed ?? Buffer.alloc(0);
  }
  function read(after = 0): readonly string[] {
    const voters: string[] = [];
    eachVoterAfter(database, after, (words, offset, isLong, voterNumber) => {
      expect(voterNumber).toBe(after + voters.length + 1);
      voters.push(addressText(words, offset, isLong));
    });
    return voters;
  }

  it("gives back every list as it was", () => {
    fc.assert(
      fc.property(fc.uniqueArray(arbitraryAddress, { maxLength: 40 }), (addresses) => {
        store(addresses);
        expect(read()).toEqual(addresses);
      }),
    );
  });

  it.each([0, 1_023, 1_024, 1_025, 2_499, 2_500])("gives the voters of a longer list after %i", (after) => {
    store(votersTo(2_500));
    expect(read(after)).toEqual(votersTo(2_500).slice(after));
  });

  it.each([
    ["eight EVM addresses", [1, 2, 3, 4, 6, 7, 8, 9], 1 + 1 + 160 + 4],
    ["nine of them", [1, 2, 3, 4, 6, 7, 8, 9, 11], 1 + 2 + 180 + 4],
    ["one of each chain", [1, 5], 1 + 1 + 52 + 4],
  ])("takes no more room than it needs: %s", (_why, numbers, bytes) => {
    expect(store(numbers.map(voter))).toHaveLength(bytes);
  });

  it("holds the bytes of an address in their order, whatever the machine", () => {
    const digits = `${"0123456789abcdef".repeat(2)}01234567`;
    expect(store([`0x${digits}`]).toString("hex", 2, 22)).toBe(digits);
  });

  it.each<readonly [why: string, change: (bytes: Buffer) => unknown, says: string]>([
    ["a later format", (bytes) => bytes.fill(2, 0, 1), "format 2"],
    ["a Starknet bit too many", (bytes) => bytes.fill(7, 1, 2), "its addresses"],
    ["a Starknet bit too few", (bytes) => bytes.fill(0, 1, 2), "its addresses"],
  ])("is refused with %s though its checksum holds", (_why, change, says) => {
    const bytes = store([address(1), starknet(2), address(3)]).subarray(0, -4);
    change(bytes);
    database.run("UPDATE voter_blocks SET packed = ?", sealColumns("block 0 of 3 voters", [bytes]));
    expect(read).toThrow(CORRUPT);
    expect(read).toThrow(says);
  });
});
