import { describe, expect, test } from "vitest";
import type { DelegationEvent } from "../../../../pipeline/facts/dao-facts.ts";
import { rankDelegates } from "../../../../pipeline/score/delegates/rank-delegates.ts";
import {
  createDelegationReplay,
  type Delegation,
  traceDelegations,
} from "../../../../pipeline/score/delegates/trace-delegations.ts";
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

/** Links as `a>z 5`: an account, its delegate, and the votes that it holds. */
const linksOf = (text: string): Link[] =>
  text.split(", ").flatMap((part): Link[] => {
    const [, delegator, delegate, votes] = /^(\w+)>(\w+) (\d+)$/.exec(part) ?? [];
    return delegator && delegate && votes ? [[delegator, delegate, BigInt(votes)]] : [];
  });

describe("traceDelegations", () => {
  test.each<[why: string, powers: Record<string, bigint>, links: string, expected: string[], traced: bigint]>(
    [
      ["low: nobody", {}, "", [], 0n],
      ["to oneself", { a: 5n }, "a>a 5", ["a>1 5"], 5n],
      [
        "the strongest first, by address where they hold the same",
        { z: 9n },
        "c>z 2, b>z 2, a>z 5",
        ["a>1 5", "b>1 2", "c>1 2"],
        9n,
      ],
      [
        "a chain is two single steps: what c hands on is its own, not what a gave it",
        { c: 1n, d: 5n },
        "c>d 5, a>c 1",
        ["c>1 5", "a>2 1"],
        6n,
      ],
      [
        "unknown: holders together have less than the delegate, so nobody's power is known",
        { z: 9n, y: 2n },
        "a>z 5, b>z 3, c>y 2",
        ["c>2 2", "2>1 unknown"],
        2n,
      ],
      ["unknown: more than the delegate", { z: 4n }, "a>z 5", ["1>1 unknown"], 0n],
      ["unknown: power without delegators", { z: 4n }, "", [], 0n],
      ["an account without power is no delegate, as in the ranking", { z: 0n }, "a>z 5, b>y 1", [], 0n],
    ],
  )("%s", (_, powers, links, expected, tracedVotes) => {
    const found = traced(Object.entries(powers), linksOf(links));
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

  test.each<[why: string, beyond: number, folds: string[]]>([
    ["boundary: the hundredth is named", 0, []],
    ["boundary: the next one is folded", 1, ["1>1 900"]],
    ["high: all beyond are one", 3, ["3>1 2697"]],
  ])("delegators: %s", (_, beyond, folds) => {
    const links = many(GRAPH_ACCOUNTS_MAX + beyond);
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

const ZERO = `0x${"0".repeat(40)}`;

/** Events, such as `0+a 2`: tokens of one account move to another, `a>b`: it delegates, `b=5`: a delegate's power. */
function eventsOf(steps: string): DelegationEvent[] {
  const account = (name = "") => (name === "0" ? ZERO : name);
  return (steps === "" ? [] : steps.split(", ")).map((step, index): DelegationEvent => {
    const place = { blockNumber: 100 + Math.floor(index / 2), logIndex: index % 2, blockTimeMs: undefined };
    const [, one, sign, other, amount] = /^(\w)([+>=])(\w+)(?: (\d+))?$/.exec(step) ?? [];
    const [from, to] = [account(one), account(other)];
    if (sign === "+") return { ...place, kind: "transfer", from, to, amount: BigInt(amount ?? 0) };
    if (sign === ">") return { ...place, kind: "delegate-changed", delegator: from, from: ZERO, to };
    return { ...place, kind: "votes-changed", delegate: from, before: 0n, after: BigInt(other ?? 0) };
  });
}

function replayed(events: readonly DelegationEvent[], isSelfByDefault: boolean) {
  const replay = createDelegationReplay(isSelfByDefault);
  for (const event of events) replay.apply(event);
  return replay;
}

describe("a replay", () => {
  const [OPEN, SELF] = [false, true];
  test.each<[why: string, steps: string, isSelf: boolean, delegates: Record<string, string>]>([
    ["low: nothing happened", "", SELF, {}],
    ["power is that of the last change", "a=5, a=3", OPEN, { a: "3/0" }],
    ["self by default: a holder counts for itself", "0+a 2, a=2", SELF, { a: "2/1" }],
    ["not by default: a holder who never chose counts for nobody", "0+a 2, a=0", OPEN, { a: "0/0" }],
    ["a delegator counts for its choice", "0+a 2, a>b, b=2", OPEN, { b: "2/1" }],
    ["the last choice counts", "0+a 2, a>b, a>c, b=0, c=2", OPEN, { b: "0/0", c: "2/1" }],
    ["self by default: back to zero is back to oneself", "0+a 2, a>b, a>0, a=2", SELF, { a: "2/1" }],
    ["not by default: to zero is to nobody", "0+a 2, a>0, a=0", OPEN, { a: "0/0" }],
    ["a transfer moves the delegator with it", "0+a 2, a>b, a+c 2, c>b, b=2", OPEN, { b: "2/1" }],
    ["a delegator without a balance is none", "a>b, b=0", OPEN, { b: "0/0" }],
    ["the zero address holds nothing", "0+a 5, a+0 5, a=0, 0=0", SELF, { a: "0/0", [ZERO]: "0/0" }],
    ["to oneself", "0+a 2, a+a 1, a>a, a=2", OPEN, { a: "2/1" }],
    ["the middle of a log: balances from before are not known", "a+b 5, a>b, b=5", SELF, { b: "5/1" }],
  ])("votes and delegators: %s", (_, steps, isSelf, delegates) => {
    const found = replayed(eventsOf(steps), isSelf).delegates();
    expect(
      Object.fromEntries(
        found.map(({ address, votes, delegatorsCount: count }) => [address, `${votes}/${count}`]),
      ),
    ).toStrictEqual(delegates);
  });

  test.each<[why: string, steps: string, isSelf: boolean, delegations: string[]]>([
    ["low: nothing happened", "", SELF, []],
    ["a chain is two steps, each with its own balance", "0+a 2, 0+b 3, a>b, b>c", OPEN, ["a>b 2", "b>c 3"]],
    ["the last choice counts", "0+a 2, a>b, a>c", OPEN, ["a>c 2"]],
    ["to nobody", "0+a 2, a>b, a>0", OPEN, []],
    ["to nobody, where that means oneself", "0+a 2, a>b, a>0", SELF, ["a>a 2"]],
    ["an account that sold everything delegates nothing", "0+a 2, a>b, a+c 2", OPEN, []],
    ["unknown: a choice without a balance", "a>b", SELF, []],
  ])("delegations: %s", (_, steps, isSelf, delegations) => {
    const found = replayed(eventsOf(steps), isSelf).delegations();
    expect(found.map(({ delegator, delegate, votes }) => `${delegator}>${delegate} ${votes}`)).toStrictEqual(
      delegations,
    );
  });

  test("ignores a repeat of the previous event, and refuses one from before it", () => {
    const [mint, power, move] = eventsOf("0+a 2, a=1, a+b 1") as [
      DelegationEvent,
      DelegationEvent,
      DelegationEvent,
    ];
    // A second time it would leave `a` with nothing.
    const replay = replayed([mint, power, move, move], true);
    expect(replay.delegates()).toMatchObject([{ address: "a", delegatorsCount: 1 }]);
    expect(() => replay.apply(power)).toThrow("invariant");
  });
});
