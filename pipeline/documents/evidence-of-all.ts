import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import { freezeDayOf } from "../score/governance-index.ts";
import { assessUncertainty } from "../score/uncertainty.ts";
import { buildEvidence } from "./evidence-documents.ts";
import type { ScoredDao } from "./scored-dao.ts";

/** The evidence of every DAO that carries some, in their order; ranks are compared among all of them. */
export function buildAllEvidence(
  daos: readonly Pick<ScoredDao, "evidence" | "points">[],
): readonly PublishedEvidence[] {
  const uncertainty = assessUncertainty(daos.flatMap(({ evidence }) => evidence ?? []));
  return daos.flatMap(({ evidence, points }) => {
    if (evidence === undefined) return [];
    const { spaceId, asOfMs } = evidence.measures;
    const freezeDay = freezeDayOf(asOfMs);
    const freezePoint = points.find(({ date }) => date === freezeDay);
    return [buildEvidence(evidence, { uncertainty: uncertainty.get(spaceId), freezePoint })];
  });
}
