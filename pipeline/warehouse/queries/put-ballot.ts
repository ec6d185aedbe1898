import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import { bitOf } from "../columns.ts";
import type { PackedBallot } from "../packed-ballot.ts";

/** Keeps a ballot as one row; a later one of the same proposal replaces it. The proposal must have been put before. */
export function putBallot(
  database: Database,
): (daoNumber: number, ballot: PackedBallot, isFinal: boolean) => void {
  const replace = database.prepare<[number, Uint8Array, 0 | 1, number, string]>(
    `INSERT OR REPLACE INTO ballots (proposal_number, votes_count, packed, is_final)
     SELECT proposal_number, ?, ?, ? FROM proposals WHERE dao_number = ? AND proposal_id = ?`,
  );
  return (daoNumber, { proposalId, count, packed }, isFinal) => {
    const { changes } = replace.run(count, packed, bitOf(isFinal), daoNumber, proposalId);
    invariant(changes === 1, `ballot of proposal ${proposalId} was put before its proposal`);
  };
}
