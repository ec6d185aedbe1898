import type { z } from "zod";
import type { DaoSummary } from "../../../snapshots/format/dao.ts";
import { ENVELOPES } from "../../../snapshots/format/envelope.ts";
import {
  certaintyOf,
  type JourneyRequest,
  type JourneySubjects,
  metaOf,
  NOT_FOUND,
  type Promised,
  proOnly,
  textOf,
} from "./promised.ts";

/** Detail and risk of every DAO. */
export function daoRequests({ published }: JourneySubjects): JourneyRequest[] {
  const daos = published.json("daos.json") as DaoSummary[];
  const unscored = published.json("unscored.json") as { space_id: string }[];
  const file = (shape: z.ZodType, path: string, id: string): Promised => {
    if (!published.paths.includes(path)) return NOT_FOUND;
    const meta = { ...metaOf(published), ...certaintyOf(published, id, true) };
    return { status: 200, shape, data: textOf(published, path), meta, isEntity: false };
  };
  return [
    ...daos.flatMap(({ space_id: id }) => [
      proOnly("the detail of a DAO", `/v1/daos/${id}`, file(ENVELOPES.dao, `daos/${id}.json`, id)),
      proOnly("its risk", `/v1/daos/${id}/risk`, file(ENVELOPES.risk, `risk/${id}.json`, id)),
    ]),
    ...unscored.flatMap(({ space_id: id }) => [
      proOnly("no score, no detail", `/v1/daos/${id}`, NOT_FOUND),
      proOnly("no score, no risk", `/v1/daos/${id}/risk`, NOT_FOUND),
    ]),
  ];
}
