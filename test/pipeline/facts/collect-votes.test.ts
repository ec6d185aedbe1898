import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVotesBuilder } from "../../../pipeline/facts/collect-votes.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import { type CastVote, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import { SAMPLE_START_S, sampleProposal, second } from "./sample-proposal.ts";

let line = 0;

/** A final vote for option 1 with power 5 by voter 1, in the window; each on a line of its own. */
function cast(change: Partial<CastVote> = {}): CastVote {
  line += 1;
  return {
    voterId: 1,
    created: { atS: SAMPLE_START_S + 10, precision: "second" },
    choice: 1,
    power: 5,
    isReasonGiven: undefined,
    isFinal: true,
    voteId: undefined,
    line,
    ...change,
  };
}

function build(votes: readonly CastVote[], proposal: Proposal = sampleProposal()) {
  const builder = createVotesBuilder(proposal);
  for (const vote of votes) builder.add(vote);
  return builder.finish();
}

describe("which vote of a voter counts", () => {
  const secondsIn = (atS: number): CastVote["created"] => ({
    atS: SAMPLE_START_S + atS,
    precision: "second",
  });
  it.each([
    {
      why: "the later time",
      votes: [cast({ created: secondsIn(9), power: 2 }), cast({ created: secondsIn(8), power: 1 })],
      power: 2,
    },
    {
      why: "on a tie the larger id",
      votes: [cast({ voteId: "0xb", power: 2 }), cast({ voteId: "0xa", power: 1 })],
      power: 2,
    },
    { why: "an id before none", votes: [cast({ voteId: "0xa", power: 2 }), cast({ power: 1 })], power: 2 },
    { why: "on a tie without ids the later line", votes: [cast({ power: 1 }), cast({ power: 2 })], power: 2 },
    {
      why: "a known time before an unknown one",
      votes: [cast({ power: 2 }), cast({ created: undefined, power: 1 })],
      power: 2,
    },
  ])("$why", ({ votes, power }) => {
    for (const order of [votes, votes.toReversed()]) {
      const { ballot, setAside } = build(order);
      expect([...ballot.powers]).toEqual([power]);
      const loser = votes.find((vote) => vote.power !== power);
      expect(setAside.map(({ code, line: lineNumber }) => ({ code, at: lineNumber }))).toEqual([
        { code: "DUPLICATE_VOTE", at: loser?.line },
      ]);
    }
  });

  it("counts exact repeats as duplicates, each once", () => {
    const vote = cast();
    const { ballot, setAside } = build([vote, vote, vote]);
    expect(ballot.count).toBe(1);
    expect(setAside.map(({ code }) => code)).toEqual(["DUPLICATE_VOTE", "DUPLICATE_VOTE"]);
  });
});

describe("the window of a vote", () => {
  const day = (text: string) => ({ atS: Date.parse(text) / 1000, precision: "day" }) as const;
  const inSeconds = { start: second(SAMPLE_START_S), end: second(SAMPLE_START_S + 100_000) };
  const inDays = {
    start: { atMs: Date.parse("2025-05-01"), precision: "day" },
    end: { atMs: Date.parse("2025-05-08T23:59:59.999Z"), precision: "day" },
  } as const;
  const momentOf = (offset: number) => ({ atS: SAMPLE_START_S + offset, precision: "second" }) as const;

  it.each([
    { why: "a second before the start", window: inSeconds, created: momentOf(-1), outside: true },
    { why: "at the start", window: inSeconds, created: momentOf(0), outside: false },
    { why: "at the end", window: inSeconds, created: momentOf(100_000), outside: false },
    { why: "a second after the end", window: inSeconds, created: momentOf(100_001), outside: true },
    { why: "time unknown", window: inSeconds, created: undefined, outside: false },
    {
      why: "start unknown",
      window: { ...inSeconds, start: undefined },
      created: momentOf(-1_000_000),
      outside: false,
    },
    {
      why: "end unknown",
      window: { ...inSeconds, end: undefined },
      created: momentOf(1_000_000),
      outside: false,
    },
    {
      why: "start unknown, past the end",
      window: { ...inSeconds, start: undefined },
      created: momentOf(100_001),
      outside: true,
    },
    { why: "the day before, by day", window: inDays, created: day("2025-04-30"), outside: true },
    { why: "the first day", window: inDays, created: day("2025-05-01"), outside: false },
    { why: "the last day", window: inDays, created: day("2025-05-08"), outside: false },
    { why: "the day after", window: inDays, created: day("2025-05-09"), outside: true },
    { why: "a day that the start lies in", window: inSeconds, created: day("2022-04-15"), outside: false },
    {
      why: "the day before the one of the start",
      window: inSeconds,
      created: day("2022-04-14"),
      outside: true,
    },
  ])("$why", ({ window, created, outside }) => {
    const { ballot, setAside } = build([cast({ created })], sampleProposal(window));
    expect(ballot.count).toBe(1);
    expect(((ballot.flags[0] ?? 0) & VOTE_FLAGS.outsideWindow) !== 0).toBe(outside);
    expect(setAside.map(({ code }) => code)).toEqual(outside ? ["VOTE_OUTSIDE_WINDOW"] : []);
  });
});

