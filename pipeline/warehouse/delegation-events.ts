import type { DelegationEvent } from "../facts/dao-facts.ts";
import { addressBytes } from "./byte-columns.ts";
import { corrupt, type Database } from "./database.ts";

export const INSERT_EVENT = `INSERT INTO delegation_events
  (token_number, fetch_number, block_number, log_index, block_time_ms, kind,
   delegator, delegate, from_address, to_address, before_votes, after_votes, amount)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

type EventFields = Partial<Record<"delegator" | "delegate" | "from" | "to", string>> &
  Partial<Record<"before" | "after" | "amount", bigint>>;

/** An event's columns, an array because there are millions; amounts in decimal digits. Throws on a misspelt address. */
export function delegationRow(tokenNumber: number, fetchNumber: number, event: DelegationEvent) {
  const { blockNumber, logIndex, blockTimeMs, kind } = event;
  const { delegator, delegate, from, to, before, after, amount }: EventFields = event;
  const parties = [delegator, delegate, from, to].map((one) => one && addressBytes(one));
  const amounts = [before, after, amount].map((one) => one?.toString());
  return [tokenNumber, fetchNumber, blockNumber, logIndex, blockTimeMs, kind, ...parties, ...amounts];
}

/**
 * The number of a DAO's token, assigned when its first events are written. Events that a source stores while it reads
 * (`keptBy`) and events put with fetches (`PUT`) have different token numbers.
 */
export function openToken(database: Database, daoNumber: number, keptBy: string, token: string): number {
  return database.numberOf("tokens", { daoNumber, keptBy, address: addressBytes(token) });
}

/** The value of `kept_by` for events put with fetches, from any source. */
const PUT = "";

/** Stores events by (block, log index), the newest fetch winning; returns how many this fetch had not put before. */
export function putDelegationEvents(
  database: Database,
  daoNumber: number,
  fetchNumber: number,
  token: string,
  events: readonly DelegationEvent[],
): number {
  const tokenNumber = openToken(database, daoNumber, PUT, token);
  // A repeat within one fetch changes nothing; a log of an earlier fetch is overwritten.
  const upsert = `${INSERT_EVENT}
     ON CONFLICT DO UPDATE SET
       fetch_number = excluded.fetch_number, block_time_ms = excluded.block_time_ms, kind = excluded.kind,
       delegator = excluded.delegator, delegate = excluded.delegate,
       from_address = excluded.from_address, to_address = excluded.to_address,
       before_votes = excluded.before_votes, after_votes = excluded.after_votes, amount = excluded.amount
     WHERE fetch_number <> excluded.fetch_number`;
  let stored = 0;
  for (const event of events) {
    stored += database.run(upsert, ...delegationRow(tokenNumber, fetchNumber, event));
  }
  return stored;
}

interface Row extends Pick<DelegationEvent, "blockNumber" | "logIndex" | "kind"> {
  readonly blockTimeMs?: number;
  readonly delegator?: string;
  readonly delegate?: string;
  readonly from?: string;
  readonly to?: string;
  readonly before?: string;
  readonly after?: string;
  readonly amount?: string;
}

/** SQL that returns an address as text: a million small buffers would keep the garbage collector busy for a minute. */
const spelled = (column: string) => `'0x' || nullif(lower(hex(${column})), '')`;

/**
 * The events of a DAO's token that readers see, by (block, log index): those that a live source stored, up to the block
 * that its last commit confirmed; without such a block, those put with fetches (of an archive). The two never mix,
 * because an archive and a node may refer to different chains. Live events take precedence even over a later archive,
 * as in `lastCompleteFetch`.
 */
export function readDelegationEvents(
  database: Database,
  daoNumber: number,
  token: string,
): readonly DelegationEvent[] {
  const shown = database.get<{ tokenNumber: number; confirmedBlock?: number }>(
    `SELECT token_number, confirmed_block FROM tokens
     WHERE dao_number = ? AND address = ? AND (kept_by = '${PUT}' OR confirmed_block IS NOT NULL)
     ORDER BY confirmed_block DESC NULLS LAST LIMIT 1`,
    daoNumber,
    addressBytes(token),
  );
  if (shown === undefined) return [];
  const rows = database.iterate<Row>(
    `SELECT block_number, log_index, block_time_ms, kind,
            ${spelled("delegator")} AS delegator, ${spelled("delegate")} AS delegate,
            ${spelled("from_address")} AS "from", ${spelled("to_address")} AS "to",
            before_votes AS before, after_votes AS after, amount
     FROM delegation_events
     WHERE token_number = ? AND block_number <= ?
     ORDER BY block_number, log_index`,
    shown.tokenNumber,
    shown.confirmedBlock ?? Number.MAX_SAFE_INTEGER,
  );
  return Array.from(rows, eventOf);
}

function eventOf(row: Row): DelegationEvent {
  const { blockNumber, logIndex, blockTimeMs, kind } = row;
  const field = (name: Exclude<keyof Row, "blockNumber" | "logIndex" | "blockTimeMs" | "kind">): string => {
    const value = row[name];
    if (value === undefined) throw corrupt(`log ${logIndex} of block ${blockNumber} lacks a field`);
    return value;
  };
  const log = { blockNumber, logIndex, blockTimeMs };
  switch (kind) {
    case "delegate-changed":
      return { ...log, kind, delegator: field("delegator"), from: field("from"), to: field("to") };
    case "votes-changed": {
      const [before, after] = [BigInt(field("before")), BigInt(field("after"))];
      return { ...log, kind, delegate: field("delegate"), before, after };
    }
    case "transfer":
      return { ...log, kind, from: field("from"), to: field("to"), amount: BigInt(field("amount")) };
  }
}

/** When commits confirmed a live source's events of a DAO's token, and through when, ascending; empty for put events. */
export function readConfirmations(
  database: Database,
  daoNumber: number,
  token: string,
): readonly { readonly atMs: number; readonly throughMs: number }[] {
  return database.all(
    `SELECT confirmed_at_ms AS at_ms, through_ms FROM token_confirmations JOIN tokens USING (token_number)
     WHERE dao_number = ? AND address = ? ORDER BY confirmed_at_ms`,
    daoNumber,
    addressBytes(token),
  );
}
