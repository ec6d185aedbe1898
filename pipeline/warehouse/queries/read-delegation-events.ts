import type { Database } from "better-sqlite3";
import type { DelegationEvent } from "../../facts/delegation.ts";
import { addressOf, maybeAddressBytes } from "../address-bytes.ts";
import { optional } from "../columns.ts";
import { corrupt } from "../corrupt.ts";

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

/** The logs of a DAO's token by (block, log index). */
export function readDelegationEvents(
  database: Database,
): (daoNumber: number, token: string) => readonly DelegationEvent[] {
  const select = database.prepare<[number, Buffer], Row>(
    `SELECT block_number AS blockNumber, log_index AS logIndex, block_time_ms AS blockTimeMs, kind,
            delegator, delegate, from_address AS fromAddress, to_address AS toAddress,
            before_votes AS beforeVotes, after_votes AS afterVotes, amount
     FROM tokens JOIN delegation_events USING (token_number)
     WHERE dao_number = ? AND address = ?
     ORDER BY block_number, log_index`,
  );
  return (daoNumber, token) => {
    const address = maybeAddressBytes(token);
    return address === undefined ? [] : select.all(daoNumber, address).map(eventOf);
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
