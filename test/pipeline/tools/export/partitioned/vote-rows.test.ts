import { describe, expect, it } from "vitest";
import { buildEvidence } from "../../../../../pipeline/documents/evidence-documents.ts";
import type { Proposal } from "../../../../../pipeline/facts/proposal.ts";
import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../../../../pipeline/facts/proposal-votes.ts";
import { createDaoMeasurer } from "../../../../../pipeline/score/measure-dao.ts";
import { scoreMeasures } from "../../../../../pipeline/score/score-measures.ts";
import { TABLES } from "../../../../../pipeline/tools/export/partitioned/tables.ts";
import {
  assertBelonging,
  type HeldVotes,
  heldVotes,
  voteRows,
} from "../../../../../pipeline/tools/export/partitioned/vote-rows.ts";
import { DAY, sampleDao, sampleProposal, sampleProposalVotes, T } from "../../../score/sample-facts.ts";

const named = { voterIdOf: (voter: number) => `voter ${voter}`, rankOf: (voter: number) => voter };

/** The only row of a ballot with one vote, its cells by column. */
function rowOf(votes: ProposalVotes) {
  const [cells = [], ...others] = voteRows("a.eth", [votes], named);
  expect(others).toEqual([]);
  return Object.fromEntries(TABLES.ballots.columns.map(({ name }, index) => [name, cells[index]]));
}

const { powerKnown, timeKnown, dayKnown, reasonGiven, reasonKnown, final, outsideWindow, choiceUnreadable } =
  VOTE_FLAGS;

function oneVote(flags: number, choice: Choice = { kind: "single", option: 1 }): ProposalVotes {
  return {
    proposalId: "p",
    count: 1,
    voterIds: Uint32Array.of(7),
    powers: Float64Array.of(0),
    timesS: Uint32Array.of(4_294_967_295),
    choiceIndexes: Uint32Array.of(0),
    flags: Uint8Array.of(flags),
    choices: [choice],
  };
}

describe("votes as columns", () => {
  it.each([
    { why: "a power of 0 is known", flags: powerKnown, is: { power: 0 } },
    { why: "a power that is not known is null, not 0", flags: 0, is: { power: null } },
    { why: "a second", flags: timeKnown, is: { cast_at_ms: 4_294_967_295_000, cast_precision: "second" } },
    { why: "a day", flags: dayKnown, is: { cast_at_ms: 4_294_967_295_000, cast_precision: "day" } },
    { why: "no time is null, not 1970", flags: 0, is: { cast_at_ms: null, cast_precision: null } },
    { why: "a reason", flags: reasonKnown | reasonGiven, is: { is_reason_given: true } },
    { why: "no reason", flags: reasonKnown, is: { is_reason_given: false } },
    { why: "nobody tells of a reason", flags: reasonGiven, is: { is_reason_given: null } },
    {
      why: "final",
      flags: final,
      is: { is_final: true, is_outside_window: false, is_choice_unreadable: false },
    },
    { why: "outside", flags: outsideWindow, is: { is_final: false, is_outside_window: true } },
    { why: "unreadable", flags: choiceUnreadable, is: { is_choice_unreadable: true } },
  ])("$why", ({ flags, is }) => {
    const place = { space_id: "a.eth", proposal_id: "p", voter_id: "voter 7", choice_number: 0 };
    expect(rowOf(oneVote(flags))).toMatchObject({ ...place, ...is });
  });

  it.each<{ choice: Choice; text: string | null }>([
    { choice: { kind: "single", option: 12 }, text: "12" },
    { choice: { kind: "list", options: [3, 1, 2] }, text: "[3,1,2]" },
    {
      choice: {
        kind: "weights",
        weights: [
          [2, 0.5],
          [10, 1],
        ],
      },
      text: '{"2":0.5,"10":1}',
    },
    { choice: { kind: "unreadable" }, text: null },
  ])("a choice is spelled $text", ({ choice, text }) => {
    expect(rowOf(oneVote(0, choice))).toMatchObject({ choice_kind: choice.kind, choice: text });
  });
});

const ONE = sampleProposal("0x1", { scoresTotal: 0.6, votesCount: 3, endDaysAgo: 4 });
const UNKNOWN = sampleProposal("0x2", {
  created: undefined,
  start: undefined,
  state: undefined,
  scoresState: undefined,
  endDaysAgo: 9,
});
const BALLOT = sampleProposalVotes("0x1", [
  { voter: 1, power: 0.3 },
  { voter: 2, power: 0.2 },
  { voter: 3, power: 0.1 },
]);
const held = (votes: ProposalVotes) => heldVotes(votes, new Map());
const ballotOf = (...powers: readonly (number | undefined)[]) =>
  sampleProposalVotes(
    "0x1",
    powers.map((power, voter) => ({ voter, power, isPowerUnknown: power === undefined })),
  );
