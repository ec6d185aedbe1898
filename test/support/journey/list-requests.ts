import type { DaoSummary } from "../../../snapshots/format/dao.ts";
import { ENVELOPES } from "../../../snapshots/format/envelope.ts";
import { CATEGORIES } from "../../../snapshots/format/value-sets.ts";
import {
  certaintyOf,
  type JourneyRequest,
  type JourneySubjects,
  metaOf,
  type Promised,
  sameForAll,
} from "./promised.ts";

/** The list, whole and by category. */
export function listRequests({ published }: JourneySubjects): JourneyRequest[] {
  const daos = published.json("daos.json") as DaoSummary[];
  const meta = metaOf(published);
  const list = (rows: readonly DaoSummary[]): Promised => ({
    status: 200,
    shape: ENVELOPES.daos,
    data: JSON.stringify(rows),
    meta: {
      ...meta,
      total: rows.length,
      updated_at: meta.as_of,
      by_space_id: Object.fromEntries(
        rows.map(({ space_id: id }) => [id, certaintyOf(published, id, false)]),
      ),
    },
    isEntity: false,
  });
  return [
    sameForAll("every scored DAO, by rank", "/v1/daos", list(daos)),
    ...CATEGORIES.map((category) =>
      sameForAll(
        "one category, ranks as overall",
        `/v1/daos?category=${category}`,
        list(daos.filter((dao) => dao.category === category)),
      ),
    ),
  ];
}
