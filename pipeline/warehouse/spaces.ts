import type { Space } from "../facts/dao-facts.ts";
import type { HeldSpace } from "../facts/governance-source.ts";
import type { Database } from "./database.ts";
import { readHeldProposals } from "./proposals.ts";

/** The number of a DAO by its space_id; `undefined` if it was never fetched. */
export function readDao(database: Database, spaceId: string): number | undefined {
  const select = "SELECT dao_number FROM daos WHERE space_id = ?";
  return database.get<{ daoNumber: number }>(select, spaceId)?.daoNumber;
}

/** A space's configuration, of one source if it is named; `undefined` if none is stored. */
export function readSpace(database: Database, daoNumber: number, sourceId?: string): Space | undefined {
  return database.get<Space>(
    `SELECT name, website, forum, is_proposing_gated, has_fixed_period, quorum, admins_and_moderators_count,
            is_flagged, is_hibernated, is_verified
     FROM spaces WHERE dao_number = ? AND source_id = coalesce(?, source_id)`,
    daoNumber,
    sourceId,
  );
}

/** Why a fetch failed before it began: the source did not answer, and what is held is as it was. */
const SOURCE_AWAY = "SOURCE_AWAY";

/** What is stored of a DAO from one source; `undefined` unless the newest fetch that reached the source was complete. */
export function readHeldSpace(database: Database, spaceId: string, sourceId: string): HeldSpace | undefined {
  const row = database.get<{ daoNumber: number; fetchedAtMs: number; note: string | undefined }>(
    `SELECT dao_number, complete_fetches.fetched_at_ms, note
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
    note,
    space: readSpace(database, daoNumber, sourceId),
    proposals: () => readHeldProposals(database, daoNumber, sourceId),
  };
}

/** A fetch of many DAOs at once; with a message if their source was away. */
export interface SettledFetch {
  readonly sourceId: string;
  readonly fetchedAtMs: number;
  readonly awayMessage?: string;
}

/**
 * Writes how the newest fetches of DAOs from one source ended where nothing was read: nothing changed, or the source was
 * away. All else that is stored of them stays.
 */
export function settleSpaces(database: Database, spaceIds: Iterable<string>, fetch: SettledFetch): void {
  const { sourceId, fetchedAtMs, awayMessage } = fetch;
  const isAway = awayMessage !== undefined;
  const outcome = isAway ? ["failed", SOURCE_AWAY, awayMessage] : ["complete", undefined, undefined];
  for (const spaceId of spaceIds) {
    const key = [fetchedAtMs, readDao(database, spaceId), sourceId];
    database.run(
      `UPDATE fetch_attempts SET status = ?, error_code = ?, error_message = ?, fetched_at_ms = ?
       WHERE dao_number = ? AND source_id = ?`,
      ...outcome,
      ...key,
    );
    if (isAway) continue;
    const renew = "UPDATE complete_fetches SET fetched_at_ms = ? WHERE dao_number = ? AND source_id = ?";
    database.run(renew, ...key);
  }
}
