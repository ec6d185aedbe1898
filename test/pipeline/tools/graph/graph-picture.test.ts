import fc from "fast-check";
import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { graphPicture, layOutGraph } from "../../../../pipeline/tools/graph/graph-picture.ts";
import type { DelegationGraph } from "../../../../snapshots/format/delegates.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import { publishedSet } from "../../../support/published-set.ts";

const PICTURED_MAX = 10;
const fixture = withGraph(publishedSet()).graphs[0]!;

type GraphLayout = ReturnType<typeof layOutGraph>;
type FlowEnd = GraphLayout["delegators"][number];

interface Powers {
  readonly votes: number;
  readonly delegators: number;
  /** Accounts that are counted and not named; they hold as much each as one that is named. */
  readonly folded?: number;
}

/** A graph of delegates with these votes, each delegated by so many accounts of equal parts, or by nobody known. */
function graphWith(delegates: readonly Powers[]): DelegationGraph {
  const total = delegates.reduce((sum, { votes }) => sum + votes, 0);
  const row = fixture.delegates[0]!;
  const power = (votes: number) => ({
    votes: String(votes),
    votes_human: votes,
    votes_share_pct: (100 * votes) / total,
  });
  const partOf = ({ votes, delegators, folded = 0 }: Powers) => votes / (delegators + folded);
  const link = fixture.delegations[0]!;
  return {
    ...fixture,
    totals: { ...fixture.totals, votes: String(total) },
    delegates: delegates.map(({ votes }, index) => ({ ...row, rank: index + 1, ...power(votes) })),
    delegations: delegates
      .flatMap((delegate, index) =>
        Array.from({ length: delegate.delegators }, (_, position) => ({
          ...link,
          address: `0x${index}-${position}`,
          delegate_rank: index + 1,
          ...power(partOf(delegate)),
        })),
      )
      .toSorted((a, b) => b.votes_human - a.votes_human),
    folded_delegations: delegates.flatMap((delegate, index) =>
      delegate.folded === undefined || delegate.folded === 0
        ? []
        : {
            delegate_rank: index + 1,
            delegators_count: delegate.folded,
            ...power(partOf(delegate) * delegate.folded),
          },
    ),
  };
}

/** The mark in which a flow begins or ends. */
const markAt = (ends: readonly FlowEnd[], index: number): FlowEnd | undefined =>
  ends.find(({ middle, half }) => Math.abs(index - middle) <= half + 0.01);

/** Pairs of flows that share a mark and cross: one begins above the other and ends below it. */
function crossings({ delegators, delegates, flows }: GraphLayout): number {
  const marked = flows.map((flow) => ({
    ...flow,
    left: markAt(delegators, flow.from),
    right: markAt(delegates, flow.to),
  }));
  return marked.flatMap((a) =>
    marked.filter((b) => (a.left === b.left || a.right === b.right) && a.from < b.from && a.to > b.to),
  ).length;
}

describe("layOutGraph", () => {
  it.each([
    { why: "boundary: as many as have a line", count: PICTURED_MAX, others: [] },
    { why: "boundary: one more", count: PICTURED_MAX + 1, others: ["other"] },
    { why: "many", count: PICTURED_MAX + 5, others: ["other"] },
  ])("gives the strongest lines of their own, and one to everybody else: $why", ({ count, others }) => {
    const powers = Array.from({ length: count }, (_, index) => ({ votes: 60 - 2 * index, delegators: 1 }));
    const { delegators, delegates } = layOutGraph(graphWith(powers));
    const foldedOf = (side: readonly FlowEnd[]) => side.slice(PICTURED_MAX).map(({ name }) => name);
    expect(foldedOf(delegators)).toEqual(others.map((other) => `${other} delegators`));
    expect(foldedOf(delegates)).toEqual(others.map((other) => `${other} delegates`));
  });

  it("says so where it is not known whose power it is", () => {
    const { delegators } = layOutGraph(fixture);
    expect(delegators.at(-1)).toMatchObject({ name: "unknown delegators", sharePct: 24.99 });
  });

  it("is nothing, and of no height, of a graph of nobody", () => {
    const nobody = layOutGraph(graphWith([]));
    expect(nobody).toEqual({ delegators: [], delegates: [], flows: [], height: 0 });
  });

  // 840 is divided by every number of accounts up to eight.
  const powers = fc.array(
    fc.record({
      votes: fc.integer({ min: 1, max: 50 }).map((n) => n * 840),
      delegators: fc.integer({ min: 0, max: 4 }),
      folded: fc.integer({ min: 0, max: 4 }),
    }),
    { minLength: 1, maxLength: 20 },
  );
  const strongestFirst = (given: readonly Powers[]) => given.toSorted((a, b) => b.votes - a.votes);

  it("lets flows that come from one account, or end in one, cross nowhere", () => {
    fc.assert(
      fc.property(powers, (given) => {
        expect(crossings(layOutGraph(graphWith(strongestFirst(given))))).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it("loses no power between the sides, and keeps marks apart", () => {
    fc.assert(
      fc.property(powers, (given) => {
        const sorted = strongestFirst(given);
        const { delegators, delegates, flows, height } = layOutGraph(graphWith(sorted));
        const halves = (side: typeof delegators) => side.reduce((sum, { half }) => sum + 2 * half, 0);
        const flowing = flows.reduce((sum, { width }) => sum + width, 0);
        expect(halves(delegators)).toBeCloseTo(260, 0);
        expect(halves(delegates)).toBeCloseTo(260, 0);
        expect(flowing).toBeCloseTo(260, 0);
        for (const side of [delegators, delegates]) {
          for (const [index, { middle, half }] of side.entries()) {
            const before = side[index - 1];
            if (before !== undefined) expect(middle - half).toBeGreaterThan(before.middle + before.half);
            expect(middle + half).toBeLessThanOrEqual(height);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** The labels of a picture whose delegates bear a name; throws where it is no XML. */
async function labelsOf(name: string): Promise<readonly (string | null)[]> {
  const delegates = fixture.delegates.map((delegate) =>
    delegate.rank === 1 ? { ...delegate, display_name: name } : delegate,
  );
  const svg = await graphPicture({ ...fixture, delegates });
  const { document } = new JSDOM(svg, { contentType: "image/svg+xml" }).window;
  return [...document.querySelectorAll("text")].map(({ textContent }) => textContent);
}

describe("graphPicture", () => {
  it.each([
    { why: "a plain name", name: "Lantern", label: "Lantern 25.0 %" },
    { why: "characters that XML has not", name: "Lan\uFFFEtern\uFFFF", label: "Lantern 25.0 %" },
    { why: "nothing but such characters", name: "\uFFFE \uFFFF", label: "0x0000…0001 25.0 %" },
    { why: "a space that does not break", name: "Lan\u00A0tern", label: "Lan\u00A0tern 25.0 %" },
    { why: "a name that looks like one", name: "&nbsp;", label: "&nbsp; 25.0 %" },
    { why: "markup", name: "</text><a>]]>&", label: "</text><a>]]>& 25.0 %" },
  ])("is well-formed with $why", async ({ name, label }) => {
    expect(await labelsOf(name)).toContain(label);
  });
});
