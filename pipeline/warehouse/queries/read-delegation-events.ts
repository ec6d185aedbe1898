import type { Database } from "better-sqlite3";
import type { DelegationEvent } from "../../facts/delegation.ts";
import { addressOf, maybeAddressBytes } from "../address-bytes.ts";
import { optional } from "../columns.ts";
import { corrupt } from "../corrupt.ts";
import { PUT } from "./open-token.ts";

interface Row {
  readonly blockNumber: number;
  readonly logIndex: number;
  readonly blockTimeMs: number | null;
  readonly kind: DelegationEvent["kind"];
  readonly delegator: Buffer | null;
  readonly delegate: Buffer | null;
  readonly fromAddress: Buffer | null;
  readonly toAddress: Buffer | null;
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
            delegator, delegate, from_address AS fromAddress, to_address AS toAddress,
            before_votes AS beforeVotes, after_votes AS afterVotes, amount
     FROM delegation_events
     WHERE token_number = ? AND block_number <= ?
     ORDER BY block_number, log_index`,
  );
  return (daoNumber, token) => {
    const address = maybeAddressBytes(token);
    const shown = address === undefined ? undefined : selectShown.get(daoNumber, address);
    if (shown === undefined) return [];
    return select.all(shown.tokenNumber, shown.confirmedBlock ?? Number.MAX_SAFE_INTEGER).map(eventOf);
  };
}

function eventOf(row: Row): DelegationEvent {
  const { blockNumber, logIndex, kind } = row;
  const place = { blockNumber, logIndex, blockTimeMs: optional(row.blockTimeMs) };
  const present = <Value>(value: Value | null): Value => {
    if (value !== null) return value;
    throw corrupt(`log ${logIndex} of block ${blockNumber} lacks a field`);
  };
  const address = (bytes: Buffer | null) => addressOf(present(bytes));
  const amount = (digits: string | null) => BigInt(present(digits));
  switch (kind) {
    case "delegate-changed":
      return {
        ...place,
        kind,
        delegator: address(row.delegator),
        from: address(row.fromAddress),
        to: address(row.toAddress),
      };
    case "votes-changed":
      return {
        ...place,
        kind,
        delegate: address(row.delegate),
        before: amount(row.beforeVotes),
        after: amount(row.afterVotes),
      };
    case "transfer":
      return {
        ...place,
        kind,
        from: address(row.fromAddress),
        to: address(row.toAddress),
        amount: amount(row.amount),
      };
  }
}
