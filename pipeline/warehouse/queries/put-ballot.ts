import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import type { Ballot } from "../../facts/ballot.ts";
import { bitOf } from "../columns.ts";
import { packBallot } from "../pack-ballot.ts";

/** Keeps a ballot as one row; a later one of the same proposal replaces it. The proposal must have been put before. */
export function putBallot(database: Database): (daoNumber: number, ballot: Ballot, isFinal: boolean) => void {
  const replace = database.prepare<[number, Buffer, 0 | 1, number, string]>(
    `INSERT OR REPLACE INTO ballots (proposal_number, votes_count, packed, is_final)
     SELECT proposal_number, ?, ?, ? FROM proposals WHERE dao_number = ? AND proposal_id = ?`,
  );
  return (daoNumber, ballot, isFinal) => {
    const packed = packBallot(ballot);
    const { changes } = replace.run(ballot.count, packed, bitOf(isFinal), daoNumber, ballot.proposalId);
    invariant(changes === 1, `ballot of proposal ${ballot.proposalId} was put before its proposal`);
  };
}
