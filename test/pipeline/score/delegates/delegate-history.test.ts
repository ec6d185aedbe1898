import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DaoFacts } from "../../../../pipeline/facts/dao-facts.ts";
import type { DelegateList, DelegationEvent, GovernorToken } from "../../../../pipeline/facts/delegation.ts";
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

const TO_ITSELF = { delegator: "0xb", from: "0x0", to: "0xb" };

const historyOf = (
  lists: readonly DelegateList[],
  events: readonly DelegationEvent[] = [],
  changes: {
    readonly isArchive?: boolean;
    readonly lastCompleteFetchMs?: number;
    readonly confirmations?: DaoFacts["confirmations"];
    readonly names?: ReadonlyMap<string, string>;
  } = {},
) => {
  const dao = { ...sampleDao().dao, governor: events.length === 0 ? undefined : token };
  return createDelegateHistory(
    sampleDao({ dao, delegateLists: lists, delegationEvents: events, ...changes }),
  );
};

describe("newest complete data at t", () => {
  const lists = [listOf(40), listOf(20), listOf(10, { isComplete: false }), listOf(5)];
  test.each([
    { why: "the newest list", daysAgo: 0, total: 95n },
    { why: "boundary: its own moment", daysAgo: 5, total: 95n },
    { why: "a cut list gives nothing", daysAgo: 6, total: 80n },
    { why: "not yet known", daysAgo: 21, total: 60n },
    { why: "gap: before the first", daysAgo: 41, total: undefined },
  ])("lists: $why", ({ daysAgo, total }) => {
    expect(historyOf(lists).at(T - daysAgo * DAY)?.total).toBe(total);
  });

  const events = [power(30, 7, 1), power(8, 9, 2)];
  test.each([
    { why: "replayed up to t", daysAgo: 0, total: 9n },
    { why: "boundary: the event's own moment", daysAgo: 8, total: 9n },
    { why: "what came later is not known", daysAgo: 8.001, total: 7n },
    { why: "gap: before the first event", daysAgo: 31, total: undefined },
  ])("events: $why", ({ daysAgo, total }) => {
    expect(historyOf([], events).at(T - daysAgo * DAY)?.total).toBe(total);
  });

  test("a live node was asked when it was fetched, an archive ends with its last event", () => {
    expect(historyOf([], events, { lastCompleteFetchMs: T - DAY }).at(T)?.asOfMs).toBe(T - DAY);
    expect(historyOf([], events, { isArchive: true }).at(T)?.asOfMs).toBe(T - 8 * DAY);
    expect(historyOf([], events, { lastCompleteFetchMs: T }).at(T - 3 * DAY)?.asOfMs).toBe(T - 3 * DAY);
  });

  test("of a list and events the newer counts", () => {
    const both = historyOf([listOf(5)], events, { isArchive: true });
    expect(both.at(T)?.total).toBe(95n);
    expect(both.at(T - 6 * DAY)?.total).toBe(9n);
  });

  test("who delegates is told of logs, and not of a list, also where that is the newer one", () => {
    const held: DelegationEvent = {
      kind: "transfer",
      blockNumber: 0,
      logIndex: 0,
      blockTimeMs: T - 31 * DAY,
      from: "0x0",
      to: "0xb",
      amount: 9n,
    };
    const chosen: DelegationEvent = { ...power(30, 0, 1), kind: "delegate-changed", ...TO_ITSELF };
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
  test("one per list, by date, up to t", () => {
    const found = historyOf([listOf(40), listOf(20, { isComplete: false }), listOf(5)]);
    expect(found.dated(T).map(({ total }) => total)).toStrictEqual([60n, 95n]);
    expect(found.dated(T - 6 * DAY)).toHaveLength(1);
  });

  test("events: every day from the first event on that has ended", () => {
    const found = historyOf([], [power(3.5, 7, 1), power(1.5, 9, 2)], { lastCompleteFetchMs: T + DAY });
    expect(found.dated(T).map(({ date, total }) => `${date} ${total}`)).toStrictEqual([
      "2025-06-26 7",
      "2025-06-27 7",
      "2025-06-28 9",
      "2025-06-29 9",
    ]);
    expect(found.dated(T - 1)).toHaveLength(3);
  });

  test("events: a day that has ended was fetched with the first fetch that read past it, whatever was fetched since", () => {
    // Days end just before midnight, as T does.
    const events = [power(3.5, 7, 1)];
    const fetchedOf = (confirmedDaysAgo: readonly number[], lastDaysAgo: number, lagDays = 0) =>
      historyOf([], events, {
        lastCompleteFetchMs: T - lastDaysAgo * DAY,
        confirmations: confirmedDaysAgo.map((days) => ({
          atMs: T - days * DAY,
          throughMs: T - (days + lagDays) * DAY,
        })),
      })
        .dated(T)
        .map(({ date, fetchedAtMs }) => `${date} ${(T - fetchedAtMs) / DAY}`);
    expect(fetchedOf([1.5], 1.5)).toStrictEqual(["2025-06-26 1.5", "2025-06-27 1.5", "2025-06-28 1.5"]);
    expect(fetchedOf([1.5, 0.25], 0.25)).toStrictEqual([
      "2025-06-26 1.5",
      "2025-06-27 1.5",
      "2025-06-28 0.25",
      "2025-06-29 0.25",
    ]);
    expect(fetchedOf([], 0.25).every((day) => day.endsWith(" 0.25"))).toBe(true);
    expect(
      fetchedOf([1.5, 0.75, 0.25], 0.25, 0.5),
      "its block was of before the end of the day",
    ).toStrictEqual(["2025-06-26 1.5", "2025-06-27 1.5", "2025-06-28 0.25", "2025-06-29 0.25"]);
  });

  test("an archive says nothing of the days after its last event, nor of the rest of its day", () => {
    const found = historyOf([], [power(3.5, 7, 1), power(1.5, 9, 2)], { isArchive: true }).dated(T);
    expect(found.map(({ date }) => date)).toStrictEqual(["2025-06-26", "2025-06-27", "2025-06-28"]);
    expect(found.at(-1)?.asOfMs).toBe(T - 1.5 * DAY);
    expect(found[0]?.asOfMs).toBe(T - 3 * DAY);
  });

  test("gap: no data", () => {
    expect(historyOf([]).dated(T)).toStrictEqual([]);
    expect(historyOf([]).at(T)).toBeUndefined();
  });
});

describe("names", () => {
  const names = new Map([
    ["0xa", "alice.eth"],
    ["0xb", "bob.eth"],
  ]);
  const delegates = [
    { address: "0xa", votes: 5n, delegatorsCount: 1, ens: undefined },
    { address: "0xb", votes: 4n, delegatorsCount: 1, ens: "own.eth" },
    { address: "0xc", votes: 3n, delegatorsCount: 1, ens: undefined },
  ];
  const events = [power(3.5, 7, 1), power(1.5, 9, 2)];
  const ensOf = (ranking: DelegateRanking | undefined) => ranking?.delegates.map(({ ens }) => ens);

  test("are put on delegates of logs, latest and dated alike", () => {
    const found = historyOf([], events, { names, lastCompleteFetchMs: T });
    expect(ensOf(found.at(T))).toStrictEqual(["bob.eth"]);
    expect(found.dated(T).map(ensOf)).toStrictEqual(Array(4).fill(["bob.eth"]));
  });

  test("are put on delegates of logs without block times", () => {
    expect(ensOf(historyOf([], [power(undefined, 9, 1)], { names }).at(T))).toStrictEqual(["bob.eth"]);
  });

  test("are put on delegates of a list where it names nobody itself, latest and dated alike", () => {
    const found = historyOf([listOf(5, { delegates })], [], { names });
    expect(ensOf(found.at(T))).toStrictEqual(["alice.eth", "own.eth", undefined]);
    expect(found.dated(T).map(ensOf)).toStrictEqual([["alice.eth", "own.eth", undefined]]);
  });

  test("change no rank, no number and no tier, of whomever they are", () => {
    const address = fc.constantFrom("0xa", "0xb", "0xc", "0xd", "0xe");
    const event = fc.record({ delegate: address, after: fc.nat(40), daysAgo: fc.nat(6) });
    const nameless = (ranking: DelegateRanking | undefined) =>
      ranking && { ...ranking, delegates: ranking.delegates.map((delegate) => ({ ...delegate, ens: 0 })) };
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 12 }),
        fc.uniqueArray(fc.tuple(address, fc.bigInt(0n, 9n)), { selector: ([who]) => who }),
        fc.dictionary(address, fc.string({ minLength: 1 })),
        (given, listed, named) => {
          const logs = given
            .toSorted((a, b) => b.daysAgo - a.daysAgo)
            .map(({ delegate, after, daysAgo }, index) => ({ ...power(daysAgo, after, index), delegate }));
          const list = listOf(3, {
            delegates: listed.map(([who, votes]) => ({
              address: who,
              votes,
              delegatorsCount: 1,
              ens: undefined,
            })),
          });
          const bare = historyOf([list], logs);
          const withNames = historyOf([list], logs, { names: new Map(Object.entries(named)) });
          for (let daysAgo = 0; daysAgo < 8; daysAgo += 1) {
            const atMs = T - daysAgo * DAY;
            expect(nameless(withNames.at(atMs))).toStrictEqual(nameless(bare.at(atMs)));
          }
          expect(withNames.dated(T).map(nameless)).toStrictEqual(bare.dated(T).map(nameless));
        },
      ),
    );
  });
});

describe("the last block whose events are in", () => {
  test("is that of the last event by the day's end, stays on a day without one, and lists have none", () => {
    const history = historyOf([listOf(2)], [power(5, 10, 100), power(3, 20, 300), power(3, 25, 301)], {
      isArchive: false,
      lastCompleteFetchMs: T,
    });
    const blocks = history.dated(T).map(({ date, lastBlock }) => [date, lastBlock]);
    const day = (daysAgo: number) => new Date(T - daysAgo * DAY).toISOString().slice(0, 10);
    expect(blocks).toEqual(
      expect.arrayContaining([
        [day(5), 100],
        [day(4), 100],
        [day(3), 301],
      ]),
    );
    expect(history.at(T)?.lastBlock).toBe(301);
    expect(historyOf([listOf(2)]).dated(T)).toMatchObject([{ date: day(2) }]);
    expect(historyOf([listOf(2)]).at(T)?.lastBlock).toBeUndefined();
  });
});
