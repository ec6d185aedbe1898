import type { Space } from "../facts/dao-facts.ts";
import { invariant } from "../facts/errors.ts";
import { bitOf, type Database, flagOf, nullable, numberOfRow, optional } from "./database.ts";

/** The number of a DAO, given on its first fetch. */
export function openDao(database: Database): (spaceId: string) => number {
  return numberOfRow(
    database,
    "INSERT INTO daos (space_id) VALUES (?) ON CONFLICT (space_id) DO NOTHING",
    "SELECT dao_number AS number FROM daos WHERE space_id = ?",
  );
}

type Row = [number, string, string | null, 0 | 1 | null, 0 | 1 | null, number | null, number | null];

/** Keeps a space's configuration; a later one replaces an earlier. */
export function putSpace(database: Database): (daoNumber: number, sourceId: string, space: Space) => void {
  const replace = database.prepare<Row>(
    `INSERT OR REPLACE INTO spaces
       (dao_number, source_id, name, is_proposing_gated, has_fixed_period, quorum, admins_and_moderators_count)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return (daoNumber, sourceId, space) => {
    const { quorum } = space;
    invariant(quorum === undefined || Number.isFinite(quorum), `quorum of space ${space.spaceId} is finite`);
    replace.run(
      daoNumber,
      sourceId,
      nullable(space.name),
      bitOf(space.isProposingGated),
      bitOf(space.hasFixedPeriod),
      nullable(quorum),
      nullable(space.adminsAndModeratorsCount),
    );
  };
}

/** The number of a DAO by its space_id; `undefined` where it was never fetched. */
export function readDao(database: Database): (spaceId: string) => number | undefined {
  const select = database.prepare<[string], { daoNumber: number }>(
    "SELECT dao_number AS daoNumber FROM daos WHERE space_id = ?",
  );
  return (spaceId) => select.get(spaceId)?.daoNumber;
}

interface RowReadSpace {
  readonly name: string | null;
  readonly isProposingGated: number | null;
  readonly hasFixedPeriod: number | null;
  readonly quorum: number | null;
  readonly adminsAndModeratorsCount: number | null;
}

/** A space's configuration as it was put. */
export function readSpace(database: Database): (daoNumber: number, spaceId: string) => Space | undefined {
  const select = database.prepare<[number], RowReadSpace>(
    `SELECT name, is_proposing_gated AS isProposingGated, has_fixed_period AS hasFixedPeriod, quorum,
            admins_and_moderators_count AS adminsAndModeratorsCount
     FROM spaces WHERE dao_number = ?`,
  );
  return (daoNumber, spaceId) => {
    const row = select.get(daoNumber);
    if (row === undefined) return undefined;
    return {
      spaceId,
      name: optional(row.name),
      isProposingGated: flagOf(row.isProposingGated),
      hasFixedPeriod: flagOf(row.hasFixedPeriod),
      quorum: optional(row.quorum),
      adminsAndModeratorsCount: optional(row.adminsAndModeratorsCount),
    };
  };
}
