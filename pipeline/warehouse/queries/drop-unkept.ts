import type { Database } from "better-sqlite3";

/** What of a source's earlier fetch outlives this one. */
export interface Outliving {
  readonly hasSpace: boolean;
  isProposal(proposalId: string): boolean;
  isBallot(proposalId: string): boolean;
}

/** Drops what a source held of one DAO and neither put nor kept: a proposal that vanished from it must vanish here. */
export function dropUnkept(
  database: Database,
): (daoNumber: number, sourceId: string, outliving: Outliving) => void {
  const select = database.prepare<[number, string], { proposalNumber: number; proposalId: string }>(
    `SELECT proposal_number AS proposalNumber, proposal_id AS proposalId
     FROM proposals WHERE dao_number = ? AND source_id = ?`,
  );
  const dropProposal = database.prepare<[number]>("DELETE FROM proposals WHERE proposal_number = ?");
  const dropBallot = database.prepare<[number]>("DELETE FROM ballots WHERE proposal_number = ?");
  const dropSpace = database.prepare<[number, string]>(
    "DELETE FROM spaces WHERE dao_number = ? AND source_id = ?",
  );
  return (daoNumber, sourceId, { hasSpace, isProposal, isBallot }) => {
    if (!hasSpace) dropSpace.run(daoNumber, sourceId);
    for (const { proposalNumber, proposalId } of select.all(daoNumber, sourceId)) {
      if (!isProposal(proposalId)) dropProposal.run(proposalNumber);
      else if (!isBallot(proposalId)) dropBallot.run(proposalNumber);
    }
  };
}
