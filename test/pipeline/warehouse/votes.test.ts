import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { ProposalVotes } from "../../../pipeline/facts/proposal-votes.ts";
import { columnAt, openSealed, sealColumns } from "../../../pipeline/warehouse/byte-columns.ts";
import { openDatabase } from "../../../pipeline/warehouse/database.ts";
import { putProposal } from "../../../pipeline/warehouse/proposals.ts";
import { type PackedVotes, packedVotesOf, putVotes, readVotes } from "../../../pipeline/warehouse/votes.ts";
import { arbitraryVotes } from "./arbitrary-facts.ts";
import { address, ballot, factsOf, proposal, putProposal as put, putBallot } from "./sample-facts.ts";
import { createWarehouseHome } from "./warehouse-home.ts";

const home = createWarehouseHome();
const database = openDatabase(home.path);
const daoNumber = database.numberOf("daos", { spaceId: "a.eth" });
afterAll(() => {
  database.close();
  home.remove();
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

describe("a stored ballot", () => {
  it("comes back as it was, and equal ballots take equal bytes", () => {
    fc.assert(
      fc.property(arbitraryVotes, (given) => {
        expect(stored(given)).toEqual(given);
        expect(packedVotesOf(structuredClone(given)).packed).toEqual(packedVotesOf(given).packed);
      }),
    );
  });

  /** The votes of the first and the last voter that there can be, for the first and the last of these options. */
  const ofOptions = (count: number): ProposalVotes => ({
    proposalId: "0xabc",
    count: 2,
    voterIds: Uint32Array.of(1, 0xffff_ffff),
    timesS: Uint32Array.of(0, 0xffff_ffff),
    powers: Float64Array.of(0, Number.MAX_VALUE),
    flags: Uint8Array.of(0, 255),
    choiceIndexes: Uint32Array.of(0, count - 1),
    choices: Array.from({ length: count }, (_, option) => ({ kind: "single", option })),
  });
  const NOBODY: ProposalVotes = {
    proposalId: "0xabc",
    count: 0,
    voterIds: new Uint32Array(),
    timesS: new Uint32Array(),
    powers: new Float64Array(),
    flags: new Uint8Array(),
    choiceIndexes: new Uint32Array(),
    choices: [],
  };
  it.each([
    ["nobody voted", NOBODY, 0],
    ["a vote takes 19 bytes", ofOptions(1), 2 * 19],
    ["65,536 choices still fit two bytes", ofOptions(65_536), 2 * 19],
    ["beyond them an index takes four", ofOptions(65_537), 2 * 21],
  ])("takes no more room than it needs: %s", (_why, given, bytes) => {
    const list = JSON.stringify(given.choices.map((choice) => (choice as { option: number }).option));
    expect(packedVotesOf(given).packed).toHaveLength(16 + bytes + list.length + 4);
    expect(stored(given)).toEqual(given);
  });
});

describe("a ballot that another thread packed", () => {
  /** As another thread's message arrives: plain bytes, no Buffer. */
  const posted = (packed: PackedVotes): PackedVotes => structuredClone(packed);

  it.each(["archive", "snapshot-hub"])(
    "is kept by a fetch from %s as one that is packed here",
    (sourceId) => {
      const own = createWarehouseHome();
      const warehouse = own.open();
      const fetch = warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId, fetchedAtMs: 1_000 });
      const putPacked = (votes: PackedVotes) => fetch.put({ kind: "packed-votes", votes, isFinal: false });
      for (const id of ["here", "there", "nobody"]) put(fetch, id);
      const voters = [address(1), address(2)];
      putBallot(fetch, "here", voters, false);
      const sent = posted(packedVotesOf(ballot(fetch, "there", voters)));
      expect(Buffer.isBuffer(sent.packed)).toBe(false);
      putPacked(sent);
      putPacked(posted(packedVotesOf(ballot(fetch, "nobody", []))));
      expect(() => putPacked({ ...sent, highestVoter: 3 })).toThrow(
        "ballot of proposal there: a voter was never interned",
      );
      expect(fetch.commit()).toMatchObject({ ballots: 3, votes: 4 });
      expect(() => putPacked(sent)).toThrow("is over");
      const { ballots } = factsOf(warehouse, "a.eth");
      expect(ballots.get("there")).toEqual({ ...ballots.get("here"), proposalId: "there" });
      expect(ballots.get("nobody")?.count).toBe(0);
      own.remove();
    },
  );
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

describe("a damaged ballot", () => {
  const expectRefused = (change: Parameters<typeof stored>[1], says: string): void =>
    expect(() => stored(small, change)).toThrow(
      expect.objectContaining({
        code: "WAREHOUSE_CORRUPT",
        message: expect.stringMatching(`ballot of proposal 0xfeed: .*${says}`),
      }),
    );

  it("is refused and its proposal named, whatever bytes are there, also a whole one of another proposal", () => {
    const anyBytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(fc.property(anyBytes, (packed) => void expectRefused({ packed }, "checksum")));
    expectRefused({ packed: packedVotesOf({ ...small, proposalId: "0xbeef" }).packed }, "checksum");
  });

  it.each([2, 4, 0])("is one whose row counts %i votes", (count) => {
    expectRefused({ count }, "count differs");
  });

  it.each<readonly [why: string, change: (bytes: Buffer) => unknown, says: string]>([
    ["format of a later program", (bytes) => bytes.writeUInt8(3, 0), "format 3"],
    ["list that is too long", (bytes) => bytes.writeUInt32LE(999, 8), "columns"],
    [
      "list that is too short",
      (bytes) => bytes.writeUInt32LE(2, 8) && bytes.write("[]", bytes.length - 2),
      "columns",
    ],
    ["choice that is none", (bytes) => bytes.write('"', bytes.length - 2), "choices"],
    ["choice of no kind", (bytes) => bytes.write("x", bytes.indexOf('"w"') + 1), "choices"],
    ["index past the list", (bytes) => bytes.writeUInt8(2, 16 + 3 * (8 + 4 + 4)), "index"],
  ])("is one with a %s though its checksum holds: only a writer's mistake", (_why, change, says) => {
    const bytes = Buffer.from(packedVotesOf(small).packed).subarray(0, -4);
    change(bytes);
    expectRefused({ packed: sealColumns(small.proposalId, [bytes]) }, says);
  });
});

describe("sealed columns", () => {
  const open = (sealed: Uint8Array, name = "a", bytesMin = 0) =>
    openSealed(name, sealed, bytesMin, (reason) => new Error(reason));
  const columns = fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 4 });

  it("come back as they were, from bytes that are not aligned too", () => {
    fc.assert(
      fc.property(columns, fc.nat(7), (given, shift) => {
        const sealed = sealColumns("a", given);
        const shifted = Buffer.from(new ArrayBuffer(sealed.length + shift), shift);
        sealed.copy(shifted);
        expect(open(shifted).equals(Buffer.concat(given))).toBe(true);
      }),
    );
  });

  it("are refused with any bit flipped, cut anywhere, or under another name", () => {
    fc.assert(
      fc.property(columns, (given) => {
        const sealed = sealColumns("a", given);
        for (let bit = 0; bit < sealed.length * 8; bit += 1) {
          const damaged = Buffer.from(sealed);
          damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          expect(() => open(damaged)).toThrow("checksum");
        }
        for (let length = 0; length < sealed.length; length += 1)
          expect(() => open(sealed.subarray(0, length))).toThrow("checksum");
        expect(() => open(sealed, "b")).toThrow("checksum");
      }),
      { numRuns: 20 },
    );
  });

  it("are refused below the least that the reader needs, even when their checksum holds", () => {
    const sealed = sealColumns("a", [Buffer.alloc(7)]);
    expect(open(sealed, "a", 7)).toHaveLength(7);
    expect(() => open(sealed, "a", 8)).toThrow("checksum");
  });

  it("give a column from its start on, of bytes that begin anywhere in their buffer", () => {
    const bytes = new Uint8Array([1, 2, 3, 4, 5]).subarray(1);
    expect(columnAt(Uint8Array, bytes, 1, 2)).toEqual(Uint8Array.of(3, 4));
  });
});
