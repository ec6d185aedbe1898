import type { DelegationEvent } from "../facts/delegation.ts";
import { isAddress } from "../facts/voters.ts";
import { addressBytes } from "./byte-columns.ts";
import { corrupt, type Database, numberOfRow } from "./database.ts";

export const INSERT_EVENT = `INSERT INTO delegation_events
  (token_number, fetch_number, block_number, log_index, block_time_ms, kind,
   delegator, delegate, from_address, to_address, before_votes, after_votes, amount)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

interface EventFields {
  readonly delegator?: string;
  readonly delegate?: string;
  readonly from?: string;
  readonly to?: string;
  readonly before?: bigint;
  readonly after?: bigint;
  readonly amount?: bigint;
}

/** An event's columns, an array because there are millions; amounts in decimal digits. Throws on a misspelt address. */
export function delegationRow(tokenNumber: number, fetchNumber: number, event: DelegationEvent) {
  const { blockNumber, logIndex, blockTimeMs, kind } = event;
  const { delegator, delegate, from, to, before, after, amount }: EventFields = event;
  const parties = [delegator, delegate, from, to].map((one) =>
    one === undefined ? null : addressBytes(one),
  );
  const amounts = [before, after, amount].map((one) => one?.toString() ?? null);
  return [tokenNumber, fetchNumber, blockNumber, logIndex, blockTimeMs ?? null, kind, ...parties, ...amounts];
}

/**
 * The number of a DAO's token, assigned when its first events are written. Events that a source stores while it reads
 * (`keptBy`) and events put with fetches (`PUT`) have different token numbers.
 */
export function openToken(database: Database, daoNumber: number, keptBy: string, token: string): number {
  return numberOfRow(
    database,
    "INSERT INTO tokens (dao_number, kept_by, address) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    "SELECT token_number AS number FROM tokens WHERE dao_number = ? AND kept_by = ? AND address = ?",
    daoNumber,
    keptBy,
    addressBytes(token),
  );
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
  return events.reduce(
    (brought, event) =>
      brought + database.run(upsert, ...delegationRow(tokenNumber, fetchNumber, event)).changes,
    0,
  );
}

interface Row {
  readonly blockNumber: number;
  readonly logIndex: number;
  readonly blockTimeMs: number | null;
  readonly kind: DelegationEvent["kind"];
  readonly delegator: string | null;
  readonly delegate: string | null;
  readonly fromAddress: string | null;
  readonly toAddress: string | null;
  readonly beforeVotes: string | null;
  readonly afterVotes: string | null;
  readonly amount: string | null;
}

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
  if (!isAddress(token)) return [];
  const shown = database.get<{ tokenNumber: number; confirmedBlock: number | null }>(
    `SELECT token_number AS tokenNumber, confirmed_block AS confirmedBlock
     FROM tokens
     WHERE dao_number = ? AND address = ? AND (kept_by = '${PUT}' OR confirmed_block IS NOT NULL)
     ORDER BY confirmed_block DESC NULLS LAST LIMIT 1`,
    daoNumber,
    addressBytes(token),
  );
  if (shown === undefined) return [];
  const rows = database.iterate<Row>(
    `SELECT block_number AS blockNumber, log_index AS logIndex, block_time_ms AS blockTimeMs, kind,
            ${spelled("delegator")} AS delegator, ${spelled("delegate")} AS delegate,
            ${spelled("from_address")} AS fromAddress, ${spelled("to_address")} AS toAddress,
            before_votes AS beforeVotes, after_votes AS afterVotes, amount
     FROM delegation_events
     WHERE token_number = ? AND block_number <= ?
     ORDER BY block_number, log_index`,
    shown.tokenNumber,
    shown.confirmedBlock ?? Number.MAX_SAFE_INTEGER,
  );
  return Array.from(rows, eventOf);
}

/** When commits confirmed a live source's events of a DAO's token, and through when, ascending; empty for put events. */
export function readConfirmations(
  database: Database,
  daoNumber: number,
  token: string,
): readonly { readonly atMs: number; readonly throughMs: number }[] {
  if (!isAddress(token)) return [];
  return database.all<{ atMs: number; throughMs: number }>(
    `SELECT confirmed_at_ms AS atMs, through_ms AS throughMs FROM token_confirmations JOIN tokens USING (token_number)
     WHERE dao_number = ? AND address = ? ORDER BY confirmed_at_ms`,
    daoNumber,
    addressBytes(token),
  );
}

/** SQL that returns an address as text: a million small buffers would keep the garbage collector busy for a minute. */
function spelled(column: string): string {
  return `'0x' || nullif(lower(hex(${column})), '')`;
}

function eventOf(row: Row): DelegationEvent {
  const { blockNumber, logIndex, kind } = row;
  const blockTimeMs = row.blockTimeMs ?? undefined;
  switch (kind) {
    case "delegate-changed": {
      const delegator = present(row.delegator, row);
      const [from, to] = [present(row.fromAddress, row), present(row.toAddress, row)];
      return { blockNumber, logIndex, blockTimeMs, kind, delegator, from, to };
    }
    case "votes-changed": {
      const delegate = present(row.delegate, row);
      const [before, after] = [BigInt(present(row.beforeVotes, row)), BigInt(present(row.afterVotes, row))];
      return { blockNumber, logIndex, blockTimeMs, kind, delegate, before, after };
    }
    case "transfer": {
      const [from, to] = [present(row.fromAddress, row), present(row.toAddress, row)];
      return { blockNumber, logIndex, blockTimeMs, kind, from, to, amount: BigInt(present(row.amount, row)) };
    }
  }
}

function present(value: string | null, { blockNumber, logIndex }: Row): string {
  if (value !== null) return value;
  throw corrupt(`log ${logIndex} of block ${blockNumber} lacks a field`);
}
