import { dayEndMs, dayOf } from "../../../snapshots/format/ids.ts";
import type { DaoFacts } from "../../facts/dao-facts.ts";
import { DAY_MS } from "../../facts/days.ts";
import type { DelegateList, DelegationEvent, ListedDelegate } from "../../facts/delegation.ts";
import { type DelegateRanking, rankDelegates } from "./rank-delegates.ts";
import {
  createDelegationReplay,
  type DelegationReplay,
  type TracedDelegations,
  traceDelegations,
} from "./trace-delegations.ts";

/** The ranking of one day. */
type DatedRanking = DelegateRanking & { readonly date: string };

/** A ranking with the delegations behind it; a list has none, because it counts delegators without naming them. */
interface TracedRanking {
  readonly ranking: DelegateRanking;
  readonly delegations: TracedDelegations | undefined;
}

/** The delegate rankings of one DAO, from lists and from delegation events. */
export interface DelegateHistory {
  /** Ranks the newest complete data at or before t. Logs without block times are always replayed to the end. */
  at(asOfMs: number): DelegateRanking | undefined;
  /** `at(t)` with the delegations behind it, from a single replay of the logs. */
  tracedAt(asOfMs: number): TracedRanking | undefined;
  /** One ranking per day with complete data, ascending; days that ended by t, or whose list is of t or before. */
  dated(asOfMs: number): DatedRanking[];
}

type Names = DaoFacts["names"];

function rankList(list: DelegateList, names: Names): DatedRanking {
  return { ...rankDelegates({ ...list, delegates: withNames(list.delegates, names) }), date: list.date };
}

/** The delegates with today's names, also for past days; a name from the list itself takes precedence. */
function withNames(delegates: readonly ListedDelegate[], names: Names): readonly ListedDelegate[] {
  if (names.size === 0) return delegates;
  return delegates.map((delegate) => {
    const name = delegate.ens ?? names.get(delegate.address);
    return name === delegate.ens ? delegate : { ...delegate, ens: name };
  });
}

/** A ranking and, if it comes from logs, the replay behind it. */
interface FoundRanking {
  readonly ranking: DelegateRanking;
  readonly replay?: DelegationReplay;
}

interface TimedEvent {
  readonly event: DelegationEvent;
  readonly atMs: number;
}

/** All events with their times; `undefined` if one has none, because a replay up to a moment would be a guess. */
function timedEvents(events: readonly DelegationEvent[]): TimedEvent[] | undefined {
  const timed = events.flatMap((event) =>
    event.blockTimeMs === undefined ? [] : [{ event, atMs: event.blockTimeMs }],
  );
  return timed.length === events.length ? timed : undefined;
}

/** Creates the delegate rankings of one DAO. Names only label delegates and change nothing else. */
export function createDelegateHistory(facts: DaoFacts): DelegateHistory {
  const lists = facts.delegateLists
    .filter((list) => list.isComplete)
    .map((list) => ({ list, rank: () => rankList(list, facts.names) }));
  const token = facts.dao.governor;
  const events = token === undefined ? [] : facts.delegationEvents;
  const timed = timedEvents(events);
  const completeMs = facts.lastCompleteFetchMs ?? 0;
  // An archive of logs covers nothing after its last event; a live node covers the time up to the fetch.
  const lastEventMs = timed?.at(-1)?.atMs ?? -Infinity;
  const coveredUntilMs = facts.isArchive ? lastEventMs : Math.max(lastEventMs, completeMs);
  // Not the time at which an archive was read: reading it again must give the same bytes.
  const fetchedAtMs = facts.isArchive && Number.isFinite(lastEventMs) ? lastEventMs : completeMs;

  // The data of an ended day were complete with the first fetch that read the chain past its end; this time is published
  // and never changes.
  const fetchedAtOf = (endMs: number): number =>
    endMs > coveredUntilMs
      ? fetchedAtMs
      : (facts.confirmations.find(({ throughMs }) => throughMs >= endMs)?.atMs ?? fetchedAtMs);

  const rankEvents = (upTo: readonly DelegationEvent[], asOfMs: number | undefined): FoundRanking => {
    const replay = createDelegationReplay(token?.isSelfByDefault ?? false);
    for (const event of upTo) replay.apply(event);
    const ranking = rankDelegates({
      date: asOfMs === undefined ? undefined : dayOf(asOfMs),
      asOfMs,
      fetchedAtMs,
      decimals: token?.decimals ?? 0,
      delegates: withNames(replay.delegates(), facts.names),
    });
    return { ranking: { ...ranking, lastBlock: upTo.at(-1)?.blockNumber }, replay };
  };
  const findAt = (asOfMs: number): FoundRanking | undefined => {
    const ranking = lists.findLast((item) => item.list.asOfMs <= asOfMs)?.rank();
    const listed = ranking === undefined ? undefined : { ranking };
    if (timed === undefined) return listed ?? rankEvents(events, undefined);
    const known = timed.filter(({ atMs }) => atMs <= asOfMs).map(({ event }) => event);
    if (known.length === 0) return listed;
    const found = rankEvents(known, Math.min(asOfMs, coveredUntilMs));
    const isListNewer = ranking?.asOfMs !== undefined && ranking.asOfMs > (found.ranking.asOfMs ?? 0);
    return isListNewer ? listed : found;
  };

  return {
    at: (asOfMs) => findAt(asOfMs)?.ranking,
    tracedAt(asOfMs) {
      const found = findAt(asOfMs);
      if (found === undefined) return undefined;
      const { ranking, replay } = found;
      return { ranking, delegations: replay && traceDelegations(ranking, replay.delegations()) };
    },
    dated(asOfMs) {
      const byDate = new Map<string, DatedRanking>();
      for (const { list, rank } of lists) if (list.asOfMs <= asOfMs) byDate.set(list.date, rank());
      const firstMs = timed?.at(0)?.atMs;
      const replay = createDelegationReplay(token?.isSelfByDefault ?? false);
      let next = 0;
      const lastMs = Math.min(asOfMs, coveredUntilMs);
      for (
        let endMs = firstMs === undefined ? Infinity : dayEndMs(dayOf(firstMs));
        endMs <= asOfMs;
        endMs += DAY_MS
      ) {
        if (endMs - DAY_MS >= lastMs) break;
        for (let item = timed?.[next]; item !== undefined && item.atMs <= endMs; item = timed?.[next]) {
          replay.apply(item.event);
          next += 1;
        }
        const date = dayOf(endMs);
        const { decimals } = token ?? { decimals: 0 };
        const delegates = withNames(replay.delegates(), facts.names);
        byDate.set(date, {
          // If the day had not ended when the data were fetched, the ranking is as of the fetch.
          ...rankDelegates({
            date,
            asOfMs: Math.min(endMs, coveredUntilMs),
            fetchedAtMs: fetchedAtOf(endMs),
            decimals,
            delegates,
          }),
          date,
          lastBlock: timed?.[next - 1]?.event.blockNumber,
        });
      }
      return [...byDate.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
    },
  };
}
