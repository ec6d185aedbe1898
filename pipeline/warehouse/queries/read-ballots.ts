import type { Database } from "better-sqlite3";
import type { Ballot } from "../../facts/ballot.ts";
import { unpackBallot } from "../unpack-ballot.ts";

interface Row {
  readonly proposalId: string;
  readonly count: number;
  readonly packed: Buffer;
}

/** A DAO's ballots one after the other, each checked against its count and checksum; throws WAREHOUSE_CORRUPT naming the first bad one. */
export function eachBallot(database: Database): (daoNumber: number) => Generator<Ballot> {
  const select = database.prepare<[number], Row>(
    `SELECT proposal_id AS proposalId, ballots.votes_count AS count, packed
     FROM proposals JOIN ballots USING (proposal_number)
     WHERE dao_number = ?
     ORDER BY end_at_ms NULLS FIRST, proposal_id`,
  );
  return function* (daoNumber) {
    for (const { proposalId, count, packed } of select.iterate(daoNumber)) {
      yield unpackBallot(proposalId, count, packed);
    }
  };
}

/** The same by proposal id, all at once. */
export function readBallots(database: Database): (daoNumber: number) => ReadonlyMap<string, Ballot> {
  const each = eachBallot(database);
  return (daoNumber) => {
    const ballots = new Map<string, Ballot>();
    for (const ballot of each(daoNumber)) ballots.set(ballot.proposalId, ballot);
    return ballots;
  };
}
