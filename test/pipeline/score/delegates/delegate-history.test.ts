import { describe, expect, test } from "vitest";
import type { DaoFacts, DelegateList, DelegationEvent } from "../../../../pipeline/facts/dao-facts.ts";
import type { GovernorToken } from "../../../../pipeline/facts/tracked.ts";
import { createDelegateHistory } from "../../../../pipeline/score/delegates/delegate-history.ts";
import type { DelegateRanking } from "../../../../pipeline/score/delegates/rank-delegates.ts";
import { DAY, sampleDao, T } from "../sample-facts.ts";

const listOf = (daysAgo: number, changes: Partial<DelegateList> = {}): DelegateList => ({
  spaceId: "sample.eth",
  date: new Date(T - daysAgo * DAY).toISOString().slice(0, 10),
  asOfMs: T - daysAgo * DAY,
  isComplete: true,
  decimals: 0,
  fetchedAtMs: T,
  delegates: [{ address: "0xa", votes: BigInt(100 - daysAgo), delegatorsCount: 1, ens: undefined }],
  ...changes,
});

const token: GovernorToken = {
  chainId: 1,
  token: "0xt",
  kind: "erc20votes",
  decimals: 0,
  clock: "blocknumber",
  isSelfByDefault: false,
  firstBlock: 1,
  governor: undefined,
};

/** Power of 0xb, changed so many days ago. */
const power = (daysAgo: number | undefined, after: number, blockNumber: number): DelegationEvent => ({
  kind: "votes-changed",
  blockNumber,
  logIndex: 0,
  blockTimeMs: daysAgo === undefined ? undefined : T - daysAgo * DAY,
  delegate: "0xb",
  before: 0n,
  after: BigInt(after),
});

const historyOf = (
  lists: readonly DelegateList[],
  events: readonly DelegationEvent[] = [],
  changes: Partial<Pick<DaoFacts, "isArchive" | "lastCompleteFetchMs" | "confirmations" | "names">> = {},
) => {
  const dao = { ...sampleDao().dao, governor: events.length === 0 ? undefined : token };
  return createDelegateHistory(
    sampleDao({ dao, delegateLists: lists, delegationEvents: events, ...changes }),
  );
};

/** One value of each dated ranking, as `06-29 value`. */
const byDay = (rankings: readonly DelegateRanking[], read: (ranking: DelegateRanking) => unknown) =>
  rankings.map((ranking) => `${ranking.date?.slice(5)} ${read(ranking)}`);

const events = [power(3.5, 7, 1), power(1.5, 9, 2)];

