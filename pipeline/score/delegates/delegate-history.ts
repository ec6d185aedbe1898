import { DAY_MS } from "../../../snapshots/base/days.ts";
import { dayEndMs, dayOf } from "../../../snapshots/format/ids.ts";
import type { DaoFacts, DelegateList, DelegationEvent, ListedDelegate } from "../../facts/dao-facts.ts";
import { type DelegateRanking, rankDelegates } from "./rank-delegates.ts";
import { createDelegationReplay, type DelegationReplay, traceDelegations } from "./trace-delegations.ts";

type Names = DaoFacts["names"];

/** The delegates with today's names, also for past days; a name from the list itself takes precedence. */
function withNames(delegates: readonly ListedDelegate[], names: Names): readonly ListedDelegate[] {
  if (names.size === 0) return delegates;
  return delegates.map((delegate) => {
    const name = delegate.ens ?? names.get(delegate.address);
    return name === delegate.ens ? delegate : { ...delegate, ens: name };
  });
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
export function createDelegateHistory({ names, ...facts }: DaoFacts) {
  const lists = facts.delegateLists.filter((list) => list.isComplete);
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

  const rankList = (list: DelegateList) => ({
    ...rankDelegates({ ...list, delegates: withNames(list.delegates, names) }),
    date: list.date,
  });
  const startReplay = () => createDelegationReplay(token?.isSelfByDefault ?? false);
  /** Ranks the delegates of a replay after its `last` event. */
  const rankReplay = (
    replay: DelegationReplay,
    last: DelegationEvent | undefined,
    moment: Pick<DelegateRanking, "asOfMs" | "fetchedAtMs">,
  ): DelegateRanking => ({
    ...rankDelegates({
      ...moment,
      date: moment.asOfMs === undefined ? undefined : dayOf(moment.asOfMs),
      decimals: token?.decimals ?? 0,
      delegates: withNames(replay.delegates(), names),
    }),
    lastBlock: last?.blockNumber,
  });
  /** A ranking and, if it comes from logs, the replay behind it. */
  const findAt = (asOfMs: number): { ranking: DelegateRanking; replay?: DelegationReplay } | undefined => {
    const list = lists.findLast((item) => item.asOfMs <= asOfMs);
    const known = timed?.filter(({ atMs }) => atMs <= asOfMs).map(({ event }) => event) ?? events;
    const untilMs = timed && Math.min(asOfMs, coveredUntilMs);
    const isListNewer = untilMs === undefined || known.length === 0 || (list?.asOfMs ?? 0) > untilMs;
    if (list !== undefined && isListNewer) return { ranking: rankList(list) };
    if (timed !== undefined && known.length === 0) return undefined;
    const replay = startReplay();
    for (const event of known) replay.apply(event);
    return { ranking: rankReplay(replay, known.at(-1), { asOfMs: untilMs, fetchedAtMs }), replay };
  };

  return {
    /** Ranks the newest complete data at or before t. Logs without block times are always replayed to the end. */
    at: (asOfMs: number) => findAt(asOfMs)?.ranking,
    /** `at(t)` with the delegations behind it; a list has none, because it counts delegators without naming them. */
    tracedAt(asOfMs: number) {
      const day = findAt(asOfMs);
      if (day === undefined) return undefined;
      const { ranking, replay } = day;
      return { ranking, delegations: replay && traceDelegations(ranking, replay.delegations()) };
    },
    /** One ranking per day with complete data, ascending; days that ended by t, or whose list is of t or before. */
    dated(asOfMs: number) {
      const byDate = new Map<string, DelegateRanking & { readonly date: string }>();
      for (const list of lists) if (list.asOfMs <= asOfMs) byDate.set(list.date, rankList(list));
      const firstMs = timed?.[0]?.atMs;
      const replay = startReplay();
      let next = 0;
      const lastMs = Math.min(asOfMs, coveredUntilMs);
      for (
        let endMs = firstMs === undefined ? Infinity : dayEndMs(dayOf(firstMs));
        endMs <= asOfMs && endMs - DAY_MS < lastMs;
        endMs += DAY_MS
      ) {
        for (let item = timed?.[next]; item !== undefined && item.atMs <= endMs; item = timed?.[next]) {
          replay.apply(item.event);
          next += 1;
        }
        // If the day had not ended when the data were fetched, the ranking is as of the fetch.
        const moment = { asOfMs: Math.min(endMs, coveredUntilMs), fetchedAtMs: fetchedAtOf(endMs) };
        const date = dayOf(endMs);
        byDate.set(date, { ...rankReplay(replay, timed?.[next - 1]?.event, moment), date });
      }
      return [...byDate.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
    },
  };
}
