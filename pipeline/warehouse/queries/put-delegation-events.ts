import type { Database } from "better-sqlite3";
import type { DelegationEvent } from "../../facts/delegation.ts";
import { DELEGATION_COLUMNS, type DelegationRow, delegationRow } from "../delegation-row.ts";
import { openToken, PUT } from "./open-token.ts";

/** Keeps logs by (block, log index) and answers how many of them this fetch had not brought before; the newest fetch wins. */
export function putDelegationEvents(
  database: Database,
): (daoNumber: number, fetchNumber: number, token: string, events: readonly DelegationEvent[]) => number {
  const tokenNumberOf = openToken(database);
  // A repeat within one fetch changes nothing; a log known from an earlier fetch is written anew.
  const upsert = database.prepare<DelegationRow>(
    `INSERT INTO delegation_events (${DELEGATION_COLUMNS})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       fetch_number = excluded.fetch_number, block_time_ms = excluded.block_time_ms, kind = excluded.kind,
       delegator = excluded.delegator, delegate = excluded.delegate,
       from_address = excluded.from_address, to_address = excluded.to_address,
       before_votes = excluded.before_votes, after_votes = excluded.after_votes, amount = excluded.amount
     WHERE fetch_number <> excluded.fetch_number`,
  );
  return (daoNumber, fetchNumber, token, events) => {
    const tokenNumber = tokenNumberOf(daoNumber, PUT, token);
    let brought = 0;
    for (const event of events) {
      brought += upsert.run(...delegationRow(tokenNumber, fetchNumber, event)).changes;
    }
    return brought;
  };
}
