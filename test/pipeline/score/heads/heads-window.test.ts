import fc from "fast-check";
import { expect, test } from "vitest";
import { createHeadsWindow } from "../../../../pipeline/score/heads/heads-window.ts";
import { everyoneAlone, sampleMember } from "../sample-facts.ts";
import { concentrationOf, expectedHeads } from "../score-frame.ts";
import { countActive, countHeads } from "./plain-heads.ts";

const VOTERS = 12;

/** Powers near the weight of a head, and far above it. */
const votes = fc.uniqueArray(
  fc.record({ voter: fc.nat(VOTERS - 1), power: fc.constantFrom(0.3, 0.5, 0.9, 1.1, 5, 1e6) }),
  { selector: ({ voter }) => voter, maxLength: VOTERS },
);
const ballots = fc.array(
  fc.record({
    votes,
    attention: fc.constantFrom(1, 1, 0.25, 0.3, 1e-3),
    isUnknown: fc.constantFrom(false, false, true),
  }),
  { minLength: 1, maxLength: 8 },
);
const frames = fc.array(
  fc.record({
    members: fc.uniqueArray(fc.nat(7), { maxLength: 8 }),
    merged: fc.option(fc.array(fc.nat(VOTERS - 1), { minLength: VOTERS, maxLength: VOTERS }), {
      nil: undefined,
    }),
  }),
  { minLength: 1, maxLength: 6 },
);

test("heads counted from frame to frame are, to the bit, those counted anew", () => {
  fc.assert(
    fc.property(ballots, frames, (specs, sequence) => {
      const all = specs.map((spec, index) =>
        sampleMember(
          spec.votes.map((vote) => ({ ...vote, isPowerUnknown: spec.isUnknown })),
          { id: `p${index}`, attention: spec.attention },
        ),
      );
      const window = createHeadsWindow(VOTERS);
      let heads = everyoneAlone(VOTERS);
      for (const { members: chosen, merged } of sequence) {
        // A head is the smallest of its voters, as whoever merges them names it.
        if (merged !== undefined) heads = Int32Array.from(merged, (head, voter) => Math.min(head, voter));
        const named = heads.map((head) => heads[head] ?? head);
        const members = all.filter((_, index) => chosen.includes(index));
        const found = window.count(members, named);
        const anew = countHeads(members, named);
        expect(found.perProposal).toStrictEqual(anew.perProposal);
        expect(found.expected).toBe(expectedHeads(anew));
        expect(found.concentrations).toStrictEqual(members.map((each) => concentrationOf(each.votes, named)));
        const recent = members.slice(1);
        expect(window.activeCount(recent, named)).toBe(countActive(recent, named));
        expect(window.count(members, named)).toBe(found);
      }
    }),
    { numRuns: 500 },
  );
});
