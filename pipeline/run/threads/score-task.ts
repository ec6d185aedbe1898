import { openWarehouseReader } from "../../warehouse/open-warehouse-reader.ts";
import { createDaoScoring, type ScoredOne } from "../score-one-dao.ts";
import type { ThreadStart, ThreadTask } from "./messages.ts";

/** A function that scores DAOs out of the warehouse, which is opened for reading at the first of them. */
export function createScoreTask({
  registry,
  warehouse,
}: ThreadStart): (task: Extract<ThreadTask, { kind: "score" }>) => ScoredOne {
  let score: ReturnType<typeof createDaoScoring> | undefined;
  return ({ dao, asOfMs }) => {
    score ??= createDaoScoring(registry, openWarehouseReader(warehouse));
    return withoutVotes(score(dao, asOfMs));
  };
}

/** A DAO's votes are a hundred times the rest of it, and nobody looks at them again. */
function withoutVotes({ scored, ...rest }: ScoredOne): ScoredOne {
  const { evidence } = scored;
  if (evidence === undefined) return { scored, ...rest };
  const proposals = evidence.proposals.map((proposal) => {
    const { held } = proposal;
    if (held === undefined) return proposal;
    const { fetchedCount, countedCount, fetchedPower } = held;
    return { ...proposal, held: { fetchedCount, countedCount, fetchedPower } };
  });
  return { scored: { ...scored, evidence: { ...evidence, proposals } }, ...rest };
}
