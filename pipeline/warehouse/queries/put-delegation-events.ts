import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import type { DelegationEvent } from "../../facts/delegation.ts";
import { addressBytes } from "../address-bytes.ts";
import { nullable } from "../columns.ts";

/** Keeps logs by (block, log index) and answers how many of them this fetch had not brought before; the newest fetch wins. */
export function putDelegationEvents(
  database: Database,
): (daoNumber: number, fetchNumber: number, token: string, events: readonly DelegationEvent[]) => number {
  const keepToken = database.prepare<[number, Buffer]>(
    "INSERT INTO tokens (dao_number, address) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  const findToken = database.prepare<[number, Buffer], { tokenNumber: number }>(
    "SELECT token_number AS tokenNumber FROM tokens WHERE dao_number = ? AND address = ?",
  );
  const upsert = database.prepare<[object]>(UPSERT);
  return (daoNumber, fetchNumber, token, events) => {
    const address = addressBytes(token);
    keepToken.run(daoNumber, address);
    const tokenNumber = findToken.get(daoNumber, address)?.tokenNumber;
    invariant(tokenNumber !== undefined, "a token that was just written is there");
    let brought = 0;
    for (const event of events) {
      brought += upsert.run({
        tokenNumber,
        fetchNumber,
        blockNumber: event.blockNumber,
        logIndex: event.logIndex,
        blockTimeMs: nullable(event.blockTimeMs),
        kind: event.kind,
        ...columnsOf(event),
      }).changes;
    }
    return brought;
  };
}

/** A repeat within one fetch changes nothing; a log known from an earlier fetch is written anew. */
const UPSERT = `
  INSERT INTO delegation_events
    (token_number, block_number, log_index, fetch_number, block_time_ms, kind,
     delegator, delegate, from_address, to_address, before_votes, after_votes, amount)
  VALUES
    (@tokenNumber, @blockNumber, @logIndex, @fetchNumber, @blockTimeMs, @kind,
     @delegator, @delegate, @from, @to, @before, @after, @amount)
  ON CONFLICT DO UPDATE SET
    fetch_number = excluded.fetch_number, block_time_ms = excluded.block_time_ms, kind = excluded.kind,
    delegator = excluded.delegator, delegate = excluded.delegate,
    from_address = excluded.from_address, to_address = excluded.to_address,
    before_votes = excluded.before_votes, after_votes = excluded.after_votes, amount = excluded.amount
  WHERE fetch_number <> excluded.fetch_number`;

const NOTHING = {
  delegator: null,
  delegate: null,
  from: null,
  to: null,
  before: null,
  after: null,
  amount: null,
};

function columnsOf(event: DelegationEvent): Record<keyof typeof NOTHING, Buffer | string | null> {
  switch (event.kind) {
    case "delegate-changed":
      return {
        ...NOTHING,
        delegator: addressBytes(event.delegator),
        from: addressBytes(event.from),
        to: addressBytes(event.to),
      };
    case "votes-changed":
      return {
        ...NOTHING,
        delegate: addressBytes(event.delegate),
        before: event.before.toString(),
        after: event.after.toString(),
      };
    case "transfer":
      return {
        ...NOTHING,
        from: addressBytes(event.from),
        to: addressBytes(event.to),
        amount: event.amount.toString(),
      };
  }
}
