import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PipelineFailure } from "../../../pipeline/facts/errors.ts";
import type { ProposalVotes } from "../../../pipeline/facts/proposal-votes.ts";
import { checksumOf } from "../../../pipeline/warehouse/database.ts";
import type { OpenSpaceFetch } from "../../../pipeline/warehouse/fetch-writer.ts";
import {
  type PackedVotes,
  packedVotesOf,
  packVotes,
  unpackVotes,
} from "../../../pipeline/warehouse/votes.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { Failure } from "../../../snapshots/base/failure.ts";
import { arbitraryVotes } from "./arbitrary-facts.ts";
import { address, ballot, factsOf, proposal } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

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
const roundTrip = (ballot: ProposalVotes) => unpackVotes(ballot.proposalId, ballot.count, packVotes(ballot));
const options = (count: number) =>
  Array.from({ length: count }, (_, option) => ({ kind: "single" as const, option }));

describe("packVotes", () => {
  it("gives back every ballot as it was", () => {
    fc.assert(
      fc.property(arbitraryVotes, (ballot) => {
        expect(roundTrip(ballot)).toEqual(ballot);
      }),
    );
  });

  it("gives equal bytes for equal ballots", () => {
    fc.assert(
      fc.property(arbitraryVotes, (ballot) => {
        expect(packVotes(structuredClone(ballot)).equals(packVotes(ballot))).toBe(true);
      }),
    );
  });

  const fixed = 16 + 4;
  it.each([
    { why: "nobody voted", ballot: plainProposalVotes(0), bytes: fixed },
    { why: "a vote takes 19 bytes", ballot: plainProposalVotes(2), bytes: fixed + 2 * 19 },
    {
      why: "the largest numbers take no more",
      ballot: plainProposalVotes(2, {
        voterIds: Uint32Array.of(1, 0xffff_ffff),
        timesS: Uint32Array.of(0, 0xffff_ffff),
        powers: Float64Array.of(0, Number.MAX_VALUE),
        flags: Uint8Array.of(0, 255),
      }),
      bytes: fixed + 2 * 19,
    },
    {
      why: "65,536 choices still fit two bytes",
      ballot: plainProposalVotes(2, { choices: options(65_536), choiceIndexes: Uint32Array.of(0, 65_535) }),
      bytes: fixed + 2 * 19,
    },
    {
      why: "beyond them an index takes four",
      ballot: plainProposalVotes(2, { choices: options(65_537), choiceIndexes: Uint32Array.of(0, 65_536) }),
      bytes: fixed + 2 * 21,
    },
  ])("$why", ({ ballot, bytes }) => {
    const list = JSON.stringify(ballot.choices.map((choice) => (choice as { option: number }).option));
    expect(packVotes(ballot)).toHaveLength(bytes + list.length);
    expect(roundTrip(ballot)).toEqual(ballot);
  });

  it("reads bytes that are not aligned, as SQLite gives them", () => {
    const ballot = plainProposalVotes(3, { powers: Float64Array.of(0.1, 1e21, 2) });
    const packed = packVotes(ballot);
    const shifted = Buffer.from(new ArrayBuffer(packed.length + 8), 3, packed.length);
    packed.copy(shifted);
    expect(unpackVotes(ballot.proposalId, 3, shifted)).toEqual(ballot);
  });
});

describe("packed ballot", () => {
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

/** What is thrown; fails where nothing is. */
function refusal(proposalId: string, count: number, bytes: Uint8Array): PipelineFailure {
  try {
    unpackVotes(proposalId, count, bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return error as PipelineFailure;
  }
  throw new Error("damaged bytes were taken for a ballot");
}

function expectRefused(ballot: ProposalVotes, bytes: Uint8Array, count = ballot.count): void {
  const error = refusal(ballot.proposalId, count, bytes);
  expect(error.code).toBe("WAREHOUSE_CORRUPT");
  expect(error.message).toContain(ballot.proposalId);
}

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

/** The same bytes with a checksum that holds again: damage that only a writer's mistake can make. */
function resealed(change: (bytes: Buffer) => void): Buffer {
  const bytes = packVotes(small);
  change(bytes);
  const end = bytes.length - 4;
  bytes.writeUInt32LE(checksumOf(small.proposalId, bytes.subarray(0, end)), end);
  return bytes;
}

describe("unpackVotes", () => {
  it("refuses every truncation", () => {
    fc.assert(
      fc.property(arbitraryVotes, (ballot) => {
        const bytes = packVotes(ballot);
        for (let length = 0; length < bytes.length; length += 1) {
          expectRefused(ballot, bytes.subarray(0, length));
        }
      }),
      { numRuns: 20 },
    );
  });

  it("refuses every flipped bit of a ballot", () => {
    const bytes = packVotes(small);
    for (let index = 0; index < bytes.length * 8; index += 1) {
      const damaged = Buffer.from(bytes);
      damaged[index >> 3] = (damaged[index >> 3] ?? 0) ^ (1 << (index & 7));
      expectRefused(small, damaged);
    }
  });

  it("refuses any other byte in any place of any ballot", () => {
    fc.assert(
      fc.property(arbitraryVotes, fc.nat(), fc.integer({ min: 1, max: 255 }), (ballot, at, mask) => {
        const damaged = packVotes(ballot);
        const index = at % damaged.length;
        damaged[index] = (damaged[index] ?? 0) ^ mask;
        expectRefused(ballot, damaged);
      }),
      { numRuns: 500 },
    );
  });

  it("never crashes otherwise on bytes from nowhere", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => expectRefused(small, bytes)),
      { numRuns: 500 },
    );
  });

  it("refuses a whole ballot under another proposal", () => {
    expect(refusal("0xbeef", 3, packVotes(small)).message).toContain("0xbeef");
  });

  it.each([
    { why: "fewer", count: 2 },
    { why: "more", count: 4 },
    { why: "none", count: 0 },
  ])("refuses a row that counts $why votes", ({ count }) => {
    expectRefused(small, packVotes(small), count);
    expect(refusal(small.proposalId, count, packVotes(small)).message).toContain("count differs");
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
      change: (bytes: Buffer) => bytes.writeUInt32LE(2, 8) && bytes.write("[]", bytes.length - 6),
      says: "columns",
    },
    {
      why: "choice that is none",
      change: (bytes: Buffer) => bytes.write('"', bytes.length - 6),
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
  ])("refuses a $why though its checksum holds", ({ change, says }) => {
    const bytes = resealed(change);
    expectRefused(small, bytes);
    expect(refusal(small.proposalId, small.count, bytes).message).toContain(says);
  });
});
