import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import type { Space } from "../../facts/space.ts";
import { bitOf, nullable } from "../columns.ts";

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
