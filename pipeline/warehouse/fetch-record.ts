import { invariant } from "../base/invariant.ts";
import type { Ballot } from "../facts/ballot.ts";
import type { RejectedRows } from "./rejected-rows.ts";
import type { FetchRecord, Warehouse } from "./warehouse.ts";

/** Which DAO a fetch is of, from where, and when. */
export type FetchAttempt = Parameters<Warehouse["beginSpaceFetch"]>[0];
/** Why a fetch failed. */
export type FetchError = NonNullable<FetchRecord["error"]>;

const NOTHING = { proposals: 0, ballots: 0, votes: 0, delegateLists: 0, logs: 0 };

/** The record of a fetch that is kept. */
export function completeRecord(
  attempt: FetchAttempt,
  counts: typeof NOTHING,
  rejected: RejectedRows,
): FetchRecord {
  return { ...attempt, ...counts, status: "complete", error: undefined, rejected: rejected.countsByCode() };
}

/** The record of a fetch that brought nothing but the reason. */
export function failedRecord(attempt: FetchAttempt, error: FetchError, rejected: RejectedRows): FetchRecord {
  return { ...attempt, ...NOTHING, status: "failed", error, rejected: rejected.countsByCode() };
}

/** Stops on a voter's number that nobody was given: it would become somebody else's vote later. */
export function demandInterned(ballot: Ballot, highest: number): void {
  const last = ballot.voterIds.at(-1);
  const first = ballot.voterIds.at(0);
  const areKnown = last === undefined || first === undefined || (first >= 1 && last <= highest);
  invariant(areKnown, `ballot of proposal ${ballot.proposalId}: a voter was never interned`);
}
