import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PipelineFailure } from "../../../pipeline/facts/errors.ts";
import type { ProposalVotes } from "../../../pipeline/facts/proposal-votes.ts";
import { checksumOf } from "../../../pipeline/warehouse/database.ts";
import { packVotes, unpackVotes } from "../../../pipeline/warehouse/votes.ts";
import { Failure } from "../../../snapshots/base/failure.ts";
import { arbitraryVotes } from "./arbitrary-facts.ts";

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
  });

  it.each([
    { why: "format of a later program", change: (bytes: Buffer) => bytes.writeUInt8(2, 0), says: "format 2" },
    { why: "width that no number has", change: (bytes: Buffer) => bytes.writeUInt8(9, 1), says: "columns" },
    { why: "power of four bytes", change: (bytes: Buffer) => bytes.writeUInt8(4, 4), says: "columns" },
    {
      why: "list that is too long",
      change: (bytes: Buffer) => bytes.writeUInt32LE(999, 16),
      says: "columns",
    },
    { why: "voter without an end", change: (bytes: Buffer) => bytes.fill(0xff, 24, 30), says: "voters" },
    {
      why: "choice that is none",
      change: (bytes: Buffer) => bytes.write('"', bytes.length - 6),
      says: "choices",
    },
    { why: "index past the list", change: (bytes: Buffer) => bytes.writeUInt8(2, 36), says: "index" },
  ])("refuses a $why though its checksum holds", ({ change, says }) => {
    const bytes = resealed(change);
    expectRefused(small, bytes);
    expect(refusal(small.proposalId, small.count, bytes).message).toContain(says);
  });
});
