import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import { assessUncertainty } from "../score/uncertainty.ts";
import { buildEvidence } from "./evidence-documents.ts";
import type { ScoredDao } from "./scored-dao.ts";

/** The evidence of every DAO that carries some, in their order; ranks are compared among all of them. */
export function buildAllEvidence(daos: readonly Pick<ScoredDao, "evidence">[]): readonly PublishedEvidence[] {
  const found = daos.flatMap(({ evidence }) => evidence ?? []);
  const uncertainty = assessUncertainty(found);
  return found.map((evidence) => buildEvidence(evidence, uncertainty.get(evidence.measures.spaceId)));
}
