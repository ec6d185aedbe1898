import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../../../../pipeline/facts/proposal-votes.ts";
import { columnGroups } from "../../../../../pipeline/tools/export/encode.ts";
import { TABLES } from "../../../../../pipeline/tools/export/partitioned/tables.ts";
import { choiceText, voteRows } from "../../../../../pipeline/tools/export/partitioned/vote-rows.ts";
import { arbitraryVotes } from "../../../warehouse/arbitrary-facts.ts";

const nameOf = (voterNumber: number) => `voter ${voterNumber}`;
const named = { voterIdOf: nameOf, rankOf: (voterNumber: number) => voterNumber };

/** The rows by column, as they are stored. */
function rowsOf(spaceId: string, ballots: readonly ProposalVotes[]) {
  const { columns, groupRows } = TABLES.ballots;
  const sizes: number[] = [];
  const rows: Record<string, unknown>[] = [];
  for (const group of columnGroups({ columns, rows: voteRows(spaceId, ballots, named) }, groupRows)) {
    sizes.push(group.rows);
    for (const [name, column] of Object.entries(group.values)) expect(column.length, name).toBe(group.rows);
    for (let row = 0; row < group.rows; row += 1) {
      rows.push(
        Object.fromEntries(Object.entries(group.values).map(([name, column]) => [name, column[row]])),
      );
    }
  }
  return { sizes, rows };
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
    { why: "a second", flags: timeKnown, is: { cast_at_ms: 4_294_967_295_000n, cast_precision: "second" } },
    { why: "a day", flags: dayKnown, is: { cast_at_ms: 4_294_967_295_000n, cast_precision: "day" } },
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
    expect(rowsOf("a.eth", [oneVote(flags)]).rows).toEqual([
      expect.objectContaining({
        space_id: "a.eth",
        proposal_id: "p",
        voter_id: "voter 7",
        choice_number: 0n,
        ...is,
      }),
    ]);
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
    expect(choiceText(choice)).toBe(text);
    expect(rowsOf("a.eth", [oneVote(0, choice)]).rows[0]).toMatchObject({
      choice_kind: choice.kind,
      choice: text,
    });
  });

  it("every vote of any ballots, in their order", () => {
    fc.assert(
      fc.property(fc.array(arbitraryVotes, { maxLength: 4 }), (ballots) => {
        const { rows } = rowsOf("a.eth", ballots);
        const expected = ballots.flatMap((ballot) =>
          Array.from({ length: ballot.count }, (_, row) => {
            const flags = ballot.flags[row] ?? 0;
            const isTimed = (flags & (timeKnown | dayKnown)) !== 0;
            const choice = ballot.choices[ballot.choiceIndexes[row] ?? 0];
            return {
              proposal_id: ballot.proposalId,
              voter_id: nameOf(ballot.voterIds[row] ?? 0),
              power: (flags & powerKnown) === 0 ? null : ballot.powers[row],
              cast_at_ms: isTimed ? BigInt(ballot.timesS[row] ?? 0) * 1000n : null,
              choice: choice === undefined ? null : choiceText(choice),
            };
          }),
        );
        expect(rows.length).toBe(expected.length);
        for (const [index, row] of rows.entries()) expect(row).toMatchObject(expected[index] ?? {});
      }),
    );
  });

  it.each([
    { votes: [65_535], sizes: [65_535] },
    { votes: [65_536], sizes: [65_536] },
    { votes: [65_537], sizes: [65_536, 1] },
    { votes: [0, 40_000, 0, 40_000], sizes: [65_536, 14_464] },
    { votes: [0], sizes: [] },
    { votes: [], sizes: [] },
  ])("$votes votes are groups of $sizes", ({ votes, sizes }) => {
    const ballots = votes.map(
      (count, index): ProposalVotes => ({
        proposalId: `p${index}`,
        count,
        voterIds: Uint32Array.from({ length: count }, (_, row) => row + 1),
        powers: new Float64Array(count),
        timesS: new Uint32Array(count),
        choiceIndexes: new Uint32Array(count),
        flags: new Uint8Array(count),
        choices: [{ kind: "single", option: 1 }],
      }),
    );
    expect(rowsOf("a.eth", ballots).sizes).toEqual(sizes);
  });
});
