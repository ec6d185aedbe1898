import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVotesBuilder } from "../../../pipeline/facts/collect-votes.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import { type CastVote, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import { SAMPLE_START_S, sampleProposal, second } from "./sample-votes.ts";

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

const inSecond = (atS: number) => ({ atS: SAMPLE_START_S + atS, precision: "second" }) as const;

describe("which vote of a voter counts", () => {
  it.each<readonly [why: string, counted: Partial<CastVote>, other: Partial<CastVote>]>([
    ["the later time", { created: inSecond(9) }, { created: inSecond(8) }],
    ["on a tie the larger id", { voteId: "0xb" }, { voteId: "0xa" }],
    ["an id before none", { voteId: "0xa" }, {}],
    ["on a tie without ids the later line", { line: 99 }, { line: 98 }],
    ["a known time before an unknown one", {}, { created: undefined }],
  ])("%s", (_why, counted, other) => {
    const votes = [cast({ ...counted, power: 2 }), cast({ ...other, power: 1 })];
    for (const order of [votes, votes.toReversed()]) {
      const { ballot, setAside } = build(order);
      expect([...ballot.powers]).toEqual([2]);
      expect(setAside).toMatchObject([{ code: "DUPLICATE_VOTE", line: votes[1]?.line }]);
      expect(setAside).toHaveLength(1);
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
  const IN_SECONDS = { start: second(SAMPLE_START_S), end: second(SAMPLE_START_S + 100_000) };
  const IN_DAYS = {
    start: { atMs: Date.parse("2025-05-01"), precision: "day" },
    end: { atMs: Date.parse("2025-05-08T23:59:59.999Z"), precision: "day" },
  } as const;
  const NO_START = { ...IN_SECONDS, start: undefined };
  const NO_END = { ...IN_SECONDS, end: undefined };

  it.each<readonly [isOutside: boolean, why: string, Partial<Proposal>, CastVote["created"]]>([
    [true, "a second before the start", IN_SECONDS, inSecond(-1)],
    [false, "at the start", IN_SECONDS, inSecond(0)],
    [false, "at the end", IN_SECONDS, inSecond(100_000)],
    [true, "a second after the end", IN_SECONDS, inSecond(100_001)],
    [false, "time unknown", IN_SECONDS, undefined],
    [false, "start unknown", NO_START, inSecond(-1_000_000)],
    [false, "end unknown", NO_END, inSecond(1_000_000)],
    [true, "start unknown, past the end", NO_START, inSecond(100_001)],
    [true, "the day before, by day", IN_DAYS, day("2025-04-30")],
    [false, "the first day", IN_DAYS, day("2025-05-01")],
    [false, "the last day", IN_DAYS, day("2025-05-08")],
    [true, "the day after", IN_DAYS, day("2025-05-09")],
    [false, "a day that the start lies in", IN_SECONDS, day("2022-04-15")],
    [true, "the day before the one of the start", IN_SECONDS, day("2022-04-14")],
  ])("has the vote outside %s: %s", (isOutside, _why, window, created) => {
    const { ballot, setAside } = build([cast({ created })], sampleProposal(window));
    expect(ballot.count).toBe(1);
    expect(((ballot.flags[0] ?? 0) & VOTE_FLAGS.outsideWindow) !== 0).toBe(isOutside);
    expect(setAside.map(({ code }) => code)).toEqual(isOutside ? ["VOTE_OUTSIDE_WINDOW"] : []);
  });
});

describe("flags and columns", () => {
  const { powerKnown, timeKnown, dayKnown, reasonKnown, reasonGiven, final, choiceUnreadable } = VOTE_FLAGS;
  const usual = powerKnown | timeKnown | final;
  it.each<readonly [why: string, vote: Partial<CastVote>, flags: number]>([
    ["all known", { isReasonGiven: true }, usual | reasonKnown | reasonGiven],
    ["no power is not power 0", { power: undefined }, timeKnown | final],
    ["power 0 is known", { power: 0 }, usual],
    ["no reason given, and the source would say", { isReasonGiven: false }, usual | reasonKnown],
    ["not final", { isFinal: false }, powerKnown | timeKnown],
    [
      "a day",
      { created: { atS: Date.parse("2022-04-15") / 1000, precision: "day" } },
      powerKnown | dayKnown | final,
    ],
    ["no time", { created: undefined }, powerKnown | final],
    ["unreadable", { choice: 9 }, usual | choiceUnreadable],
  ])("%s", (_why, vote, flags) => {
    expect([...build([cast(vote)]).ballot.flags]).toEqual([flags]);
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
