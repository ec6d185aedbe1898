import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProposalVotes } from "../../../pipeline/facts/proposal-votes.ts";
import { sealColumns } from "../../../pipeline/warehouse/byte-columns.ts";
import { openDatabase } from "../../../pipeline/warehouse/database.ts";
import type { OpenSpaceFetch } from "../../../pipeline/warehouse/fetch-writer.ts";
import { putProposal } from "../../../pipeline/warehouse/proposals.ts";
import { type PackedVotes, packedVotesOf, putVotes, readVotes } from "../../../pipeline/warehouse/votes.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { arbitraryVotes } from "./arbitrary-facts.ts";
import { address, ballot, factsOf, proposal } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

const table = createWarehouseHome();
const database = openDatabase(table.path);
const daoNumber = database.numberOf("daos", { spaceId: "a.eth" });
afterAll(() => {
  database.close();
  table.remove();
});

/** The ballot as it is read after it was stored; with `change`, after its row was changed. */
function stored(given: ProposalVotes, change: { packed?: Uint8Array; count?: number } = {}) {
  const { proposalId, count } = given;
  database.run("DELETE FROM proposals");
  putProposal(database, daoNumber, "archive", proposal(proposalId));
  putVotes(database, daoNumber, packedVotesOf(given), true);
  const row = { packed: packedVotesOf(given).packed, count, ...change };
  database.run("UPDATE ballots SET packed = ?, votes_count = ?", row.packed, row.count);
  const [read] = readVotes(database, "a.eth");
  return read;
}

/** `count` voters 1, 2, 3 … with one choice, without power or time. */
function plainProposalVotes(count: number, change: Partial<ProposalVotes> = {}): ProposalVotes {
  return {
    proposalId: "0xabc",
    count,
    voterIds: Uint32Array.from({ length: count }, (_, index) => index + 1),
    powers: new Float64Array(count),
    timesS: new Uint32Array(count),
    choiceIndexes: new Uint32Array(count),
    flags: new Uint8Array(count),
    choices: count === 0 ? [] : [{ kind: "single", option: 1 }],
    ...change,
  };
}
const options = (count: number) =>
  Array.from({ length: count }, (_, option) => ({ kind: "single" as const, option }));

describe("a stored ballot", () => {
  it("comes back as it was, and equal ballots take equal bytes", () => {
    fc.assert(
      fc.property(arbitraryVotes, (given) => {
        expect(stored(given)).toEqual(given);
        expect(packedVotesOf(structuredClone(given)).packed).toEqual(packedVotesOf(given).packed);
      }),
    );
  });

  const fixed = 16 + 4;
  it.each([
    { why: "nobody voted", given: plainProposalVotes(0), bytes: fixed },
    { why: "a vote takes 19 bytes", given: plainProposalVotes(2), bytes: fixed + 2 * 19 },
    {
      why: "the largest numbers take no more",
      given: plainProposalVotes(2, {
        voterIds: Uint32Array.of(1, 0xffff_ffff),
        timesS: Uint32Array.of(0, 0xffff_ffff),
        powers: Float64Array.of(0, Number.MAX_VALUE),
        flags: Uint8Array.of(0, 255),
      }),
      bytes: fixed + 2 * 19,
    },
    {
      why: "65,536 choices still fit two bytes",
      given: plainProposalVotes(2, { choices: options(65_536), choiceIndexes: Uint32Array.of(0, 65_535) }),
      bytes: fixed + 2 * 19,
    },
    {
      why: "beyond them an index takes four",
      given: plainProposalVotes(2, { choices: options(65_537), choiceIndexes: Uint32Array.of(0, 65_536) }),
      bytes: fixed + 2 * 21,
    },
  ])("takes no more room than it needs: $why", ({ given, bytes }) => {
    const list = JSON.stringify(given.choices.map((choice) => (choice as { option: number }).option));
    expect(packedVotesOf(given).packed).toHaveLength(bytes + list.length);
    expect(stored(given)).toEqual(given);
  });
});

