import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import type { EvidenceStory } from "../exports/report/report-data.ts";
import { explainCertainty } from "./explain-certainty.ts";
import { leftOut } from "./explain-proposals.ts";
import { explainComponents, explainThinEvidence } from "./explain-scores.ts";

/** What a page tells of the evidence of one DAO: the same as `explain`, from the same functions. */
export function evidenceStory({ evidence, proposals }: PublishedEvidence): EvidenceStory {
  const { gvs, rank, parts, notAssessed } = explainCertainty(evidence);
  const components = explainComponents(evidence).map(({ key, interval, indicators, costliest }) => {
    const asked = indicators.find(({ id }) => id === costliest?.id)?.asks;
    return {
      key,
      interval,
      indicators,
      costliest:
        costliest === undefined || asked === undefined
          ? undefined
          : { asks: asked, points: costliest.points },
    };
  });
  return {
    interval: gvs,
    rank,
    components,
    thin: explainThinEvidence(evidence),
    members: proposals.filter(({ place }) => place === "MEMBER").toReversed(),
    leftOut: leftOut(proposals),
    completeness: parts,
    notAssessed,
  };
}
