import type { Rejection } from "../facts/governance-source.ts";
import type { Database } from "./database.ts";
import type { FetchAttempt } from "./fetches.ts";

/** The most rejected rows stored per fetch: enough to see the pattern, too few to fill the disk. */
export const REJECTED_ROWS_MAX = 1_000;

/** Collects the rejections of one fetch: counts all, keeps the first thousand; in memory, so that they survive a rollback. */
export function createRejectedRows() {
  const counts = new Map<string, { readonly file: string; readonly code: string; rowsCount: number }>();
  const rows: Rejection[] = [];
  const count = (file: string, code: string, times: number) => {
    const key = JSON.stringify([file, code]);
    const counted = counts.get(key) ?? { file, code, rowsCount: 0 };
    counted.rowsCount += times;
    counts.set(key, counted);
  };
  return {
    count,
    add(rejection: Rejection) {
      count(rejection.file, rejection.code, 1);
      if (rows.length < REJECTED_ROWS_MAX) rows.push(rejection);
    },
    /** Writes them over those of the fetch before. Of kept ballots the earlier stay, and a failed fetch adds none. */
    write(
      database: Database,
      daoNumber: number,
      { sourceId, isComplete }: { readonly sourceId: string; readonly isComplete: boolean },
      isBallotKept: (proposalId: string) => boolean,
    ) {
      const ofFetch = "dao_number = @daoNumber AND source_id = @sourceId";
      const key = { daoNumber, sourceId };
      const isKept = (file: string) =>
        file.startsWith(BALLOT_FILE) && isBallotKept(file.slice(BALLOT_FILE.length));
      const drop = (which: string, values: object) => {
        for (const table of ["rejection_counts", "rejections"]) {
          database.run(`DELETE FROM ${table} WHERE ${ofFetch} AND ${which}`, { ...key, ...values });
        }
      };
      const selectFiles = `SELECT DISTINCT file FROM rejection_counts WHERE ${ofFetch}`;
      for (const { file } of database.all<{ file: string }>(selectFiles, key)) {
        if (!isKept(file)) drop("file = @file", { file });
      }
      const isWritten = ({ file }: { readonly file: string }) => isComplete || !isKept(file);
      for (const counted of [...counts.values()].filter(isWritten)) {
        drop("file = @file AND code = @code", counted);
        database.put("rejection_counts", { ...key, ...counted });
      }
      const insert = `INSERT INTO rejections (dao_number, source_id, place, file, line, code, message)
        SELECT @daoNumber, @sourceId, ifnull(max(place), 0) + 1, @file, @line, @code, @message
        FROM rejections WHERE ${ofFetch}`;
      for (const row of rows.filter(isWritten)) database.run(insert, { ...key, ...row });
      const last = `(SELECT max(place) FROM rejections WHERE ${ofFetch})`;
      database.run(
        `DELETE FROM rejections WHERE ${ofFetch} AND place <= ${last} - ${REJECTED_ROWS_MAX}`,
        key,
      );
    },
  };
}

/** The prefix of the file name of a ballot's rows, before the proposal id, in sources that can keep ballots. */
const BALLOT_FILE = "votes/";

type KeptRejection = Rejection & Pick<FetchAttempt, "spaceId" | "sourceId">;

/** The stored rejections of all newest fetches and kept ballots, by (space_id, source_id), in order of arrival. */
export function readRejections(database: Database): readonly KeptRejection[] {
  return database.all(
    `SELECT space_id, source_id, file, line, code, message FROM rejections JOIN daos USING (dao_number)
     ORDER BY space_id, source_id, place`,
  );
}
