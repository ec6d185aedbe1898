import type { DelegationEvent } from "../facts/delegation.ts";
import { addressBytes } from "./address-bytes.ts";
import { nullable } from "./columns.ts";

/** The columns of an event, in the order in which `delegationRow` gives their values. */
export const DELEGATION_COLUMNS = `token_number, fetch_number, block_number, log_index, block_time_ms, kind,
     delegator, delegate, from_address, to_address, before_votes, after_votes, amount`;

type Parties = [
  delegator: Buffer | null,
  delegate: Buffer | null,
  from: Buffer | null,
  to: Buffer | null,
  before: string | null,
  after: string | null,
  amount: string | null,
];

/** One event as SQLite keeps it; a list and no object with names, because there are millions. */
export type DelegationRow = [
  tokenNumber: number,
  fetchNumber: number,
  blockNumber: number,
  logIndex: number,
  blockTimeMs: number | null,
  kind: DelegationEvent["kind"],
  ...Parties,
];

/** An event of one token as its row; amounts as digits, exact. Throws on an address in any other spelling. */
export function delegationRow(
  tokenNumber: number,
  fetchNumber: number,
  event: DelegationEvent,
): DelegationRow {
  const { blockNumber, logIndex, blockTimeMs, kind } = event;
  return [tokenNumber, fetchNumber, blockNumber, logIndex, nullable(blockTimeMs), kind, ...partiesOf(event)];
}

function partiesOf(event: DelegationEvent): Parties {
  switch (event.kind) {
    case "delegate-changed": {
      const { delegator, from, to } = event;
      return [addressBytes(delegator), null, addressBytes(from), addressBytes(to), null, null, null];
    }
    case "votes-changed": {
      const { delegate, before, after } = event;
      return [null, addressBytes(delegate), null, null, before.toString(), after.toString(), null];
    }
    case "transfer": {
      const { from, to, amount } = event;
      return [null, null, addressBytes(from), addressBytes(to), null, null, amount.toString()];
    }
  }
}
