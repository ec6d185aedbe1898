import type { HeldSpace } from "../facts/governance-source.ts";
import type { Database } from "./database.ts";
import type { FetchAttempt } from "./fetches.ts";
import { readHeldProposals } from "./proposals.ts";
import { readDao, readSpace } from "./spaces.ts";

/** Why a fetch failed before it began: the source did not answer, and what is held is as it was. */
const SOURCE_AWAY = "SOURCE_AWAY";

/** What is stored of a DAO from one source; `undefined` unless the newest fetch that reached the source was complete. */
export function readHeldSpace(
  database: Database,
  { spaceId, sourceId }: Pick<FetchAttempt, "spaceId" | "sourceId">,
): HeldSpace | undefined {
  const row = database.get<{ daoNumber: number; fetchedAtMs: number; note: string | null }>(
    `SELECT dao_number AS daoNumber, complete_fetches.fetched_at_ms AS fetchedAtMs, note
     FROM daos JOIN complete_fetches USING (dao_number) JOIN fetch_attempts USING (dao_number, source_id)
     LEFT JOIN fetch_notes USING (dao_number, source_id)
     WHERE space_id = ? AND source_id = ? AND (status = 'complete' OR error_code = ?)`,
    spaceId,
    sourceId,
    SOURCE_AWAY,
  );
  if (row === undefined) return undefined;
  const { daoNumber, fetchedAtMs, note } = row;
  return {
    fetchedAtMs,
    note: note ?? undefined,
    space: readSpace(database, daoNumber, sourceId),
    proposals: () => readHeldProposals(database, daoNumber, sourceId),
  };
}

/**
 * Writes how the newest fetches of DAOs from one source ended where nothing was read: nothing changed, or the source was
 * away. All else that is stored of them stays.
 */
export function settleSpaces(
  database: Database,
  spaceIds: Iterable<string>,
  { sourceId, fetchedAtMs, awayMessage }: SettledFetch,
): void {
  const isAway = awayMessage !== undefined;
  for (const spaceId of spaceIds) {
    const daoNumber = readDao(database, spaceId);
    if (daoNumber === undefined) continue;
    database.run(
      `UPDATE fetch_attempts SET status = ?, fetched_at_ms = ?, error_code = ?, error_message = ?
       WHERE dao_number = ? AND source_id = ?`,
      isAway ? "failed" : "complete",
      fetchedAtMs,
      isAway ? SOURCE_AWAY : null,
      awayMessage ?? null,
      daoNumber,
      sourceId,
    );
    if (isAway) continue;
    const renew = "UPDATE complete_fetches SET fetched_at_ms = ? WHERE dao_number = ? AND source_id = ?";
    database.run(renew, fetchedAtMs, daoNumber, sourceId);
  }
}

/** A fetch of many DAOs at once; with a message if their source was away. */
export type SettledFetch = Pick<FetchAttempt, "sourceId" | "fetchedAtMs"> & {
  readonly awayMessage?: string;
};
