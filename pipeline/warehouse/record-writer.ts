import { invariant } from "../facts/errors.ts";
import type { FetchedRecord, SpaceSink } from "../facts/governance-source.ts";
import type { Database } from "./database.ts";
import { putDelegateList } from "./delegate-lists.ts";
import { putDelegationEvents } from "./delegation-events.ts";
import type { FetchCounts } from "./fetches.ts";
import { putProposal } from "./proposals.ts";
import { type PackedVotes, putVotes } from "./votes.ts";

/** A record that a fetch accepts: from a source, or prepared by another thread. */
export type WrittenRecord =
  | FetchedRecord
  | { readonly kind: "packed-votes"; readonly votes: PackedVotes; readonly isFinal: boolean }
  /** Rejections that are only counted. */
  | { readonly kind: "more-rejections"; readonly code: string; readonly count: number };

/** A checked record: votes are packed, and rejections are recorded elsewhere. */
export type CheckedRecord = Exclude<WrittenRecord, { kind: "votes" | "rejection" | "more-rejections" }>;

/** One of the two ways in which a fetch writes: replacing or resumable. */
export interface Writing {
  readonly daoNumber: number;
  readonly memory?: SpaceSink["memory"];
  put(record: CheckedRecord): void;
  /** Called within the commit's transaction: writes what is pending. */
  finish(): { readonly fetchNumber: number; readonly counts: FetchCounts };
  isBallotKept(proposalId: string): boolean;
}

export const NOTHING: FetchCounts = { proposals: 0, ballots: 0, votes: 0, delegateLists: 0, logs: 0 };

export function createRecordWriter(database: Database, daoNumber: number, sourceId: string) {
  const fetchNumber = startFetch(database, daoNumber);
  const listDates = new Set<string>();
  let logs = 0;
  return {
    write(record: CheckedRecord) {
      switch (record.kind) {
        case "space":
          return database.put("spaces", { daoNumber, sourceId, ...record.space });
        case "proposal":
          return putProposal(database, daoNumber, sourceId, record.proposal);
        case "packed-votes":
          return putVotes(database, daoNumber, record.votes, record.isFinal);
        case "delegate-list":
          listDates.add(record.list.date);
          return putDelegateList(database, daoNumber, record.list);
        case "delegation-events":
          invariant(record.through === undefined, "a replacing fetch keeps no events");
          logs += putDelegationEvents(database, daoNumber, fetchNumber, record.token, record.events);
      }
    },
    /** The number of the fetch, and what is stored now: rows, because a record put twice is stored once. */
    finish() {
      const stored = database.get<Pick<FetchCounts, "proposals" | "ballots" | "votes">>(
        `SELECT count(*) AS proposals, count(ballots.proposal_number) AS ballots,
                coalesce(sum(ballots.votes_count), 0) AS votes
         FROM proposals LEFT JOIN ballots USING (proposal_number)
         WHERE dao_number = ? AND source_id = ?`,
        daoNumber,
        sourceId,
      );
      return { fetchNumber, counts: { ...NOTHING, ...stored, delegateLists: listDates.size, logs } };
    },
  };
}

function startFetch(database: Database, daoNumber: number): number {
  const count = "UPDATE daos SET fetch_number = fetch_number + 1 WHERE dao_number = ? RETURNING fetch_number";
  const row = database.get<{ fetchNumber: number }>(count, daoNumber);
  invariant(row !== undefined, "the DAO of a fetch is there");
  return row.fetchNumber;
}
