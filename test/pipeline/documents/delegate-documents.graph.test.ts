import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildDelegateListing,
  buildDelegationGraph,
} from "../../../pipeline/documents/delegate-documents.ts";
import { publicEntities } from "../../../pipeline/documents/entities.ts";
import type { DelegationEvent } from "../../../pipeline/facts/dao-facts.ts";
import { rankDelegates } from "../../../pipeline/score/delegates/rank-delegates.ts";
import {
  createDelegationReplay,
  traceDelegations,
} from "../../../pipeline/score/delegates/trace-delegations.ts";
import { checkGraphs } from "../../../snapshots/format/agreement/check-graph.ts";
import { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { publishedSet } from "../../support/published-set.ts";
import { AS_OF_MS, entityOf, scoredDao, walletOf } from "./scored-daos.ts";

const NOBODY = publicEntities({ daos: [], entities: [] });
const VERSION = publishedSet(AS_OF_MS);
const ZERO = walletOf(0);
const DECIMALS = 18;

type Action =
  | { readonly do: "move"; readonly from: number; readonly to: number; readonly amount: bigint }
  | { readonly do: "point"; readonly from: number; readonly to: number }
  /** What no honest token emits, but logs with a gap may look like. */
  | { readonly do: "say"; readonly to: number; readonly amount: bigint };

/** The logs of a token that counts votes as ERC20Votes does: one step, and every change said. */
function logsOf(actions: readonly Action[]): DelegationEvent[] {
  const [balances, powers] = [new Map<string, bigint>(), new Map<string, bigint>()];
  const choices = new Map<string, string>();
  const events: DelegationEvent[] = [];
  const place = () => ({ blockNumber: 100 + events.length, logIndex: 0, blockTimeMs: undefined });
  const say = (delegate: string | undefined, change: bigint) => {
    if (delegate === undefined || delegate === ZERO || change === 0n) return;
    const before = powers.get(delegate) ?? 0n;
    powers.set(delegate, before + change);
    events.push({ ...place(), kind: "votes-changed", delegate, before, after: before + change });
  };
  for (const action of actions) {
    const to = walletOf(action.to);
    if (action.do === "say") {
      powers.set(to, action.amount);
      events.push({ ...place(), kind: "votes-changed", delegate: to, before: 0n, after: action.amount });
      continue;
    }
    const from = walletOf(action.from);
    const held = balances.get(from) ?? 0n;
    if (action.do === "point") {
      const before = choices.get(from) ?? ZERO;
      choices.set(from, to);
      events.push({ ...place(), kind: "delegate-changed", delegator: from, from: before, to });
      say(before, -held);
      say(to, held);
      continue;
    }
    const amount = from === ZERO || action.amount < held ? action.amount : held;
    events.push({ ...place(), kind: "transfer", from, to, amount });
    if (from !== ZERO) balances.set(from, held - amount);
    if (to !== ZERO) balances.set(to, (balances.get(to) ?? 0n) + amount);
    say(choices.get(from), -amount);
    say(choices.get(to), amount);
  }
  return events;
}

function scoredFrom(actions: readonly Action[]) {
  const replay = createDelegationReplay(false);
  for (const event of logsOf(actions)) replay.apply(event);
  const ranking = {
    ...rankDelegates({
      date: undefined,
      asOfMs: AS_OF_MS,
      fetchedAtMs: AS_OF_MS,
      decimals: DECIMALS,
      delegates: replay.delegates(),
    }),
    lastBlock: 7,
  };
  const dao = {
    ...scoredDao(),
    latestDelegates: ranking,
    delegations: traceDelegations(ranking, replay.delegations()),
  };
  return { dao, graph: buildDelegationGraph(dao, NOBODY) };
}

const ONE = 10n ** BigInt(DECIMALS);
const mint = (to: number, tokens: bigint): Action => ({ do: "move", from: 0, to, amount: tokens * ONE });
const point = (from: number, to: number): Action => ({ do: "point", from, to });

describe("buildDelegationGraph", () => {
  it("names who delegates to whom: in chains one step each, without those who delegate to nobody", () => {
    const { graph } = scoredFrom([
      ...[mint(1, 1n), mint(2, 2n), mint(3, 5n), mint(4, 9n), mint(5, 3n)],
      ...[point(1, 2), point(2, 3), point(3, 3), point(4, 3), point(4, 0), point(5, 1), point(5, 3)],
    ]);
    expect(graph?.delegates.map(({ rank, address, votes }) => [rank, address, votes])).toEqual([
      [1, walletOf(3), String(10n * ONE)],
      [2, walletOf(2), String(ONE)],
    ]);
    const delegation = (
      wallet: number,
      delegate_rank: number,
      votes_human: number,
      votes_share_pct: number,
    ) => expect.objectContaining({ address: walletOf(wallet), delegate_rank, votes_human, votes_share_pct });
    expect(graph?.delegations).toEqual([
      delegation(3, 1, 5, 45.45),
      delegation(5, 1, 3, 27.27),
      delegation(2, 1, 2, 18.18),
      delegation(1, 2, 1, 9.09),
    ]);
    expect(graph?.delegations.map(({ is_self }) => is_self)).toEqual([true, false, false, false]);
    expect(graph).toMatchObject({
      block: 7,
      as_of: "2026-03-31T23:59:59.999Z",
      totals: { delegates: 2, delegators: 4, votes: String(11n * ONE), traced_votes: String(11n * ONE) },
      other_delegates: { delegates: 0, delegators_count: 0, votes: "0", votes_share_pct: 0 },
      folded_delegations: [],
    });
  });

  it("only counts a delegate's delegators where the logs do not add up", () => {
    const gap: Action = { do: "say", to: 3, amount: ONE };
    const { graph } = scoredFrom([mint(1, 1n), mint(2, 2n), point(1, 3), point(2, 3), gap]);
    const unknown = { votes: null, votes_human: null, votes_share_pct: null };
    expect(graph?.delegations).toEqual([]);
    expect(graph?.folded_delegations).toEqual([{ delegate_rank: 1, delegators_count: 2, ...unknown }]);
    expect(graph?.totals.traced_votes).toBe("0");
  });

  it("never contains a label, nor the name of an entity that opted out", () => {
    const lantern = entityOf("lantern", { label: "Lantern Labs", wallets: [walletOf(1)] });
    const lighthouse = entityOf("lighthouse", {
      label: "Lighthouse",
      wallets: [walletOf(2)],
      isOptedOut: true,
    });
    const entities = publicEntities({ daos: [], entities: [lantern, lighthouse] });
    const { dao } = scoredFrom([mint(1, 1n), mint(2, 2n), point(1, 1), point(2, 2)]);
    const named = {
      ...dao.latestDelegates,
      delegates: dao.latestDelegates.delegates.map((each) => ({ ...each, ens: `d${each.rank}.example` })),
    };
    const text = JSON.stringify(buildDelegationGraph({ ...dao, latestDelegates: named }, entities));
    expect(text).toContain("d2.example");
    for (const secret of ["d1.example", "Lantern", "Lighthouse", "ent_"]) expect(text).not.toContain(secret);
  });

  it("is undefined where the ranking is a source's own list", () => {
    expect(buildDelegationGraph(scoredDao(), NOBODY)).toBeUndefined();
  });

  it("throws on delegations without their ranking, which is a bug", () => {
    const { dao } = scoredFrom([mint(1, 1n), point(1, 1)]);
    expect(() => buildDelegationGraph({ ...dao, latestDelegates: undefined }, NOBODY)).toThrow("invariant");
    const list = { ...dao.latestDelegates, lastBlock: undefined };
    expect(() => buildDelegationGraph({ ...dao, latestDelegates: list }, NOBODY)).toThrow("invariant");
  });
});

const wallet = fc.integer({ min: 0, max: 8 });
const amount = fc.bigInt({ min: 0n, max: 2n ** 90n });
const honest = fc.oneof(
  fc.record({ do: fc.constant("move" as const), from: wallet, to: wallet, amount }),
  fc.record({ do: fc.constant("point" as const), from: wallet.filter((each) => each > 0), to: wallet }),
);
const gappy = fc.record({ do: fc.constant("say" as const), to: wallet, amount });

/** Every rule of the store, on a version that holds this graph and its listing. */
function disagreements(actions: readonly Action[]) {
  const { dao, graph } = scoredFrom(actions);
  const listing = buildDelegateListing(dao, NOBODY);
  if (graph === undefined || listing === undefined) throw new Error("logs give both");
  expect(DelegationGraph.parse(graph)).toEqual(graph);
  const found = checkGraphs({ ...VERSION, spaceId: listing.spaceId, listings: [listing], graphs: [graph] });
  return { graph, messages: found.map(({ message }) => message) };
}

it("adds up to the last digit for any logs", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: honest }, gappy), { maxLength: 40 }), (actions) => {
      const { graph, messages } = disagreements(actions);
      expect(messages).toEqual([]);
      const sum = (parts: readonly { readonly votes: string | null }[]) =>
        parts.reduce((total, { votes }) => total + BigInt(votes ?? "0"), 0n).toString();
      expect(sum([...graph.delegates, graph.other_delegates])).toBe(graph.totals.votes);
      expect(sum([...graph.delegations, ...graph.folded_delegations])).toBe(graph.totals.traced_votes);
    }),
    { numRuns: 150 },
  );
});

it("traces every vote of a token that emits every change", () => {
  fc.assert(
    fc.property(fc.array(honest, { maxLength: 40 }), (actions) => {
      const { graph, messages } = disagreements(actions);
      expect(messages).toEqual([]);
      expect(graph.totals.traced_votes).toBe(graph.totals.votes);
      expect(graph.folded_delegations).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

it("folds all beyond the hundredth, and loses nobody", () => {
  const actions = Array.from({ length: 130 }, (_, index) => index + 1).flatMap((index): Action[] => [
    mint(index, BigInt(1000 - index)),
    mint(500 + index, 1n),
    point(index, index),
    point(500 + index, index),
  ]);
  const { graph, messages } = disagreements(actions);
  expect(messages).toEqual([]);
  expect([graph.delegates.length, graph.other_delegates.delegates, graph.delegations.length]).toEqual([
    100, 30, 100,
  ]);
  expect(graph.other_delegates.delegators_count).toBe(60);
  expect(graph.folded_delegations.at(-1)).toMatchObject({ delegate_rank: null, delegators_count: 60 });
});
