import type { Space } from "../facts/dao-facts.ts";
import { bitOf, type Database, flagOf, numberOfRow } from "./database.ts";

/** The number of a DAO; assigned on its first fetch. */
export function openDao(database: Database, spaceId: string): number {
  return numberOfRow(
    database,
    "INSERT INTO daos (space_id) VALUES (?) ON CONFLICT (space_id) DO NOTHING",
    "SELECT dao_number AS number FROM daos WHERE space_id = ?",
    spaceId,
  );
}

/** The number of a DAO by its space_id; `undefined` if it was never fetched. */
export function readDao(database: Database, spaceId: string): number | undefined {
  const select = "SELECT dao_number AS daoNumber FROM daos WHERE space_id = ?";
  return database.get<{ daoNumber: number }>(select, spaceId)?.daoNumber;
}

/** Stores a space's configuration over an earlier one. */
export function putSpace(database: Database, daoNumber: number, sourceId: string, space: Space): void {
  database.run(
    `INSERT OR REPLACE INTO spaces
       (dao_number, source_id, name, is_proposing_gated, has_fixed_period, quorum, admins_and_moderators_count,
        is_flagged, is_hibernated, is_verified, website, forum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    daoNumber,
    sourceId,
    space.name ?? null,
    bitOf(space.isProposingGated),
    bitOf(space.hasFixedPeriod),
    space.quorum ?? null,
    space.adminsAndModeratorsCount ?? null,
    bitOf(space.isFlagged),
    bitOf(space.isHibernated),
    bitOf(space.isVerified),
    space.website ?? null,
    space.forum ?? null,
  );
}

/** A stored space: booleans are numbers, unknown values are null. */
type SpaceRow = {
  readonly [Field in keyof Space]-?:
    | (Space[Field] extends boolean | undefined ? number : Exclude<Space[Field], undefined>)
    | null;
};

/** A space's configuration, of one source if it is named; `undefined` if none is stored. */
export function readSpace(database: Database, daoNumber: number, sourceId?: string): Space | undefined {
  const row = database.get<SpaceRow>(
    `SELECT name, website, forum, is_proposing_gated AS isProposingGated, has_fixed_period AS hasFixedPeriod, quorum,
            admins_and_moderators_count AS adminsAndModeratorsCount, is_flagged AS isFlagged,
            is_hibernated AS isHibernated, is_verified AS isVerified
     FROM spaces WHERE dao_number = ? AND source_id = coalesce(?, source_id)`,
    daoNumber,
    sourceId ?? null,
  );
  if (row === undefined) return undefined;
  return {
    name: row.name ?? undefined,
    website: row.website ?? undefined,
    forum: row.forum ?? undefined,
    isProposingGated: flagOf(row.isProposingGated),
    hasFixedPeriod: flagOf(row.hasFixedPeriod),
    quorum: row.quorum ?? undefined,
    adminsAndModeratorsCount: row.adminsAndModeratorsCount ?? undefined,
    isFlagged: flagOf(row.isFlagged),
    isHibernated: flagOf(row.isHibernated),
    isVerified: flagOf(row.isVerified),
  };
}
