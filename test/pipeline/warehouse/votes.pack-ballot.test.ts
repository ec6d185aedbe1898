import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ProposalVotes, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import { packVotes, unpackVotes } from "../../../pipeline/warehouse/votes.ts";
import { arbitraryVotes } from "./arbitrary-facts.ts";

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

  const fixed = 24 + 4;
  const known = Uint8Array.of(VOTE_FLAGS.powerKnown, VOTE_FLAGS.powerKnown);
  it.each([
    { why: "nobody voted", ballot: plainProposalVotes(0), bytes: fixed + "[]".length },
    {
      why: "no power, time or differing choice takes no room",
      ballot: plainProposalVotes(2),
      bytes: fixed + 2 + 3,
    },
    {
      why: "a known power takes eight bytes for everybody",
      ballot: plainProposalVotes(2, { powers: Float64Array.of(0.5, 0), flags: known }),
      bytes: fixed + 2 + 16 + 3,
    },
    {
      why: "differing flags take a byte each",
      ballot: plainProposalVotes(2, { flags: Uint8Array.of(2, 4) }),
      bytes: fixed + 2 + 2 + 3,
    },
    {
      why: "a step of 127 is the last of one byte",
      ballot: plainProposalVotes(2, { voterIds: Uint32Array.of(1, 128) }),
      bytes: fixed + 2 + 3,
    },
    {
      why: "a step of 128 takes two",
      ballot: plainProposalVotes(2, { voterIds: Uint32Array.of(1, 129) }),
      bytes: fixed + 3 + 3,
    },
    {
      why: "the largest voter number takes five",
      ballot: plainProposalVotes(1, { voterIds: Uint32Array.of(0xffff_ffff) }),
      bytes: fixed + 5 + 3,
    },
    {
      why: "equal times take one byte beside an unknown one",
      ballot: plainProposalVotes(2, { timesS: Uint32Array.of(0, 1_700_000_000) }),
      bytes: fixed + 2 + 2 + 3,
    },
    {
      why: "a week of voting takes three bytes a time",
      ballot: plainProposalVotes(2, { timesS: Uint32Array.of(1_700_000_000, 1_700_604_800) }),
      bytes: fixed + 2 + 6 + 3,
    },
    {
      why: "the whole range of times still fits",
      ballot: plainProposalVotes(2, { timesS: Uint32Array.of(1, 0xffff_ffff) }),
      bytes: fixed + 2 + 8 + 3,
    },
    {
      why: "256 choices still fit one byte",
      ballot: plainProposalVotes(2, { choices: options(256), choiceIndexes: Uint32Array.of(0, 255) }),
      bytes: fixed + 2 + 2 + JSON.stringify(options(256).map((one) => one.option)).length,
    },
    {
      why: "257 choices take two",
      ballot: plainProposalVotes(2, { choices: options(257), choiceIndexes: Uint32Array.of(0, 256) }),
      bytes: fixed + 2 + 4 + JSON.stringify(options(257).map((one) => one.option)).length,
    },
    {
      why: "beyond 65,536 choices an index takes four",
      ballot: plainProposalVotes(2, { choices: options(65_537), choiceIndexes: Uint32Array.of(0, 65_536) }),
      bytes: fixed + 2 + 8 + JSON.stringify(options(65_537).map((one) => one.option)).length,
    },
  ])("$why", ({ ballot, bytes }) => {
    expect(packVotes(ballot)).toHaveLength(bytes);
    expect(roundTrip(ballot)).toEqual(ballot);
  });

  it("is little-endian, whatever the machine", () => {
    const power = Float64Array.of(1);
    const packed = packVotes(plainProposalVotes(1, { powers: power, flags: Uint8Array.of(1) }));
    expect(packed.subarray(8, 12).toString("hex")).toBe("01000000");
    expect(packed.subarray(25, 33).toString("hex")).toBe("000000000000f03f");
  });
});
