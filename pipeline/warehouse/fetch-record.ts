import { invariant } from "../facts/errors.ts";
import type { Rejection } from "../facts/governance-source.ts";
import type { ProposalVotes } from "../facts/proposal-votes.ts";
import type { FetchRecord, Warehouse } from "./warehouse.ts";

/** The most rejected rows kept of one fetch: enough to see the pattern, and no way to fill the disk. */
export const REJECTED_ROWS_MAX = 1_000;

/** Rejections of one fetch: every one counted, the first thousand kept. */
export interface RejectedRows {
  add(rejection: Rejection): void;
  countsByCode(): Readonly<Record<string, number>>;
  rows(): readonly Rejection[];
}

/** Starts with none. Held in memory, because they outlive a fetch that is rolled back. */
export function createRejectedRows(): RejectedRows {
  const counts = new Map<string, number>();
  const rows: Rejection[] = [];
  return {
    add(rejection) {
      counts.set(rejection.code, (counts.get(rejection.code) ?? 0) + 1);
      if (rows.length < REJECTED_ROWS_MAX) rows.push(rejection);
    },
    countsByCode: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
    rows: () => rows,
  };
}

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
export function demandInterned(ballot: ProposalVotes, highest: number): void {
  const last = ballot.voterIds.at(-1);
  const first = ballot.voterIds.at(0);
  const areKnown = last === undefined || first === undefined || (first >= 1 && last <= highest);
  invariant(areKnown, `ballot of proposal ${ballot.proposalId}: a voter was never interned`);
}