describe("the newest complete data at t", () => {
  const lists = [listOf(40), listOf(20), listOf(10, { isComplete: false }), listOf(5)];
  const logs = [power(30, 7, 1), power(8, 9, 2)];
  test.each<[why: string, history: ReturnType<typeof historyOf>, daysAgo: number, total: bigint | undefined]>(
    [
      ["the newest list", historyOf(lists), 0, 95n],
      ["boundary: a list of this moment", historyOf(lists), 5, 95n],
      ["not a list that was cut", historyOf(lists), 6, 80n],
      ["not a later list", historyOf(lists), 21, 60n],
      ["unknown: before the first list", historyOf(lists), 41, undefined],
      ["events up to t", historyOf([], logs), 0, 9n],
      ["boundary: an event of this moment", historyOf([], logs), 8, 9n],
      ["not a later event", historyOf([], logs), 8.001, 7n],
      ["unknown: before the first event", historyOf([], logs), 31, undefined],
      ["a list that is newer than events", historyOf([listOf(5)], logs, { isArchive: true }), 0, 95n],
      ["events that are newer than a list", historyOf([listOf(5)], logs, { isArchive: true }), 6, 9n],
    ],
  )("%s", (_, history, daysAgo, total) => {
    expect(history.at(T - daysAgo * DAY)?.total).toBe(total);
  });

  test("a live node was asked when it was fetched, an archive ends with its last event", () => {
    expect(historyOf([], logs, { lastCompleteFetchMs: T - DAY }).at(T)?.asOfMs).toBe(T - DAY);
    expect(historyOf([], logs, { isArchive: true }).at(T)?.asOfMs).toBe(T - 8 * DAY);
    expect(historyOf([], logs, { lastCompleteFetchMs: T }).at(T - 3 * DAY)?.asOfMs).toBe(T - 3 * DAY);
  });

  test("delegations are traced from logs, and not from a list even if that is newer", () => {
    const at = { blockNumber: 0, logIndex: 0, blockTimeMs: T - 31 * DAY };
    const held: DelegationEvent = { ...at, kind: "transfer", from: "0x0", to: "0xb", amount: 9n };
    const chosen: DelegationEvent = {
      ...at,
      kind: "delegate-changed",
      blockNumber: 1,
      delegator: "0xb",
      from: "0x0",
      to: "0xb",
    };
    const logs = [held, chosen, power(8, 9, 2)];
    /** What is told beside the ranking, which is that of `at`. */
    const tracedAt = (history: ReturnType<typeof historyOf>, asOfMs: number) => {
      const found = history.tracedAt(asOfMs);
      expect(found?.ranking).toStrictEqual(history.at(asOfMs));
      return found?.delegations;
    };
    expect(tracedAt(historyOf([], logs), T)).toStrictEqual({
      strong: [{ delegator: "0xb", delegate: "0xb", votes: 9n, delegateRank: 1 }],
      weak: [],
      delegatorsCount: 1,
      tracedVotes: 9n,
    });
    expect(tracedAt(historyOf([], logs), T - 9 * DAY)).toMatchObject({ strong: [], delegatorsCount: 0 });
    expect(tracedAt(historyOf([], logs), T - 40 * DAY)).toBeUndefined();
    const both = historyOf([listOf(5)], logs, { isArchive: true });
    expect(tracedAt(both, T)).toBeUndefined();
    expect(tracedAt(both, T - 6 * DAY)?.tracedVotes).toBe(9n);
    const blind = historyOf([], [...logs, power(undefined, 9, 3)]);
    expect(tracedAt(blind, T - 500 * DAY)?.tracedVotes).toBe(9n);
  });

  test("logs without block times are replayed whole and have no date", () => {
    const blind = historyOf([], [power(30, 7, 1), power(undefined, 9, 2)]);
    expect(blind.at(T - 500 * DAY)).toMatchObject({ total: 9n, asOfMs: undefined, date: undefined });
    expect(blind.dated(T)).toStrictEqual([]);
  });
});

