import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layOutGraph, PICTURED_MAX } from "../../../../pipeline/exports/report/graph-layout.ts";
import type { DelegationGraph } from "../../../../snapshots/format/delegation-graph.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import { publishedSet } from "../../../support/published-set.ts";

const fixture = withGraph(publishedSet()).graphs[0]!;

/** A graph of delegates with these votes, each delegated by so many accounts of equal parts, or by nobody known. */
function graphWith(
  delegates: readonly { readonly votes: number; readonly delegators: number }[],
): DelegationGraph {
  const total = delegates.reduce((sum, { votes }) => sum + votes, 0);
  const row = fixture.delegates[0]!;
  const power = (votes: number) => ({
    votes: String(votes),
    votes_human: votes,
    votes_share_pct: (100 * votes) / total,
  });
  const link = fixture.delegations[0]!;
  return {
    ...fixture,
    totals: { ...fixture.totals, votes: String(total) },
    delegates: delegates.map(({ votes }, index) => ({ ...row, rank: index + 1, ...power(votes) })),
    delegations: delegates
      .flatMap(({ votes, delegators }, index) =>
        Array.from({ length: delegators }, (_, place) => ({
          ...link,
          address: `0x${index}-${place}`,
          delegate_rank: index + 1,
          ...power(votes / delegators),
        })),
      )
      .toSorted((a, b) => b.votes_human - a.votes_human),
    folded_delegations: [],
  };
}

describe("layOutGraph", () => {
  it("gives the strongest lines of their own, and one to everybody else", () => {
    const many = Array.from({ length: PICTURED_MAX + 2 }, (_, index) => ({
      votes: 60 - 2 * index,
      delegators: 2,
    }));
    const { delegators, delegates } = layOutGraph(graphWith(many));
    expect([delegators.length, delegates.length]).toEqual([PICTURED_MAX + 1, PICTURED_MAX + 1]);
    expect(delegators.at(-1)?.name).toBe("other delegators");
    expect(delegates.at(-1)?.name).toBe("other delegates");
  });

  it.each([
    { why: "boundary: as many as have a line", count: PICTURED_MAX, others: 0 },
    { why: "boundary: one more", count: PICTURED_MAX + 1, others: 1 },
  ])("folds nobody without need: $why", ({ count, others }) => {
    const { delegates } = layOutGraph(graphWith(Array(count).fill({ votes: 5, delegators: 1 })));
    expect(delegates).toHaveLength(PICTURED_MAX + others);
  });

  it("says so where it is not known whose power it is", () => {
    const { delegators } = layOutGraph(fixture);
    expect(delegators.at(-1)).toMatchObject({ name: "not known whose", sharePct: 24.99 });
  });

  it("is nothing, and of no height, of a graph of nobody", () => {
    const nobody = layOutGraph(graphWith([]));
    expect(nobody).toEqual({ delegators: [], delegates: [], flows: [], height: 0 });
  });

  it("loses no power between the sides, and keeps marks apart", () => {
    const parts = fc.record({
      votes: fc.integer({ min: 1, max: 50 }).map((n) => n * 60),
      delegators: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 20 }), (powers) => {
        const sorted = powers.toSorted((a, b) => b.votes - a.votes);
        const { delegators, delegates, flows, height } = layOutGraph(graphWith(sorted));
        const halves = (side: typeof delegators) => side.reduce((sum, { half }) => sum + 2 * half, 0);
        const flowing = flows.reduce((sum, { width }) => sum + width, 0);
        expect(halves(delegators)).toBeCloseTo(260, 0);
        expect(halves(delegates)).toBeCloseTo(260, 0);
        expect(flowing).toBeCloseTo(260, 0);
        for (const side of [delegators, delegates]) {
          for (const [place, { middle, half }] of side.entries()) {
            const before = side[place - 1];
            if (before !== undefined) expect(middle - half).toBeGreaterThan(before.middle + before.half);
            expect(middle + half).toBeLessThanOrEqual(height);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
