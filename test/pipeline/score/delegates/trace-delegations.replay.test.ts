import { describe, expect, test } from "vitest";
import type { DelegationEvent } from "../../../../pipeline/facts/delegation.ts";
import { createDelegationReplay } from "../../../../pipeline/score/delegates/trace-delegations.ts";

const ZERO = `0x${"0".repeat(40)}`;
type Step =
  | readonly ["move", from: string, to: string, amount: number]
  | readonly ["point", delegator: string, to: string]
  | readonly ["power", delegate: string, after: number];

function eventOf(step: Step, index: number): DelegationEvent {
  const place = { blockNumber: 100 + Math.floor(index / 2), logIndex: index % 2, blockTimeMs: undefined };
  const [kind, a, b] = step;
  if (kind === "move") return { ...place, kind: "transfer", from: a, to: b, amount: BigInt(step[3]) };
  if (kind === "point") return { ...place, kind: "delegate-changed", delegator: a, from: ZERO, to: b };
  return { ...place, kind: "votes-changed", delegate: a, before: 0n, after: BigInt(b) };
}

/** `votes/delegators` by delegate. */
function replay(steps: readonly Step[], isSelfByDefault: boolean): Record<string, string> {
  const found = createDelegationReplay(isSelfByDefault);
  for (const [index, step] of steps.entries()) found.apply(eventOf(step, index));
  return Object.fromEntries(
    found.delegates().map(({ address, votes, delegatorsCount }) => [address, `${votes}/${delegatorsCount}`]),
  );
}

describe("replay", () => {
  test.each<{ why: string; steps: Step[]; isSelf: boolean; expected: Record<string, string> }>([
    { why: "low: nothing happened", steps: [], isSelf: true, expected: {} },
    {
      why: "power is what the last change said",
      steps: [
        ["power", "a", 5],
        ["power", "a", 3],
      ],
      isSelf: false,
      expected: { a: "3/0" },
    },
    {
      why: "self by default: a holder counts for itself",
      steps: [
        ["move", ZERO, "a", 2],
        ["power", "a", 2],
      ],
      isSelf: true,
      expected: { a: "2/1" },
    },
    {
      why: "not by default: a holder who never chose counts for nobody",
      steps: [
        ["move", ZERO, "a", 2],
        ["power", "a", 0],
      ],
      isSelf: false,
      expected: { a: "0/0" },
    },
    {
      why: "a delegator counts for its choice",
      steps: [
        ["move", ZERO, "a", 2],
        ["point", "a", "b"],
        ["power", "b", 2],
      ],
      isSelf: false,
      expected: { b: "2/1" },
    },
    {
      why: "the last choice counts",
      steps: [
        ["move", ZERO, "a", 2],
        ["point", "a", "b"],
        ["point", "a", "c"],
        ["power", "b", 0],
        ["power", "c", 2],
      ],
      isSelf: false,
      expected: { b: "0/0", c: "2/1" },
    },
    {
      why: "self by default: back to zero is back to oneself",
      steps: [
        ["move", ZERO, "a", 2],
        ["point", "a", "b"],
        ["point", "a", ZERO],
        ["power", "a", 2],
      ],
      isSelf: true,
      expected: { a: "2/1" },
    },
    {
      why: "not by default: to zero is to nobody",
      steps: [
        ["move", ZERO, "a", 2],
        ["point", "a", ZERO],
        ["power", "a", 0],
      ],
      isSelf: false,
      expected: { a: "0/0" },
    },
    {
      why: "a transfer moves the delegator with it",
      steps: [
        ["move", ZERO, "a", 2],
        ["point", "a", "b"],
        ["move", "a", "c", 2],
        ["point", "c", "b"],
        ["power", "b", 2],
      ],
      isSelf: false,
      expected: { b: "2/1" },
    },
    {
      why: "a delegator of no balance is none",
      steps: [
        ["point", "a", "b"],
        ["power", "b", 0],
      ],
      isSelf: false,
      expected: { b: "0/0" },
    },
    {
      why: "the zero address holds nothing, whatever is burnt",
      steps: [
        ["move", ZERO, "a", 5],
        ["move", "a", ZERO, 5],
        ["power", "a", 0],
        ["power", ZERO, 0],
      ],
      isSelf: true,
      expected: { a: "0/0", [ZERO]: "0/0" },
    },
    {
      why: "to oneself",
      steps: [
        ["move", ZERO, "a", 2],
        ["move", "a", "a", 1],
        ["point", "a", "a"],
        ["power", "a", 2],
      ],
      isSelf: false,
      expected: { a: "2/1" },
    },
    {
      why: "the middle of a log: balances from before are not known",
      steps: [
        ["move", "a", "b", 5],
        ["point", "a", "b"],
        ["power", "b", 5],
      ],
      isSelf: true,
      expected: { b: "5/1" },
    },
  ])("$why", ({ steps, isSelf, expected }) => {
    expect(replay(steps, isSelf)).toStrictEqual(expected);
  });

  test.each<{ why: string; steps: Step[]; isSelf: boolean; expected: string[] }>([
    { why: "low: nothing happened", steps: [], isSelf: true, expected: [] },
    {
      why: "a chain is two single steps, each with what its own delegator holds",
      steps: [
        ["move", ZERO, "a", 2],
        ["move", ZERO, "b", 3],
        ["point", "a", "b"],
        ["point", "b", "c"],
      ],
      isSelf: false,
      expected: ["a>b 2", "b>c 3"],
    },
    {
      why: "pointed elsewhere, the first choice is gone",
      steps: [
        ["move", ZERO, "a", 2],
        ["point", "a", "b"],
        ["point", "a", "c"],
      ],
      isSelf: false,
      expected: ["a>c 2"],
    },
    {
      why: "to nobody",
      steps: [
        ["move", ZERO, "a", 2],
        ["point", "a", "b"],
        ["point", "a", ZERO],
      ],
      isSelf: false,
      expected: [],
    },
    {
      why: "to nobody, where that means oneself",
      steps: [
        ["move", ZERO, "a", 2],
        ["point", "a", "b"],
        ["point", "a", ZERO],
      ],
      isSelf: true,
      expected: ["a>a 2"],
    },
    {
      why: "who sold all delegates nothing",
      steps: [
        ["move", ZERO, "a", 2],
        ["point", "a", "b"],
        ["move", "a", "c", 2],
      ],
      isSelf: false,
      expected: [],
    },
    { why: "gap: a choice without a balance", steps: [["point", "a", "b"]], isSelf: true, expected: [] },
  ])("who delegates: $why", ({ steps, isSelf, expected }) => {
    const found = createDelegationReplay(isSelf);
    for (const [index, step] of steps.entries()) found.apply(eventOf(step, index));
    const told = found
      .delegations()
      .map(({ delegator, delegate, votes }) => `${delegator}>${delegate} ${votes}`);
    expect(told).toStrictEqual(expected);
  });

  test("a repeat changes nothing", () => {
    const found = createDelegationReplay(true);
    found.apply(eventOf(["move", ZERO, "a", 2], 0));
    found.apply(eventOf(["power", "a", 1], 1));
    const move = eventOf(["move", "a", "b", 1], 2);
    // A second time it would leave `a` with nothing.
    for (const event of [move, move]) found.apply(event);
    expect(found.delegates()).toMatchObject([{ address: "a", delegatorsCount: 1 }]);
  });

  test("impossible: an event before the last one", () => {
    const found = createDelegationReplay(true);
    found.apply(eventOf(["power", "a", 2], 5));
    expect(() => found.apply(eventOf(["power", "a", 2], 4))).toThrow("invariant");
  });
});