const facts = sampleDao({ proposals: [UNKNOWN, ONE], held: [BALLOT] });
const evidence = createDaoMeasurer(facts, () => undefined).evidenceAt(T);
const built = buildEvidence(evidence, scoreMeasures(evidence.measures));
const lines = new Map(built.proposals.map((line) => [line.id, line]));
const HELD: ReadonlyMap<string, HeldVotes> = new Map([["0x1", held(BALLOT)]]);
const check =
  (proposals: readonly Proposal[], held = HELD) =>
  () =>
    assertBelonging("v1", "a.eth", proposals, lines, held);
const STALE = (what: string) =>
  expect.objectContaining({ code: "SNAPSHOT_STALE", message: expect.stringContaining(what) });
const changed = (change: Partial<Proposal>) => [{ ...ONE, ...change }, UNKNOWN];

describe("a version and the facts that it was made of", () => {
  it("belong together", () => {
    expect(lines.size).toBe(2);
    expect(check([ONE, UNKNOWN])).not.toThrow();
  });

  it.each<{ what: string; change: Partial<Proposal> }>([
    { what: "created", change: { created: { atMs: T - 30 * DAY, precision: "second" } } },
    { what: "created", change: { created: undefined } },
    { what: "start", change: { start: { atMs: (ONE.start?.atMs ?? 0) + 1, precision: "second" } } },
    { what: "end", change: { end: undefined } },
    { what: "state", change: { state: "cancelled" } },
    { what: "scores_state", change: { scoresState: "pending" } },
    { what: "flagged", change: { isFlagged: true } },
    { what: "deleted", change: { isDeleted: true } },
    { what: "votes_count", change: { votesCount: 0 } },
    { what: "scores_total", change: { scoresTotal: 0.6000000000000001 } },
  ])("do not where one proposal has another $what: $change", ({ what, change }) => {
    expect(check(changed(change))).toThrow(STALE(`of a.eth: proposal 0x1 differs (${what})`));
  });

  it.each<{ what: string; votes: ProposalVotes | undefined; why: string }>([
    { what: "votes of its ballot", votes: undefined, why: "it is gone" },
    { what: "votes of its ballot", votes: ballotOf(0.5, 0.1), why: "one vote less" },
    { what: "power of its ballot", votes: ballotOf(0.3, 0.2, undefined), why: "a vote of unknown power" },
    { what: "power of its ballot", votes: ballotOf(0.3, 0.2, 0.09), why: "less power" },
    { what: "shares of its ballot", votes: ballotOf(0.3, 0.2, 0.4), why: "more than the declared power" },
    { what: "shares of its ballot", votes: ballotOf(0.4, 0.1, 0.1), why: "the same power among others" },
  ])("do not with other $what: $why", ({ what, votes }) => {
    const other = new Map(votes === undefined ? [] : [["0x1", held(votes)]]);
    expect(check([ONE, UNKNOWN], other)).toThrow(STALE(`differs (${what})`));
  });

  it("do not where voters are one person that were scored as two", () => {
    const joint = new Map([
      [1, "ent"],
      [2, "ent"],
    ]);
    expect(check([ONE, UNKNOWN], new Map([["0x1", heldVotes(BALLOT, joint)]]))).toThrow(
      STALE("differs (shares of its ballot)"),
    );
  });

  it("do not where the power of a ballot without a declared total is another", () => {
    const open = { ...ONE, scoresTotal: undefined };
    const daoMeasurer = createDaoMeasurer(sampleDao({ proposals: [open], held: [BALLOT] }), () => undefined);
    const ofOpen = daoMeasurer.evidenceAt(T);
    const [line] = buildEvidence(ofOpen, scoreMeasures(ofOpen.measures)).proposals;
    const checkOpen = (votes: ProposalVotes) => () =>
      assertBelonging(
        "v1",
        "a.eth",
        [open],
        new Map(line && [["0x1", line]]),
        new Map([["0x1", held(votes)]]),
      );
    expect(checkOpen(BALLOT)).not.toThrow();
    expect(checkOpen(ballotOf(3, 2, 1))).toThrow(STALE("differs (power of its ballot)"));
  });

  it("do not where one of them knows more", () => {
    expect(check([ONE])).toThrow(STALE("it has 2 proposals, the home 1"));
    expect(check([ONE, { ...UNKNOWN, proposalId: "0x3" }])).toThrow(
      STALE("0x3 differs (it is not in the version)"),
    );
  });
});