describe("dated rankings", () => {
  const totalOf = ({ total }: DelegateRanking) => total;

  test("are one per complete list, by date, up to t", () => {
    const found = historyOf([listOf(40), listOf(20, { isComplete: false }), listOf(5)]);
    expect(byDay(found.dated(T), totalOf)).toStrictEqual(["05-20 60", "06-24 95"]);
    expect(byDay(found.dated(T - 6 * DAY), totalOf)).toStrictEqual(["05-20 60"]);
  });

  test("of events are one per ended day from the first event on", () => {
    const found = historyOf([], events, { lastCompleteFetchMs: T + DAY });
    const days = ["06-26 7", "06-27 7", "06-28 9", "06-29 9"];
    expect(byDay(found.dated(T), totalOf)).toStrictEqual(days);
    expect(byDay(found.dated(T - 1), totalOf)).toStrictEqual(days.slice(0, 3));
  });

  // Days end just before midnight, as T does.
  test.each<
    [why: string, confirmedDaysAgo: number[], lagDays: number, lastDaysAgo: number, fetched: number[]]
  >([
    ["by the first fetch that read past it", [1.5], 0, 1.5, [1.5, 1.5, 1.5]],
    ["whatever was fetched since", [1.5, 0.25], 0, 0.25, [1.5, 1.5, 0.25, 0.25]],
    ["by the last fetch if none is confirmed", [], 0, 0.25, [0.25, 0.25, 0.25, 0.25]],
    ["by the first fetch whose block is past it", [1.5, 0.75, 0.25], 0.5, 0.25, [1.5, 1.5, 0.25, 0.25]],
  ])("of an ended day count as fetched %s", (_, confirmedDaysAgo, lagDays, lastDaysAgo, fetched) => {
    const confirmations = confirmedDaysAgo.map((days) => ({
      atMs: T - days * DAY,
      throughMs: T - (days + lagDays) * DAY,
    }));
    const found = historyOf([], [power(3.5, 7, 1)], {
      lastCompleteFetchMs: T - lastDaysAgo * DAY,
      confirmations,
    });
    expect(byDay(found.dated(T), ({ fetchedAtMs }) => (T - fetchedAtMs) / DAY)).toStrictEqual(
      fetched.map((daysAgo, at) => `06-${26 + at} ${daysAgo}`),
    );
  });

  test("of an archive end at its last event", () => {
    const found = historyOf([], events, { isArchive: true }).dated(T);
    expect(byDay(found, ({ asOfMs }) => (T - (asOfMs ?? 0)) / DAY)).toStrictEqual([
      "06-26 3",
      "06-27 2",
      "06-28 1.5",
    ]);
  });

  test("name the last block of events by the day's end, and none for lists", () => {
    const logs = [power(5, 10, 100), power(3, 20, 300), power(3, 25, 301)];
    const history = historyOf([listOf(2)], logs, { lastCompleteFetchMs: T });
    const blocks = ["06-24 100", "06-25 100", "06-26 301", "06-27 301", "06-28 301", "06-29 301"];
    expect(byDay(history.dated(T), ({ lastBlock }) => lastBlock)).toStrictEqual(blocks);
    expect(history.at(T)?.lastBlock).toBe(301);
    const list = historyOf([listOf(2)]);
    expect(byDay(list.dated(T), ({ lastBlock }) => lastBlock)).toStrictEqual(["06-27 undefined"]);
    expect(list.at(T)?.lastBlock).toBeUndefined();
  });

  test("unknown: no data", () => {
    expect(historyOf([]).dated(T)).toStrictEqual([]);
    expect(historyOf([]).at(T)).toBeUndefined();
  });
});

describe("names", () => {
  const names = new Map(Object.entries({ "0xa": "alice.eth", "0xb": "bob.eth" }));
  const listed = (address: string, votes: bigint, ens?: string) => ({
    address,
    votes,
    delegatorsCount: 1,
    ens,
  });
  const delegates = [listed("0xa", 5n), listed("0xb", 4n, "own.eth"), listed("0xc", 3n)];

  type Given = Parameters<typeof historyOf>;
  test.each<[why: string, lists: Given[0], logs: Given[1], days: number, ens: (string | undefined)[]]>([
    ["logs", [], events, 4, ["bob.eth"]],
    ["logs without block times", [], [power(undefined, 9, 1)], 0, ["bob.eth"]],
    ["a list without a name", [listOf(5, { delegates })], [], 1, ["alice.eth", "own.eth", undefined]],
  ])("label the delegates of %s, latest and dated, and change nothing else", (_, lists, logs, days, ens) => {
    const named = historyOf(lists, logs, { names, lastCompleteFetchMs: T });
    const bare = historyOf(lists, logs, { lastCompleteFetchMs: T });
    const labelled = ({ delegates, ...ranking }: DelegateRanking) => ({
      ...ranking,
      delegates: delegates.map((delegate, at) => ({ ...delegate, ens: ens[at] })),
    });
    expect([named.at(T)]).toStrictEqual([bare.at(T)].map((ranking) => ranking && labelled(ranking)));
    expect(named.dated(T)).toStrictEqual(bare.dated(T).map(labelled));
    expect(named.dated(T)).toHaveLength(days);
  });
});
