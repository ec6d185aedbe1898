import type { Database } from "better-sqlite3";
import type { DelegationEvent } from "../../facts/delegation.ts";
import { maybeAddressBytes } from "../address-bytes.ts";
import { optional } from "../columns.ts";
import { corrupt } from "../corrupt.ts";
import { PUT } from "./open-token.ts";

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

interface Shown {
  readonly tokenNumber: number;
  readonly confirmedBlock: number | null;
}

/**
 * The logs of a DAO's token that readers see, by (block, log index): those that a source keeps as it reads them, up to
 * the block that its last commit confirmed; where there is no such block, those that fetches put (an archive's). The
 * two never mix, because nobody can tell whether an archive and a node mean the same chain. The live ones go first even
 * where an archive came later, as they do where a DAO's freshness is told.
 */
export function readDelegationEvents(
  database: Database,
): (daoNumber: number, token: string) => readonly DelegationEvent[] {
  const selectShown = database.prepare<[number, Buffer], Shown>(
    `SELECT token_number AS tokenNumber, confirmed_block AS confirmedBlock
     FROM tokens
     WHERE dao_number = ? AND address = ? AND (kept_by = '${PUT}' OR confirmed_block IS NOT NULL)
     ORDER BY confirmed_block DESC NULLS LAST LIMIT 1`,
  );
  const select = database.prepare<[number, number], Row>(
    `SELECT block_number AS blockNumber, log_index AS logIndex, block_time_ms AS blockTimeMs, kind,
            ${spelled("delegator")} AS delegator, ${spelled("delegate")} AS delegate,
            ${spelled("from_address")} AS fromAddress, ${spelled("to_address")} AS toAddress,
            before_votes AS beforeVotes, after_votes AS afterVotes, amount
     FROM delegation_events
     WHERE token_number = ? AND block_number <= ?
     ORDER BY block_number, log_index`,
  );
  return (daoNumber, token) => {
    const address = maybeAddressBytes(token);
    const shown = address === undefined ? undefined : selectShown.get(daoNumber, address);
    if (shown === undefined) return [];
    const events: DelegationEvent[] = [];
    const rows = select.iterate(shown.tokenNumber, shown.confirmedBlock ?? Number.MAX_SAFE_INTEGER);
    for (const row of rows) events.push(eventOf(row));
    return events;
  };
}

/** An address as text, spelled by SQLite: a million small buffers would keep the garbage collector busy for a minute. */
function spelled(column: string): string {
  return `'0x' || nullif(lower(hex(${column})), '')`;
}

function eventOf(row: Row): DelegationEvent {
  const { blockNumber, logIndex, kind } = row;
  const blockTimeMs = optional(row.blockTimeMs);
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
