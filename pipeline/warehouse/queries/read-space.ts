import type { Database } from "better-sqlite3";
import type { Space } from "../../facts/space.ts";
import { flagOf, optional } from "../columns.ts";

interface Row {
  readonly name: string | null;
  readonly isProposingGated: number | null;
  readonly hasFixedPeriod: number | null;
  readonly quorum: number | null;
  readonly adminsAndModeratorsCount: number | null;
}

/** A space's configuration as it was put. */
export function readSpace(database: Database): (daoNumber: number, spaceId: string) => Space | undefined {
  const select = database.prepare<[number], Row>(
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
