import type { Evidence } from "../../../snapshots/format/evidence.ts";
import { indicatorTexts } from "../../documents/component-texts.ts";

type Weights = NonNullable<Evidence["rank"]>["weights"];

/** The ranks over all single changes of a weight by a quarter, and the weight with the largest effect, if any. */
function explainWeights(weights: Weights) {
  const spread = ({ less, more }: Weights[number]) => Math.abs(less - more);
  const [most] = weights.toSorted((a, b) => spread(b) - spread(a));
  const ranks = weights.flatMap(({ less, more }) => [less, more]);
  return {
    best: Math.min(...ranks),
    worst: Math.max(...ranks),
    most: most === undefined || spread(most) === 0 ? undefined : most,
  };
}

/** The certainty of a DAO's scores, the completeness of its data, and what is unknown. */
export function explainCertainty(evidence: Evidence) {
  const { rank, presence, known_share: knownShare, not_known: notKnown, frame, measures } = evidence;
  return {
    completenessPct: evidence.completeness_pct ?? undefined,
    knownShare,
    presence,
    fetchedAt: measures.fetched_at ?? undefined,
    /** For scored DAOs: the ranks that all intervals allow. */
    rank: rank === null ? undefined : { best: rank.best, worst: rank.worst },
    weights: rank === null ? undefined : explainWeights(rank.weights),
    notKnown: notKnown.map((id) => ({ id, ...indicatorTexts(id) })),
    gini: frame.gini ?? undefined,
  };
}
