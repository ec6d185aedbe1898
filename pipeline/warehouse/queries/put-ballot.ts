import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import type { Ballot } from "../../facts/ballot.ts";
import { packBallot } from "../pack-ballot.ts";

/** Keeps a ballot as one row; a later one of the same proposal replaces it. The proposal must have been put before. */
export function putBallot(database: Database): (daoNumber: number, ballot: Ballot) => void {
  const replace = database.prepare<[number, Buffer, number, string]>(
    `INSERT OR REPLACE INTO ballots (proposal_number, votes_count, packed)
     SELECT proposal_number, ?, ? FROM proposals WHERE dao_number = ? AND proposal_id = ?`,
  );
  return (daoNumber, ballot) => {
    const { changes } = replace.run(ballot.count, packBallot(ballot), daoNumber, ballot.proposalId);
    invariant(changes === 1, `ballot of proposal ${ballot.proposalId} was put before its proposal`);
  };
}