describe("flags and columns", () => {
  const { powerKnown, timeKnown, dayKnown, reasonKnown, reasonGiven, final, choiceUnreadable } = VOTE_FLAGS;
  it.each([
    {
      why: "all known",
      vote: cast({ isReasonGiven: true }),
      flags: powerKnown | timeKnown | reasonKnown | reasonGiven | final,
    },
    { why: "no power is not power 0", vote: cast({ power: undefined }), flags: timeKnown | final },
    { why: "power 0 is known", vote: cast({ power: 0 }), flags: powerKnown | timeKnown | final },
    {
      why: "no reason given, and the source would say",
      vote: cast({ isReasonGiven: false }),
      flags: powerKnown | timeKnown | reasonKnown | final,
    },
    { why: "not final", vote: cast({ isFinal: false }), flags: powerKnown | timeKnown },
    {
      why: "a day",
      vote: cast({ created: { atS: Date.parse("2022-04-15") / 1000, precision: "day" } }),
      flags: powerKnown | dayKnown | final,
    },
    { why: "no time", vote: cast({ created: undefined }), flags: powerKnown | final },
    {
      why: "unreadable",
      vote: cast({ choice: 9 }),
      flags: powerKnown | timeKnown | final | choiceUnreadable,
    },
  ])("$why", ({ vote, flags }) => {
    expect([...build([vote]).ballot.flags]).toEqual([flags]);
  });

  it("keeps unreadable votes, their power and one reason each", () => {
    const votes = [
      cast({ voterId: 7, choice: 9, power: 3 }),
      cast({ voterId: 3, choice: "0xsealed", created: { atS: SAMPLE_START_S - 1, precision: "second" } }),
      cast({ voterId: 5, choice: 2 }),
    ];
    const { ballot, setAside } = build(votes);
    expect([...ballot.voterIds]).toEqual([3, 5, 7]);
    expect(ballot.choices).toEqual([{ kind: "single", option: 2 }, { kind: "unreadable" }]);
    expect([...ballot.choiceIndexes]).toEqual([1, 0, 1]);
    expect(setAside.map(({ code, line: lineNumber }) => [lineNumber, code])).toEqual([
      [votes[0]?.line, "CHOICE_UNREADABLE"],
      [votes[1]?.line, "VOTE_OUTSIDE_WINDOW"],
      [votes[1]?.line, "CHOICE_UNREADABLE"],
    ]);
    expect(setAside[2]?.message).toContain("never decrypted");
  });

  it("makes a ballot of no votes", () => {
    expect(build([])).toMatchObject({ ballot: { count: 0, choices: [] }, setAside: [] });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])(
    "stops on a power of %s, which a source must refuse",
    (power) => {
      expect(() => build([cast({ power })])).toThrow("power");
    },
  );

  it("holds a ballot that grew many times", () => {
    const votes = Array.from({ length: 5_000 }, (_, n) =>
      cast({ voterId: 5_000 - n, power: n, choice: (n % 3) + 1 }),
    );
    const { ballot } = build(votes);
    expect(ballot.count).toBe(5_000);
    expect([ballot.voterIds[0], ballot.powers[0], ballot.voterIds[4_999], ballot.powers[4_999]]).toEqual([
      1, 4_999, 5_000, 0,
    ]);
    expect(ballot.choices).toHaveLength(3);
  });

  it("tells the highest voter number apart", () => {
    const { ballot } = build([cast({ voterId: 2 ** 32 - 1 }), cast({ voterId: 2 ** 32 - 2 })]);
    expect([...ballot.voterIds]).toEqual([2 ** 32 - 2, 2 ** 32 - 1]);
  });
});

describe("properties", () => {
  const vote = fc.record({
    voterId: fc.integer({ min: 1, max: 12 }),
    created: fc.option(
      fc.record({
        atS: fc.integer({ min: SAMPLE_START_S - 3, max: SAMPLE_START_S + 3 }),
        precision: fc.constant("second" as const),
      }),
      { nil: undefined },
    ),
    choice: fc.oneof(
      fc.integer({ min: 0, max: 4 }),
      fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("1", "2", "3"), fc.constantFrom(0, 1, 2.5)),
    ),
    power: fc.option(fc.double({ min: 0, max: 1e21, noNaN: true }), { nil: undefined }),
    isReasonGiven: fc.constantFrom(undefined, true, false),
    isFinal: fc.boolean(),
    voteId: fc.constantFrom(undefined, "0xa", "0xb"),
  });
  const votesOnLines = fc
    .array(vote, { maxLength: 40 })
    .map((votes) => votes.map((item, index): CastVote => ({ ...item, line: index + 1 })));
  const type = fc.constantFrom(undefined, "unknown", "single-choice", "approval", "weighted");

  it("the same votes in another order are the same ballot", () => {
    const shuffled = votesOnLines.chain((votes) =>
      fc.tuple(fc.constant(votes), fc.shuffledSubarray(votes, { minLength: votes.length })),
    );
    fc.assert(
      fc.property(shuffled, type, ([votes, others], votingType) => {
        const proposal = sampleProposal({ votingType });
        expect(build(others, proposal)).toEqual(build(votes, proposal));
      }),
    );
  });

  it("adding votes again changes the number of duplicates and nothing else", () => {
    fc.assert(
      fc.property(votesOnLines, (votes) => {
        const once = build(votes);
        const twice = build([...votes, ...votes]);
        expect(twice.ballot).toEqual(once.ballot);
        const duplicates = (built: typeof once) =>
          built.setAside.filter(({ code }) => code === "DUPLICATE_VOTE");
        expect(duplicates(twice)).toHaveLength(duplicates(once).length + votes.length);
        expect(once.ballot.count + duplicates(once).length).toBe(votes.length);
      }),
    );
  });
});