describe("a fetch", () => {
  let home: WarehouseHome;
  let warehouse: Warehouse;
  beforeEach(() => {
    home = createWarehouseHome();
    warehouse = home.open();
  });
  afterEach(() => home.remove());

  const begin = (sourceId = "archive"): OpenSpaceFetch =>
    warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId, fetchedAtMs: 1_000 });

  /** As another thread's message arrives: plain bytes, no Buffer. */
  const posted = (packed: PackedVotes): PackedVotes => structuredClone(packed);

  describe("a ballot that another thread packed", () => {
    it.each(["archive", "snapshot-hub"])(
      "is kept by a fetch from %s as one that is packed here",
      (sourceId) => {
        const fetch = begin(sourceId);
        for (const id of ["here", "there", "nobody"]) fetch.put({ kind: "proposal", proposal: proposal(id) });
        const voters = [address(1), address(2)];
        fetch.put({ kind: "votes", votes: ballot(fetch, "here", voters), isFinal: false });
        const sent = posted(packedVotesOf(ballot(fetch, "there", voters)));
        expect(Buffer.isBuffer(sent.packed)).toBe(false);
        fetch.put({ kind: "packed-votes", votes: sent, isFinal: false });
        fetch.put({
          kind: "packed-votes",
          votes: posted(packedVotesOf(ballot(fetch, "nobody", []))),
          isFinal: true,
        });
        expect(fetch.commit()).toMatchObject({ ballots: 3, votes: 4 });
        const { ballots } = factsOf(warehouse, "a.eth");
        expect(ballots.get("there")).toEqual({ ...ballots.get("here"), proposalId: "there" });
        expect(ballots.get("nobody")?.count).toBe(0);
      },
    );

    it("is refused with a voter that nobody numbered, naming the proposal", () => {
      const fetch = begin();
      fetch.put({ kind: "proposal", proposal: proposal("here") });
      const packed = packedVotesOf(ballot(fetch, "here", [address(1), address(2)]));
      const put = () =>
        fetch.put({ kind: "packed-votes", votes: { ...packed, highestVoter: 3 }, isFinal: true });
      expect(put).toThrow("ballot of proposal here: a voter was never interned");
    });

    it("is refused before its proposal, after the end, and with voter 0", () => {
      const fetch = begin();
      const packed = packedVotesOf(ballot(fetch, "here", [address(1)]));
      expect(() => fetch.put({ kind: "packed-votes", votes: packed, isFinal: true })).toThrow(
        "before its proposal",
      );
      const zero = { ...ballot(fetch, "here", [address(1)]), voterIds: Uint32Array.of(0) };
      expect(() => packedVotesOf(zero)).toThrow("never interned");
      fetch.commit();
      expect(() => fetch.put({ kind: "packed-votes", votes: packed, isFinal: true })).toThrow("is over");
    });
  });
});

const small: ProposalVotes = {
  proposalId: "0xfeed",
  count: 3,
  voterIds: Uint32Array.of(3, 200, 70_000),
  powers: Float64Array.of(1.5, 2, 1e21),
  timesS: Uint32Array.of(1_700_000_000, 0, 1_700_000_900),
  choiceIndexes: Uint32Array.of(1, 0, 1),
  flags: Uint8Array.of(3, 1, 3),
  choices: [
    { kind: "single", option: 1 },
    { kind: "weights", weights: [[2, 0.25]] },
  ],
};

/** Changed bytes whose checksum holds: damage that only a writer's mistake can make. */
function resealed(change: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(packedVotesOf(small).packed).subarray(0, -4);
  change(bytes);
  return sealColumns(small.proposalId, [bytes]);
}

describe("a damaged ballot", () => {
  const refused = (says: string) =>
    expect.objectContaining({
      code: "WAREHOUSE_CORRUPT",
      message: expect.stringMatching(`ballot of proposal 0xfeed: .*${says}`),
    });

  it("is refused and its proposal named, whatever bytes are there", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (packed) => {
        expect(() => stored(small, { packed })).toThrow(refused("checksum"));
      }),
    );
  });

  it("is a whole one of another proposal", () => {
    const { packed } = packedVotesOf({ ...small, proposalId: "0xbeef" });
    expect(() => stored(small, { packed })).toThrow(refused("checksum"));
  });

  it.each([
    { why: "fewer", count: 2 },
    { why: "more", count: 4 },
    { why: "none", count: 0 },
  ])("is one whose row counts $why votes", ({ count }) => {
    expect(() => stored(small, { count })).toThrow(refused("count differs"));
  });

  it.each([
    { why: "format of a later program", change: (bytes: Buffer) => bytes.writeUInt8(3, 0), says: "format 3" },
    {
      why: "list that is too long",
      change: (bytes: Buffer) => bytes.writeUInt32LE(999, 8),
      says: "columns",
    },
    {
      why: "list that is too short",
      change: (bytes: Buffer) => bytes.writeUInt32LE(2, 8) && bytes.write("[]", bytes.length - 2),
      says: "columns",
    },
    {
      why: "choice that is none",
      change: (bytes: Buffer) => bytes.write('"', bytes.length - 2),
      says: "choices",
    },
    {
      why: "choice of no kind",
      change: (bytes: Buffer) => bytes.write("x", bytes.indexOf('"w"') + 1),
      says: "choices",
    },
    {
      why: "index past the list",
      change: (bytes: Buffer) => bytes.writeUInt8(2, 16 + 3 * (8 + 4 + 4)),
      says: "index",
    },
  ])("is one with a $why though its checksum holds", ({ change, says }) => {
    expect(() => stored(small, { packed: resealed(change) })).toThrow(refused(says));
  });
});
