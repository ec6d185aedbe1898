import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rankDelegates } from "../../../../pipeline/score/delegates/rank-delegates.ts";
import { type Delegation, traceDelegations } from "../../../../pipeline/score/delegates/trace-delegations.ts";
import { GRAPH_ACCOUNTS_MAX } from "../../../../snapshots/format/limits.ts";

type Power = readonly [delegate: string, votes: bigint];
type Link = readonly [delegator: string, delegate: string, votes: bigint];

function traced(powers: readonly Power[], links: readonly Link[]) {
  const delegations = links.map(
    ([delegator, delegate, votes]): Delegation => ({ delegator, delegate, votes }),
  );
  const ranking = rankDelegates({
    date: undefined,
    asOfMs: undefined,
    fetchedAtMs: 0,
    decimals: 0,
    delegates: powers.map(([address, votes]) => ({
      address,
      votes,
      delegatorsCount: links.filter(([, delegate]) => delegate === address).length,
      ens: undefined,
    })),
  });
  return { ranking, ...traceDelegations(ranking, delegations) };
}

/** `delegator>rank votes`, and `count>rank votes` of those that are folded. */
function told(found: ReturnType<typeof traced>): string[] {
  return [
    ...found.strong.map((each) => `${each.delegator}>${each.delegateRank ?? "others"} ${each.votes}`),
    ...found.weak.map(
      ({ delegatorsCount, delegateRank, votes }) =>
        `${delegatorsCount}>${delegateRank ?? "others"} ${votes ?? "unknown"}`,
    ),
  ];
}

describe("traceDelegations", () => {
  test.each<{ why: string; powers: Power[]; links: Link[]; expected: string[]; traced: bigint }>([
    { why: "low: nobody", powers: [], links: [], expected: [], traced: 0n },
    { why: "to oneself", powers: [["a", 5n]], links: [["a", "a", 5n]], expected: ["a>1 5"], traced: 5n },
    {
      why: "the strongest first, by address where they hold the same",
      powers: [["z", 9n]],
      links: [
        ["c", "z", 2n],
        ["b", "z", 2n],
        ["a", "z", 5n],
      ],
      expected: ["a>1 5", "b>1 2", "c>1 2"],
      traced: 9n,
    },
    {
      why: "a chain is two single steps: what c hands on is its own, not what a gave it",
      powers: [
        ["c", 1n],
        ["d", 5n],
      ],
      links: [
        ["c", "d", 5n],
        ["a", "c", 1n],
      ],
      expected: ["c>1 5", "a>2 1"],
      traced: 6n,
    },
    {
      why: "gap: holders together have less than the delegate: nobody's power is known",
      powers: [
        ["z", 9n],
        ["y", 2n],
      ],
      links: [
        ["a", "z", 5n],
        ["b", "z", 3n],
        ["c", "y", 2n],
      ],
      expected: ["c>2 2", "2>1 unknown"],
      traced: 2n,
    },
    {
      why: "gap: more than the delegate",
      powers: [["z", 4n]],
      links: [["a", "z", 5n]],
      expected: ["1>1 unknown"],
      traced: 0n,
    },
    { why: "gap: power of which nothing is known", powers: [["z", 4n]], links: [], expected: [], traced: 0n },
    {
      why: "whoever has no power is no delegate, here as in the ranking",
      powers: [["z", 0n]],
      links: [
        ["a", "z", 5n],
        ["b", "y", 1n],
      ],
      expected: [],
      traced: 0n,
    },
  ])("$why", ({ powers, links, expected, traced: tracedVotes }) => {
    const found = traced(powers, links);
    expect(told(found)).toStrictEqual(expected);
    expect(found.tracedVotes).toBe(tracedVotes);
  });

  const many = (count: number): Link[] =>
    Array.from({ length: count }, (_, index) => [
      `d${String(index).padStart(3, "0")}`,
      "z",
      BigInt(1000 - index),
    ]);
  const sumOf = (links: readonly Link[]) => links.reduce((sum, [, , votes]) => sum + votes, 0n);

  test.each([
    { why: "boundary: the hundredth is named", count: GRAPH_ACCOUNTS_MAX, folds: [] },
    { why: "boundary: the next one is folded", count: GRAPH_ACCOUNTS_MAX + 1, folds: ["1>1 900"] },
    { why: "high: all beyond are one", count: GRAPH_ACCOUNTS_MAX + 3, folds: ["3>1 2697"] },
  ])("delegators: $why", ({ count, folds }) => {
    const links = many(count);
    const found = told(traced([["z", sumOf(links)]], links));
    expect(found).toHaveLength(GRAPH_ACCOUNTS_MAX + folds.length);
    expect(found.slice(GRAPH_ACCOUNTS_MAX)).toStrictEqual(folds);
  });

  test("delegates beyond the hundredth have no rank; of them unknown power stands behind known", () => {
    const own = Array.from({ length: GRAPH_ACCOUNTS_MAX + 4 }, (_, index): Link => {
      const address = `d${String(index).padStart(3, "0")}`;
      return [address, address, BigInt(1000 - index)];
    });
    const powers = own.map(
      ([address, , votes], index): Power => [address, index === 100 ? votes + 1n : votes],
    );
    const found = told(traced(powers, [...own, ["whale", "d103", 2000n]]));
    // Of d100 the logs say more than it holds, of d103 less than it and the whale do.
    expect(found.slice(GRAPH_ACCOUNTS_MAX - 1)).toStrictEqual([
      "d099>100 901",
      "2>others 1797",
      "3>others unknown",
    ]);
  });
});

const account = fc.integer({ min: 0, max: 260 }).map((index) => `a${String(index).padStart(3, "0")}`);
const votes = fc.bigInt({ min: 1n, max: 2n ** 200n });

test("whatever is held and said: parts add up to totals, nobody is counted twice, nothing is invented", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(account, account, votes), {
        maxLength: 260,
        selector: ([delegator]) => delegator,
      }),
      fc.dictionary(account, fc.bigInt({ min: 0n, max: 2n ** 200n }), { maxKeys: 30 }),
      (links, said) => {
        const powers = new Map<string, bigint>();
        for (const [, delegate, held] of links) powers.set(delegate, (powers.get(delegate) ?? 0n) + held);
        // Most delegates have what their delegators hold; of the others the logs say something else.
        for (const [address, power] of Object.entries(said)) powers.set(address, power);
        const { ranking, strong, weak, delegatorsCount, tracedVotes } = traced([...powers], links);
        const known = weak.flatMap((each) => (each.votes === undefined ? [] : [each.votes]));
        const sum = (parts: readonly bigint[]) => parts.reduce((a, b) => a + b, 0n);
        expect(sum(strong.map((each) => each.votes)) + sum(known)).toBe(tracedVotes);
        expect(tracedVotes <= ranking.total).toBe(true);
        const folded = weak.reduce((count, each) => count + each.delegatorsCount, 0);
        expect(strong.length + folded).toBe(delegatorsCount);
        expect(delegatorsCount).toBe(
          ranking.delegates.reduce((count, each) => count + each.delegatorsCount, 0),
        );
        for (const { rank, votes: power } of ranking.delegates.slice(0, GRAPH_ACCOUNTS_MAX)) {
          const parts = [...strong, ...weak].filter(({ delegateRank }) => delegateRank === rank);
          const isTraced = parts.length > 0 && parts.every((part) => part.votes !== undefined);
          if (isTraced) expect(sum(parts.map((part) => part.votes ?? 0n))).toBe(power);
          else expect(parts.every((part) => part.votes === undefined)).toBe(true);
        }
      },
    ),
    { numRuns: 40 },
  );
});
