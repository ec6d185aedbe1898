import type Database from "better-sqlite3";
import type { QuotaAnswer, QuotaRequest } from "./daily-quota.ts";
import { openQuotaDatabase } from "./open-quota-database.ts";

/** An account's use of one day. */
export interface DayUse {
  readonly day: string;
  readonly used: number;
}

/** The counter's file: one transaction per call, nothing remembered in between. */
export interface QuotaLedger {
  /** Takes refunds, then grants; returns only after the commit. Answers stand in the order of the requests. */
  readonly settle: (
    requests: readonly QuotaRequest[],
    refunds: readonly Omit<QuotaRequest, "limit">[],
  ) => readonly QuotaAnswer[];
  /** The days of an account from `sinceDay` on, latest first. */
  readonly usage: (account: string, sinceDay: string) => DayUse[];
  readonly close: () => void;
}

/** Opens the ledger at `path`. */
export function openQuotaLedger(path: string): QuotaLedger {
  const database = openQuotaDatabase(path);
  const settle = settler(database);
  const usage = database.prepare<[string, string], DayUse>(
    "SELECT day, used FROM quota WHERE account = ? AND day >= ? ORDER BY day DESC",
  );
  return {
    settle: (requests, refunds) => settle.immediate(requests, refunds),
    usage: (account, sinceDay) => usage.all(account, sinceDay),
    close: () => void database.close(),
  };
}

function settler(database: Database.Database) {
  const read = database.prepare<[string, string], { used: number }>(
    "SELECT used FROM quota WHERE account = ? AND day = ?",
  );
  const add = database.prepare<[string, string, number], { used: number }>(
    `INSERT INTO quota VALUES (?, ?, ?)
     ON CONFLICT (account, day) DO UPDATE SET used = used + excluded.used RETURNING used`,
  );
  const giveBack = database.prepare<[string, string]>(
    "UPDATE quota SET used = used - 1 WHERE account = ? AND day = ? AND used > 0",
  );

  return database.transaction(
    (requests: readonly QuotaRequest[], refunds: readonly Omit<QuotaRequest, "limit">[]) => {
      for (const { account, day } of refunds) giveBack.run(account, day);
      const answers: QuotaAnswer[] = [];
      for (const group of grouped(requests)) {
        const { account, day, limit } = group.request;
        const used = read.get(account, day)?.used ?? 0;
        const granted = Math.max(0, Math.min(group.places.length, limit - used));
        // A throw here rolls the transaction back: nobody is released.
        if (granted > 0 && (add.get(account, day, granted)?.used ?? Number.POSITIVE_INFINITY) > limit) {
          throw new Error("invariant: a grant would raise the count above the limit");
        }
        group.places.forEach((place, index) => {
          const isGranted = index < granted;
          const after = isGranted ? used + index + 1 : used + granted;
          answers[place] = { isGranted, remaining: Math.max(0, limit - after) };
        });
      }
      return answers;
    },
  );
}

interface Group {
  readonly request: QuotaRequest;
  readonly places: number[];
}

/** Requests of one account, day and limit together, in the order of their first; so each group is one read and one write. */
function grouped(requests: readonly QuotaRequest[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  requests.forEach((request, place) => {
    const name = JSON.stringify([request.account, request.day, request.limit]);
    const group = groups.get(name) ?? { request, places: [] };
    group.places.push(place);
    groups.set(name, group);
  });
  return groups.values();
}
